/** What is wrong, in full: the sentence with its place, what to do, since when, and buttons for it; then the trace. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Change, ConnectorDetails, Failure, HealthAction, HealthReason } from '../../worker-api';
import { Age, Until } from '../../parts/age';
import { causeText } from '../../parts/change-list';
import { formatNumberOf } from '../../parts/format';
import { Icon } from '../../parts/icon';
import { printable } from '../../parts/printable';
import { isFailureCode, toneOfReason } from '../../parts/states';
import { lazyPage } from '../../parts/lazy-page';
import { Text } from '../../parts/text';
import { CopyButton, Fold, InlineCode, Trace } from '../../parts/trace';
import { ReasonActions } from './reason-actions';

const ReasonDialog = lazyPage(async () => (await import('./reason-dialog')).ReasonDialog);

export interface ReasonsProps {
  readonly details: ConnectorDetails;
  readonly refresh: () => void;
}

/** Others are folded. */
const FIRST = 5;

export function Reasons({ details, refresh }: ReasonsProps): JSX.Element {
  const { failures, lastRestart } = details;
  const [asked, setAsked] = useState<HealthAction | null>(null);
  const { reasons } = details.row;
  const explained = new Set(reasons.filter(({ code }) => isFailureCode(code)).map(({ task }) => task));
  const others = failures.filter(({ task }) => !explained.has(task));
  const more = reasons.length - FIRST + others.length;
  const list = (shown: readonly HealthReason[]): JSX.Element[] =>
    shown.map((reason) => (
      <Reason
        key={`${reason.code} ${reason.task} ${reason.worker}`}
        reason={reason}
        failure={failures.find(({ task }) => isFailureCode(reason.code) && task === reason.task)}
        onAsk={setAsked}
      />
    ));
  return (
    <>
      {reasons.length > 0 && (
        <section aria-label="What is wrong">
          <ul>{list(reasons.slice(0, FIRST))}</ul>
        </section>
      )}
      <LastRestart restart={lastRestart} />
      {more > 0 && (
        <div class="more-failures">
          <Fold summary={`${formatNumberOf(more, 'more reason')}`}>
            <ul>
              {list(reasons.slice(FIRST))}
              {others.map((failure) => (
                <li key={failure.task} class="failure-text">
                  <h3>
                    <Text>{failure.sentence}</Text>
                  </h3>
                  <p class="muted">
                    Task {failure.task} failed <Age at={failure.at} />.
                  </p>
                  {failure.trace !== '' && <Trace trace={failure.trace} />}
                </li>
              ))}
            </ul>
          </Fold>
        </div>
      )}
      {/* Not of a reason, which disappears while its remedy is at work. */}
      {asked && <ReasonDialog action={asked} details={details} refresh={refresh} onClose={() => setAsked(null)} />}
    </>
  );
}

interface ReasonProps {
  readonly reason: HealthReason;
  /** With its trace. */
  readonly failure: Failure | undefined;
  readonly onAsk: (action: HealthAction) => void;
}

function Reason({ reason, failure, onAsk }: ReasonProps): JSX.Element {
  const { code, message, cure, since, task, worker, nextTryAt, actions } = reason;
  const tone = toneOfReason(code);
  return (
    <li class={`failure tone-${tone}`}>
      <Icon name={tone} />
      <div class="failure-text">
        <h2>
          <Text>{message}</Text>
        </h2>
        {cure !== null && (
          <p class="failure-hint">
            <Text>{cure}</Text>
          </p>
        )}
        <p class="muted">
          {failure ? `${task === null ? 'The connector' : `Task ${task}`} failed ` : 'Since '}
          <Age at={since} />
          {!failure && worker !== null && (
            <>
              {' '}
              on <Text>{worker}</Text>
            </>
          )}
          {nextTryAt !== null && (
            <>
              , next try <Until at={nextTryAt} />
            </>
          )}
          .
        </p>
        {actions.length > 0 && <ReasonActions actions={actions} onAsk={onAsk} />}
        {(failure === undefined || failure.code !== null) && <Code code={code} />}
        {failure && failure.trace !== '' && <Trace trace={failure.trace} />}
      </div>
    </li>
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
