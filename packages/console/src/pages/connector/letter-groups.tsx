/** Dead letters by their reasons: how many, since when, and a replay of all of one reason. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DeadLetterGroup, DeadLetterGroups } from '../../worker-api';
import { request } from '../../api/request';
import { Age } from '../../parts/age';
import { ActionButton, Button } from '../../parts/button';
import { formatCount, formatNumberOf } from '../../parts/format';
import { Empty, ErrorNotice, Skeleton } from '../../parts/placeholders';
import { replaceQuery } from '../../parts/router';
import { Text } from '../../parts/text';
import { useLoaded } from '../../parts/use-loaded';
import { stageText, type Replayed } from './dead-letter';
import { ConfirmReplay, replayLetters, summaryOf } from './replay';
import { detailsPath } from './use-connector';

export interface LetterGroupsProps {
  readonly name: string;
  readonly topic: string;
}

export function showLetters(group: string): void {
  replaceQuery({ tab: 'dead-letters', group });
}

export function LetterGroups({ name, topic }: LetterGroupsProps): JSX.Element {
  const { data, error, isLoading, reload } = useLoaded<DeadLetterGroups>(
    (signal) => request(detailsPath(name, '/dead-letters/groups'), { signal }),
    name,
  );
  if (data === null) return error ? <ErrorNotice error={error} retry={reload} /> : <Skeleton />;
  const { groups, total, read } = data;
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  return (
    <section aria-labelledby="dead-letters">
      <div class="section-head">
        <h2 id="dead-letters">
          Dead letters <span class="muted number">{formatCount(total)}</span>
        </h2>
        <span class="muted">
          in topic <Text>{topic}</Text>
        </span>
        <Button isBusy={isLoading} onClick={reload}>
          Read again
        </Button>
        <Button onClick={() => showLetters('all')}>All, newest first</Button>
      </div>
      {error && <ErrorNotice error={error} retry={reload} />}
      <p class="muted" role="status">
        {read < total
          ? `The newest ${formatCount(read)} of ${formatNumberOf(total, 'record')} were read.`
          : `All ${formatNumberOf(read, 'record')} were read.`}
        {count < read && ` ${formatNumberOf(read - count, 'record')} of other connectors or rare reasons left out.`}
      </p>
      {groups.length === 0 ? (
        <Empty title="No dead letters" />
      ) : (
        <ul class="letters" aria-label="Reasons, the newest first">
          {groups.map((group) => (
            <Group key={group.key} name={name} group={group} reload={reload} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface GroupProps {
  readonly name: string;
  readonly group: DeadLetterGroup;
  readonly reload: () => void;
}

function Group({ name, group, reload }: GroupProps): JSX.Element {
  const { key, pattern, message, stage, errorClass, count, first, last, replayable } = group;
  const [isConfirmationOpen, setConfirmationOpen] = useState(false);
  const [results, setResults] = useState<readonly Replayed[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Error | null>(null);
  const replay = async (): Promise<void> => {
    setBusy(true);
    setRefusal(null);
    setResults([]);
    try {
      await replayLetters(name, replayable, setResults);
    } catch (reason) {
      setRefusal(reason as Error);
    }
    setBusy(false);
    reload();
  };
  const reasons = [...new Set(results.flatMap(({ error, failedAgain }) => error ?? failedAgain ?? []))];
  const progress = isBusy ? `${formatCount(results.length)} of ${formatCount(replayable.length)}: ` : '';
  return (
    <li class="letter letter-group">
      <div class="letter-text">
        <p class="letter-reason">
          <Text>{(count === 1 ? message : pattern) ?? errorClass ?? 'The headers do not say why they failed.'}</Text>
        </p>
        <p class="sub">
          <strong class="number">{formatNumberOf(count, 'letter')}</strong>
          {stage !== null && <Text>{stageText(stage)}</Text>}
          {count === 1 ? (
            <Age at={last} />
          ) : (
            <>
              <span>
                first <Age at={first} />
              </span>
              <span>
                last <Age at={last} />
              </span>
            </>
          )}
        </p>
        {count > 1 && message !== null && message !== pattern && (
          <p class="sub">
            newest: <Text>{message}</Text>
          </p>
        )}
        {refusal && <ErrorNotice error={refusal} />}
        {(isBusy || results.length > 0) && <p role="status">{`${progress}${summaryOf(results)}`}</p>}
        {reasons.slice(0, 3).map((reason) => (
          <p key={reason} class="sub bad">
            <Text>{reason}</Text>
          </p>
        ))}
      </div>
      <div class="letter-actions">
        <Button onClick={() => showLetters(key)}>{count === 1 ? 'Show the letter' : 'Show the letters'}</Button>
        <ActionButton
          needs="operator"
          isBusy={isBusy}
          objection={replayable.length === 0 ? 'Their headers do not name their original topics' : null}
          onClick={() => setConfirmationOpen(true)}
        >
          {`Replay ${formatCount(replayable.length)}`}
        </ActionButton>
      </div>
      {isConfirmationOpen && (
        <ConfirmReplay
          count={replayable.length}
          onConfirm={() => void replay()}
          onClose={() => setConfirmationOpen(false)}
        />
      )}
    </li>
  );
}
