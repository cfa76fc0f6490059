/** Finds positions for partitions that have none, as `auto.offset.reset` or a caller asks. One attempt. */
import { KafkaError } from './errors';
import type { FetchedPartition } from './fetched-partition';
import { lookUpOffsets, nameOf } from './offset-lookup';
import type { IsolationLevel, TopicPartitionOffset } from './port';
import { EARLIEST, LATEST } from './protocol/list-offsets';
import type { Wire } from './wire';

/** A partition that is sought meanwhile keeps what it was given. Rejects with KafkaError NO_OFFSET_FOR_PARTITION for `none`. */
export async function resetPositions(
  wire: Wire,
  lost: readonly FetchedPartition[],
  isolation: IsolationLevel,
): Promise<void> {
  const asked = lost.map((state) => ({ state, seeks: state.seeks }));
  for (const reset of ['earliest', 'latest', 'none'] as const) {
    const some = asked.filter(({ state, seeks }) => state.reset === reset && state.seeks === seeks);
    const [first] = some;
    if (first === undefined) continue;
    if (reset === 'none') {
      const { topic, partition } = first.state;
      const text = `No offset is known for ${nameOf(first.state)} and auto.offset.reset is none`;
      throw new KafkaError('NO_OFFSET_FOR_PARTITION', text, { topic, partition });
    }
    const partitions = some.map(({ state }) => state);
    const offsets = await lookUpOffsets(wire, partitions, reset === 'earliest' ? EARLIEST : LATEST, isolation);
    some.forEach(({ state, seeks }, index) => {
      if (state.seeks === seeks) state.seek((offsets[index] as TopicPartitionOffset).offset);
    });
  }
}
