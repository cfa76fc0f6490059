/** What is wrong, in full: the sentence with its place, what to do, since when, and buttons for it; then the trace. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Change, ConnectorDetails, Explanation, Failure, HealthAction, HealthReason } from '../../worker-api';
import { Age, Until } from '../../parts/age';
import { causeText } from '../../parts/change-list';
import { formatNumberOf } from '../../parts/format';
import { Icon } from '../../parts/icon';
import { isFailureCode, toneOfReason } from '../../parts/states';
import { lazyPage } from '../../parts/lazy-page';
import { Text } from '../../parts/text';
import { Fold, Trace } from '../../parts/trace';
import { ExplainedCode } from './explained-code';
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
        explanation={details.explanations[reason.code]}
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
  readonly explanation: Explanation | undefined;
  readonly onAsk: (action: HealthAction) => void;
}

function Reason({ reason, failure, explanation, onAsk }: ReasonProps): JSX.Element {
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
        {(failure === undefined || failure.code !== null) && (
          <ExplainedCode code={code} explanation={explanation} shownCure={cure} />
        )}
        {failure && failure.trace !== '' && <Trace trace={failure.trace} />}
      </div>
    </li>
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
