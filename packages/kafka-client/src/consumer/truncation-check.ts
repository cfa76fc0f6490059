/**
 * Detects log truncation: after an unclean election the log of the new leader may end, or differ, before the position
 * (KIP-320).
 */
import type { KafkaError } from '../errors';
import type { FetchedPartition } from './fetched-partition';
import { byLeader, cachedLeaderEpoch, partitionName } from '../protocol/offset-lookup';
import { call } from '../protocol/api';
import { protocolError } from '../protocol/protocol-error';
import { OFFSET_FOR_LEADER_EPOCH, offsetForLeaderEpochRequest } from '../protocol/leader-epoch';
import type { Wire } from '../wire';

/** Also used for a partition that the response omits. */
const UNKNOWN_SERVER_ERROR = -1;

/** Pure. The offset from which on the leader's log differs from the records read; null: not before the position. */
export function divergence(
  fetchOffset: number,
  response: { epoch: number; endOffset: number },
): number | 'unknown' | null {
  if (response.epoch < 0 || response.endOffset < 0) return 'unknown';
  return response.endOffset < fetchOffset ? response.endOffset : null;
}

/**
 * Returns the truncated partitions; the others are marked as checked for their leader epoch. One attempt: rejects with
 * the first error.
 */
export async function findTruncated(
  wire: Wire,
  unchecked: readonly FetchedPartition[],
): Promise<Map<FetchedPartition, number | 'unknown'>> {
  const truncated = new Map<FetchedPartition, number | 'unknown'>();
  const checkLeader = async (node: number, states: readonly FetchedPartition[]): Promise<void> => {
    const { key, versions } = OFFSET_FOR_LEADER_EPOCH;
    const requested = states.map((state) => ({
      state,
      seeks: state.seeks,
      currentEpoch: cachedLeaderEpoch(wire, state),
    }));
    if ((await wire.version(node, key, ...versions)) === undefined) {
      for (const { state, currentEpoch } of requested) state.checkedEpoch = currentEpoch;
      return;
    }
    const queries = requested.map(({ state, currentEpoch }) => ({
      topic: state.topic,
      partition: state.partition,
      currentEpoch,
      epoch: state.fetchEpoch,
    }));
    const responses = await call(wire, node, OFFSET_FOR_LEADER_EPOCH, (v) => offsetForLeaderEpochRequest(v, queries));
    const byName = new Map(requested.map((entry) => [partitionName(entry.state), entry]));
    const failures: KafkaError[] = [];
    const addFailure = (code: number, state: FetchedPartition): unknown =>
      failures.push(protocolError(code, `check ${partitionName(state)} for truncation`, state));
    for (const response of responses) {
      const entry = byName.get(partitionName(response));
      byName.delete(partitionName(response));
      // Sought meanwhile: the records read no longer matter.
      if (entry === undefined || entry.seeks !== entry.state.seeks) continue;
      if (response.errorCode !== 0) {
        addFailure(response.errorCode, entry.state);
        continue;
      }
      const cut = divergence(entry.state.fetchOffset, response);
      if (cut === null) entry.state.checkedEpoch = entry.currentEpoch;
      else truncated.set(entry.state, cut);
    }
    for (const { state } of byName.values()) addFailure(UNKNOWN_SERVER_ERROR, state);
    if (failures.length > 0) throw failures[0];
  };
  const groups = await byLeader(wire, unchecked);
  const results = await Promise.allSettled([...groups].map(([node, states]) => checkLeader(node, states)));
  const failed = results.find((result) => result.status === 'rejected');
  // Truncated partitions are handled first; the others are checked again.
  if (failed !== undefined && truncated.size === 0) throw failed.reason;
  return truncated;
}
