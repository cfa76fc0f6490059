/** Key, value and headers of a record. */
import type { JSX } from 'preact';
import { printable } from '../../parts/printable';
import { Text } from '../../parts/text';
import { Code } from '../../parts/trace';

export interface PartProps {
  readonly title: string;
  readonly label: string;
  readonly text: string | null;
  /** Why its converter could not read it: the text is the beginning of its bytes. */
  readonly error?: string | null;
}

export function Part({ title, label, text, error = null }: PartProps): JSX.Element {
  return (
    <div>
      <p class="muted">{error === null ? title : `${title}, as bytes`}</p>
      {error !== null && (
        <p class="sub bad">
          <Text>{error}</Text>
        </p>
      )}
      {text === null ? <p class="muted">null</p> : <Code label={label}>{text}</Code>}
    </div>
  );
}

export interface HeaderListProps {
  readonly label: string;
  readonly headers: readonly { readonly name: string; readonly text: string | null; readonly error?: string | null }[];
}

export function HeaderList({ label, headers }: HeaderListProps): JSX.Element {
  return (
    <dl class="headers" aria-label={label}>
      {headers.map(({ name, text, error = null }, i) => (
        <div key={i}>
          <dt>
            <bdi>{printable(name)}</bdi>
          </dt>
          <dd>
            <bdi class="text code">{text === null ? 'null' : printable(text)}</bdi>
            {error !== null && (
              <p class="sub bad">
                <Text>{error}</Text>
              </p>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
