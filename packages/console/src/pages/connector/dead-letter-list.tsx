/** Dead letters one by one, the newest first: why each failed, and a replay of chosen ones. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DeadLetter, DeadLetters } from '../../worker-api';
import { request } from '../../api/request';
import { ActionButton, Button } from '../../parts/button';
import { Checkbox } from '../../parts/form';
import { formatCount, formatNumberOf } from '../../parts/format';
import { Empty, ErrorNotice, Skeleton } from '../../parts/placeholders';
import { Text } from '../../parts/text';
import { usePoll } from '../../parts/use-poll';
import { Letter, type Replayed } from './dead-letter';
import { showLetters } from './letter-groups';
import { ConfirmReplay, replayLetters, summaryOf } from './replay';
import { detailsPath } from './use-connector';

const INTERVAL_MS = 10_000;
const FIRST_LIMIT = 50;
/** What the worker reads at most. */
const MOST = 200;
const keyOf = ({ partition, offset }: Pick<DeadLetter, 'partition' | 'offset'>): string => `${partition}:${offset}`;

export interface DeadLetterListProps {
  readonly name: string;
  readonly topic: string;
  /** Null: letters of all reasons. */
  readonly group: string | null;
}

export function DeadLetterList({ name, topic, group }: DeadLetterListProps): JSX.Element {
  const [limit, setLimit] = useState(FIRST_LIMIT);
  const ofGroup = group === null ? '' : `&group=${encodeURIComponent(group)}`;
  const { data, error, refresh } = usePoll<DeadLetters>(
    (signal) => request(detailsPath(name, `/dead-letters?limit=${limit}${ofGroup}`), { signal }),
    `dead letters ${name} ${limit}${ofGroup}`,
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
    try {
      const wanted = chosen.map(({ partition, offset }) => ({ partition, offset }));
      let answered: readonly Replayed[] = [];
      await replayLetters(name, wanted, (done) => (answered = done));
      setResults((before) => new Map([...before, ...answered.map((item) => [keyOf(item), item] as const)]));
      // What failed remains selected, to be replayed again.
      setSelected(new Set(answered.filter((item) => item.error !== null).map(keyOf)));
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
          {group === null ? 'Dead letters' : 'Dead letters of one reason'}{' '}
          {group === null && <span class="muted number">{formatCount(total)}</span>}
        </h2>
        <span class="muted">
          in topic <Text>{topic}</Text>
        </span>
        <Button onClick={() => showLetters('')}>All reasons</Button>
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
              {formatNumberOf(letters.length, 'letter')}
              {group === null ? ` of ${formatCount(total)}` : ''} shown.{' '}
              {limit < MOST && letters.length === limit && <Button onClick={() => setLimit(MOST)}>Show more</Button>}
            </p>
          )}
        </>
      )}
      {isConfirmationOpen && (
        <ConfirmReplay
          count={chosen.length}
          onConfirm={() => void replay()}
          onClose={() => setConfirmationOpen(false)}
        />
      )}
    </section>
  );
}
