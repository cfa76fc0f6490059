/** Changed keys of a config, with their values before and after. */
import type { JSX } from 'preact';
import type { Change } from '../worker-api';
import { printable } from './printable';

export interface ConfigDiffProps {
  readonly keys: Change['keys'];
}

export function ConfigDiff({ keys }: ConfigDiffProps): JSX.Element {
  return (
    <dl class="diff">
      {keys.map(({ key, before, after }) => (
        <div key={key} class="diff-key">
          <dt>
            <bdi class="code text">{printable(key)}</bdi>
          </dt>
          {/* Of a secret, only that it changed can be shown. */}
          {before === after ? (
            <dd class="muted">changed; the value is hidden</dd>
          ) : (
            <>
              {before !== null && <Value sign="−" label="before" text={before} />}
              {after !== null && <Value sign="+" label="after" text={after} />}
            </>
          )}
        </div>
      ))}
    </dl>
  );
}

function Value({
  sign,
  label,
  text,
}: {
  readonly sign: string;
  readonly label: string;
  readonly text: string;
}): JSX.Element {
  return (
    <dd class={`diff-value diff-${label}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{label}: </span>
      <bdi class="code text">{text === '' ? '(empty)' : printable(text)}</bdi>
    </dd>
  );
}
