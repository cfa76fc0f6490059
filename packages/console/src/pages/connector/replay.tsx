/** Sends dead letters back to their topics: the request, the question before it, and what became of them. */
import type { JSX } from 'preact';
import type { ReplayRequest, ReplayResult } from '../../worker-api';
import { request } from '../../api/request';
import { ConfirmAction } from '../../parts/dialog';
import { formatNumberOf } from '../../parts/format';
import type { Replayed } from './dead-letter';
import { detailsPath } from './use-connector';

/** What the worker replays at most in one request. */
const AT_ONCE = 500;

/**
 * @param report called with the results so far
 * @throws RequestError: the worker refuses the others
 */
export async function replayLetters(
  name: string,
  letters: ReplayRequest['letters'],
  report: (results: readonly Replayed[]) => void,
): Promise<void> {
  const results: Replayed[] = [];
  for (let at = 0; at < letters.length; at += AT_ONCE) {
    const body: ReplayRequest = { letters: letters.slice(at, at + AT_ONCE) };
    const answer = await request<ReplayResult>(detailsPath(name, '/dead-letters/replay'), { method: 'POST', body });
    results.push(...answer.results);
    report([...results]);
  }
}

export interface ConfirmReplayProps {
  readonly count: number;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmReplay({ count, onConfirm, onClose }: ConfirmReplayProps): JSX.Element {
  return (
    <ConfirmAction
      title={`Replay ${formatNumberOf(count, 'dead letter')}?`}
      confirm="Replay"
      needs="operator"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        Each record is written to its original topic again. This connector reads it as a new record, and so does every
        other consumer of that topic. The dead letters stay in their topic.
      </p>
    </ConfirmAction>
  );
}

export function summaryOf(results: readonly Replayed[]): string {
  const written = results.filter(({ error }) => error === null);
  const returned = written.filter(({ failedAgain }) => failedAgain !== null).length;
  const parts = [
    `${written.length - returned} written to their topic again`,
    ...(returned > 0 ? [`${returned} replayed, and failed again`] : []),
    ...(written.length < results.length ? [`${results.length - written.length} not replayed`] : []),
  ];
  return `${parts.join(', ')}.`;
}
