/** Renders a component again only when one of its properties is another object. */
import { Component, h, type FunctionComponent, type VNode } from 'preact';

export function memo<P extends object>(Rendered: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const keys = new Set([...Object.keys(next), ...Object.keys(this.props)]) as Set<keyof P>;
      return [...keys].some((key) => !Object.is(next[key], (this.props as P)[key]));
    }
    override render(): VNode {
      return h(Rendered as FunctionComponent<object>, this.props);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
