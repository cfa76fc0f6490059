/** What is wrong: the sentence first, then what to do, when it happened, and the whole trace. */
import type { JSX } from 'preact';
import type { Change, Failure } from '../../worker-api';
import { Age } from '../../parts/age';
import { causeText } from '../../parts/change-list';
import { formatNumberOf } from '../../parts/format';
import { Icon } from '../../parts/icon';
import { printable } from '../../parts/printable';
import { Text } from '../../parts/text';
import { CopyButton, Fold, InlineCode, Trace } from '../../parts/trace';

export interface FailuresProps {
  /** The newest first. */
  readonly failures: readonly Failure[];
  readonly lastRestart: Change | null;
}

export function Failures({ failures, lastRestart }: FailuresProps): JSX.Element {
  const [newest, ...others] = failures;
  return (
    <>
      {newest && (
        <section class="failure" aria-label="What is wrong">
          <Icon name="failed" />
          <div class="failure-text">
            <h2>
              <Text>{newest.sentence}</Text>
            </h2>
            <FailureBody failure={newest} />
            <LastRestart restart={lastRestart} />
          </div>
        </section>
      )}
      {others.length > 0 && (
        <div class="more-failures">
          <Fold summary={`${formatNumberOf(others.length, 'more failure')}`}>
            <ul>
              {others.map((failure) => (
                <li key={failure.task} class="failure-text">
                  <h3>
                    <Text>{failure.sentence}</Text>
                  </h3>
                  <FailureBody failure={failure} />
                </li>
              ))}
            </ul>
          </Fold>
        </div>
      )}
    </>
  );
}

function FailureBody({ failure: { at, task, code, hint, trace } }: { readonly failure: Failure }): JSX.Element {
  return (
    <>
      {hint !== null && (
        <p class="failure-hint">
          <Text>{hint}</Text>
        </p>
      )}
      <p class="muted">
        {task === null ? 'The connector' : `Task ${task}`} failed <Age at={at} />.
      </p>
      {code !== null && <Code code={code} />}
      {trace !== '' && <Trace trace={trace} />}
    </>
  );
}

function Code({ code }: { readonly code: string }): JSX.Element {
  const command = `millrace explain ${code}`;
  return (
    <p class="failure-code">
      <InlineCode>{code}</InlineCode>
      <span class="muted">
        {' '}
        What it means and what to do: <InlineCode>{command}</InlineCode>, or docs/errors.md
      </span>
      <CopyButton text={command} label={`Copy ${printable(command)}`} />
    </p>
  );
}

export function LastRestart({ restart }: { readonly restart: Change | null }): JSX.Element | null {
  if (restart === null) return null;
  const { at, task, cause } = restart;
  return (
    <p class="muted">
      Last restarted <Age at={at} />
      {task !== null && ` (task ${task})`}, {causeText(cause)}.
    </p>
  );
}
