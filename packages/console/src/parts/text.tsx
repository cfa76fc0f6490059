/** Text that others wrote: names, messages. Its characters are visible, and its direction stays its own. */
import type { JSX } from 'preact';
import { linkable, printable } from './printable';
import { formatRoute, type Query } from './routes';

/** Clipped to its place, with the whole in its title. */
export function Name({ children }: { readonly children: string }): JSX.Element {
  const text = printable(children);
  return (
    <bdi class="name" title={text}>
      {text}
    </bdi>
  );
}

/** Wraps where it must. */
export function Text({ children }: { readonly children: string }): JSX.Element {
  return <bdi class="text">{printable(children)}</bdi>;
}

export function ConnectorLink({ name, query }: { readonly name: string; readonly query?: Query }): JSX.Element {
  return (
    <a class="connector-link" href={formatRoute({ page: 'connector', name, query })}>
      <Name>{name}</Name>
    </a>
  );
}

/** A link to another site if it is one of the web; else its text. */
export function ExternalLink({ url, children }: { readonly url: string; readonly children?: string }): JSX.Element {
  const address = linkable(url);
  const text = printable(children ?? url);
  if (address === null) return <Text>{text}</Text>;
  return (
    <a class="text" href={address} rel="noreferrer noopener" target="_blank">
      {text}
    </a>
  );
}
