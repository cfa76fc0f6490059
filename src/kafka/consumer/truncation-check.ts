/**
 * Whether a new leader still has what was read of a partition: after an unclean election its log may end, or go on
 * otherwise, before the position (KIP-320).
 */
import type { KafkaError } from '../errors';
import type { FetchedPartition } from './fetched-partition';
import { byLeader, epochOf, nameOf } from '../protocol/offset-lookup';
import { call } from '../protocol/api';
import { protocolError } from '../protocol/protocol-error';
import { OFFSET_FOR_LEADER_EPOCH, offsetForLeaderEpochRequest } from '../protocol/leader-epoch';
import type { Wire } from '../wire';

/** Also for a partition that the answer leaves out. */
const UNKNOWN_SERVER_ERROR = -1;

/** Pure. From which offset on the leader's log differs from what was read; null: not below the position. */
export function divergence(
  fetchOffset: number,
  answer: { epoch: number; endOffset: number },
): number | 'unknown' | null {
  if (answer.epoch < 0 || answer.endOffset < 0) return 'unknown';
  return answer.endOffset < fetchOffset ? answer.endOffset : null;
}

/**
 * Asks the leaders; partitions whose log is whole count as checked against the leader's epoch. Returns those that were
 * cut. One attempt: rejects with the first error.
 */
export async function findTruncated(
  wire: Wire,
  suspects: readonly FetchedPartition[],
): Promise<Map<FetchedPartition, number | 'unknown'>> {
  const truncated = new Map<FetchedPartition, number | 'unknown'>();
  const ask = async (node: number, states: readonly FetchedPartition[]): Promise<void> => {
    const { key, min, max } = OFFSET_FOR_LEADER_EPOCH;
    const asked = states.map((state) => ({ state, seeks: state.seeks, currentEpoch: epochOf(wire, state) }));
    if ((await wire.version(node, key, min, max)) === undefined) {
      for (const { state, currentEpoch } of asked) state.checkedEpoch = currentEpoch;
      return;
    }
    const queries = asked.map(({ state, currentEpoch }) => ({
      topic: state.topic,
      partition: state.partition,
      currentEpoch,
      epoch: state.fetchEpoch,
    }));
    const answers = await call(wire, node, OFFSET_FOR_LEADER_EPOCH, (v) => offsetForLeaderEpochRequest(v, queries));
    const byName = new Map(asked.map((one) => [nameOf(one.state), one]));
    const failures: KafkaError[] = [];
    const refused = (code: number, state: FetchedPartition): unknown =>
      failures.push(protocolError(code, `check what was read of ${nameOf(state)} against its leader`, state));
    for (const answer of answers) {
      const one = byName.get(nameOf(answer));
      byName.delete(nameOf(answer));
      // Sought meanwhile: nothing of what was read counts any more.
      if (one === undefined || one.seeks !== one.state.seeks) continue;
      if (answer.errorCode !== 0) {
        refused(answer.errorCode, one.state);
        continue;
      }
      const cut = divergence(one.state.fetchOffset, answer);
      if (cut === null) one.state.checkedEpoch = one.currentEpoch;
      else truncated.set(one.state, cut);
    }
    for (const { state } of byName.values()) refused(UNKNOWN_SERVER_ERROR, state);
    if (failures.length > 0) throw failures[0];
  };
  const groups = await byLeader(wire, suspects);
  const results = await Promise.allSettled([...groups].map(([node, states]) => ask(node, states)));
  const failed = results.find((result) => result.status === 'rejected');
  // What was found is acted on first; the others are asked again.
  if (failed !== undefined && truncated.size === 0) throw failed.reason;
  return truncated;
}
