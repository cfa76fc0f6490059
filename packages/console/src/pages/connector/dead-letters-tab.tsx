/** Records that the connector could not deliver: why, and a replay of some of them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConnectorDetails, DeadLetter, DeadLetters, ReplayRequest, ReplayResult } from '../../worker-api';
import { request } from '../../api/request';
import { ActionButton, Button } from '../../parts/button';
import { ConfirmAction } from '../../parts/dialog';
import { Checkbox } from '../../parts/form';
import { formatCount, formatNumberOf } from '../../parts/format';
import { Empty, ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { roleObjection } from '../../parts/roles';
import { useSession } from '../../parts/session';
import { Text } from '../../parts/text';
import { Code, InlineCode } from '../../parts/trace';
import { usePoll } from '../../parts/use-poll';
import { Letter, type Replayed } from './dead-letter';
import { detailsPath } from './use-connector';

const INTERVAL_MS = 10_000;
const FIRST_LIMIT = 50;
/** What the worker reads at most. */
const MOST = 200;
const EXAMPLE = [
  'errors.tolerance=all',
  'errors.deadletterqueue.topic.name=NAME-dlq',
  'errors.deadletterqueue.context.headers.enable=true',
].join('\n');

export function DeadLettersTab({ details }: { readonly details: ConnectorDetails }): JSX.Element {
  const { row, deadLetterTopic } = details;
  const { role } = useSession();
  const objection = roleObjection(role, 'operator');
  if (deadLetterTopic === null) return <NotConfigured type={row.type} />;
  if (objection)
    return (
      <Notice kind="unknown" title="Dead letters are not shown">
        {objection}: dead letters contain records.
      </Notice>
    );
  return <Letters name={row.name} topic={deadLetterTopic} />;
}

function NotConfigured({ type }: { readonly type: ConnectorDetails['row']['type'] }): JSX.Element {
  if (type === 'source')
    return (
      <Empty title="Sources have no dead letters">
        <p>Only sinks write records that they cannot deliver to a dead letter queue.</p>
      </Empty>
    );
  return (
    <Notice kind="unknown" title="No dead letter queue is configured">
      <p>
        A record that cannot be converted or delivered stops the task, or is skipped with{' '}
        <InlineCode>errors.tolerance=all</InlineCode>. To keep such records in a topic, set these keys:
      </p>
      <Code label="keys of a dead letter queue">{EXAMPLE}</Code>
    </Notice>
  );
}

const keyOf = ({ partition, offset }: Pick<DeadLetter, 'partition' | 'offset'>): string => `${partition}:${offset}`;

function Letters({ name, topic }: { readonly name: string; readonly topic: string }): JSX.Element {
  const [limit, setLimit] = useState(FIRST_LIMIT);
  const { data, error, refresh } = usePoll<DeadLetters>(
    (signal) => request(detailsPath(name, `/dead-letters?limit=${limit}`), { signal }),
    `dead letters ${name} ${limit}`,
    INTERVAL_MS,
  );
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [results, setResults] = useState<ReadonlyMap<string, Replayed>>(new Map());
  const [isConfirmationOpen, setConfirmationOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Error | null>(null);
  if (data === null) return error ? <ErrorNotice error={error} retry={refresh} /> : <Skeleton />;
  const { letters, total } = data;
  const possible = letters.filter(({ origin }) => origin !== null);
  const chosen = possible.filter((letter) => selected.has(keyOf(letter)));
  const replay = async (): Promise<void> => {
    setBusy(true);
    setRefusal(null);
    const body: ReplayRequest = { letters: chosen.map(({ partition, offset }) => ({ partition, offset })) };
    try {
      const answer = await request<ReplayResult>(detailsPath(name, '/dead-letters/replay'), { method: 'POST', body });
      setResults((before) => new Map([...before, ...answer.results.map((item) => [keyOf(item), item] as const)]));
      // What failed remains selected, to be replayed again.
      setSelected(new Set(answer.results.filter((item) => item.error !== null).map(keyOf)));
    } catch (reason) {
      setRefusal(reason as Error);
    }
    setBusy(false);
    refresh();
  };
  const toggle = (key: string, isOn: boolean): void =>
    setSelected((before) => new Set(isOn ? [...before, key] : [...before].filter((other) => other !== key)));
  return (
    <section aria-labelledby="dead-letters">
      <div class="section-head">
        <h2 id="dead-letters">
          Dead letters <span class="muted number">{formatCount(total)}</span>
        </h2>
        <span class="muted">
          in topic <Text>{topic}</Text>
        </span>
        <Button onClick={refresh}>Read again</Button>
        <ActionButton
          needs="operator"
          kind="primary"
          isBusy={isBusy}
          objection={chosen.length === 0 ? 'Select dead letters first' : null}
          onClick={() => setConfirmationOpen(true)}
        >
          {chosen.length === 0 ? 'Replay selected' : `Replay ${chosen.length} selected`}
        </ActionButton>
      </div>
      <p class="muted" role="status">
        {results.size > 0 && summaryOf([...results.values()])}
      </p>
      {error && <ErrorNotice error={error} retry={refresh} />}
      {refusal && <ErrorNotice error={refusal} />}
      {letters.length === 0 ? (
        <Empty title="No dead letters" />
      ) : (
        <>
          {possible.length > 0 && (
            <Checkbox
              checked={chosen.length === possible.length}
              isMixed={chosen.length > 0 && chosen.length < possible.length}
              onChange={(isOn) => setSelected(new Set(isOn ? possible.map(keyOf) : []))}
            >
              Select all {possible.length} shown that can be replayed
            </Checkbox>
          )}
          <ul class="letters" aria-label="Dead letters, newest first">
            {letters.map((letter) => {
              const key = keyOf(letter);
              return (
                <Letter
                  key={key}
                  letter={letter}
                  isSelected={selected.has(key)}
                  result={results.get(key)}
                  onToggle={(isOn) => toggle(key, isOn)}
                />
              );
            })}
          </ul>
          {letters.length < total && (
            <p class="muted">
              {formatNumberOf(letters.length, 'letter')} of {formatCount(total)} shown.{' '}
              {limit < MOST && <Button onClick={() => setLimit(MOST)}>Show more</Button>}
            </p>
          )}
        </>
      )}
      {isConfirmationOpen && (
        <ConfirmAction
          title={`Replay ${formatNumberOf(chosen.length, 'dead letter')}?`}
          confirm="Replay"
          needs="operator"
          onConfirm={() => void replay()}
          onClose={() => setConfirmationOpen(false)}
        >
          <p>
            Each record is written to its original topic again. This connector reads it as a new record, and so does
            every other consumer of that topic. The dead letters stay in their topic.
          </p>
        </ConfirmAction>
      )}
    </section>
  );
}

function summaryOf(results: readonly Replayed[]): string {
  const written = results.filter(({ error }) => error === null);
  const returned = written.filter(({ failedAgain }) => failedAgain !== null).length;
  const parts = [
    `${written.length - returned} written to their topic again`,
    ...(returned > 0 ? [`${returned} replayed, and failed again`] : []),
    ...(written.length < results.length ? [`${results.length - written.length} not replayed`] : []),
  ];
  return `${parts.join(', ')}.`;
}
