/** Finds positions for partitions without one, by `auto.offset.reset` or as the caller requested. One attempt. */
import type { OffsetReset } from './auto-offset-reset';
import { KafkaError } from '../errors';
import type { FetchedPartition } from './fetched-partition';
import { lookUpOffsets, partitionName } from '../protocol/offset-lookup';
import type { IsolationLevel, TopicPartitionOffset } from '../port';
import { EARLIEST, LATEST } from '../protocol/list-offsets';
import type { Wire } from '../wire';

/**
 * A partition that is sought meanwhile keeps that position. Rejects with KafkaError NO_OFFSET_FOR_PARTITION for `none`.
 */
export async function resetPositions(
  wire: Wire,
  unpositioned: readonly FetchedPartition[],
  isolation: IsolationLevel,
): Promise<void> {
  const requested = unpositioned.map((state) => ({ state, seeks: state.seeks, reset: state.reset }));
  for (const reset of new Set(requested.map((entry) => entry.reset))) {
    const matching = requested.filter((entry) => entry.reset === reset && entry.state.seeks === entry.seeks);
    const [first] = matching;
    if (reset === null || first === undefined) continue;
    if (reset === 'none') {
      const { topic, partition } = first.state;
      const text = `${partitionName(first.state)} has no offset to start from, and auto.offset.reset is none`;
      throw new KafkaError('NO_OFFSET_FOR_PARTITION', text, { topic, partition });
    }
    const partitions = matching.map(({ state }) => state);
    const offsets = await find(wire, partitions, reset, isolation);
    matching.forEach(({ state, seeks }, index) => {
      if (state.seeks === seeks) state.seek((offsets[index] as TopicPartitionOffset).offset);
    });
  }
}

async function find(
  wire: Wire,
  partitions: readonly FetchedPartition[],
  reset: Exclude<OffsetReset, 'none'>,
  isolation: IsolationLevel,
): Promise<TopicPartitionOffset[]> {
  if (reset === 'earliest') return await lookUpOffsets(wire, partitions, EARLIEST, isolation);
  const ends = await lookUpOffsets(wire, partitions, LATEST, isolation);
  if (reset === 'latest') return ends;
  const since = Math.max(0, Date.now() - reset.backMs);
  const found = await lookUpOffsets(wire, partitions, since, isolation);
  // No record is recent enough yet: start at the end that was read before, so that no later record is skipped.
  return found.map((offset, index) => (offset.offset >= 0 ? offset : (ends[index] as TopicPartitionOffset)));
}
