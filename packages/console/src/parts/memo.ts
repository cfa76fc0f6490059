/** Renders a component again only when one of its properties is another object. */
import { Component, h, type FunctionComponent, type VNode } from 'preact';

export function memo<P extends object>(Rendered: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const before = this.props as P;
      for (const key in before) if (!(key in next)) return true;
      for (const key in next) if (!Object.is(next[key], (before as typeof next)[key])) return true;
      return false;
    }
    override render(): VNode {
      return h(Rendered as FunctionComponent<object>, this.props);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
