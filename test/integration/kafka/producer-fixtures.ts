import { createWire } from '../../../packages/kafka-client/src/network/network-client';
import type { ConsumerRecord, IsolationLevel } from '../../../packages/kafka-client/src/port';
import { request } from '../../../packages/kafka-client/src/protocol/api';
import {
  DECOMPRESSED_BATCH_MAX_BYTES,
  decodeRecordBatches,
} from '../../../packages/kafka-client/src/records/record-batch-decoder';
import type { Wire } from '../../../packages/kafka-client/src/wire';

export const bootstrap = (): string => process.env.BOOTSTRAP_SERVERS!;

/** Reads a partition from its beginning to its last stable (or its high) offset with the plain codec. */
export async function readAll(
  topic: string,
  partition = 0,
  isolation: IsolationLevel = 'read_uncommitted',
): Promise<ConsumerRecord[]> {
  const wire = createWire({ 'bootstrap.servers': bootstrap(), 'client.id': 'producer-test-reader' });
  try {
    await wire.connect();
    await wire.partitions(topic);
    const records: ConsumerRecord[] = [];
    for (let offset = 0; ;) {
      const answer = await fetchOnce(wire, topic, partition, offset, isolation);
      const decoded = decodeRecordBatches(answer.records, {
        fetchOffset: offset,
        isolation,
        abortedTransactions: answer.aborted,
        checkCrcs: true,
        maxDecompressedBytes: DECOMPRESSED_BATCH_MAX_BYTES,
      });
      records.push(...decoded.records);
      if (decoded.nextOffset === offset) return records;
      offset = decoded.nextOffset;
    }
  } finally {
    await wire.close();
  }
}

const FETCH = { name: 'Fetch', key: 1, min: 4, max: 4, flexibleFrom: 12 };

function fetchOnce(wire: Wire, topic: string, partition: number, offset: number, isolation: IsolationLevel) {
  return wire.send(
    wire.leader({ topic, partition })!,
    request(
      FETCH,
      4,
      (w) => {
        w.int32(-1)
          .int32(0)
          .int32(1)
          .int32(2 ** 26);
        w.int8(isolation === 'read_committed' ? 1 : 0);
        w.int32(1)
          .string(topic)
          .int32(1)
          .int32(partition)
          .int64(offset)
          .int32(2 ** 26);
      },
      (r) => {
        r.int32(); // throttle time
        r.int32(); // topics
        r.string();
        r.int32(); // partitions
        r.int32();
        if (r.int16() !== 0) throw new Error('fetch failed');
        r.int64();
        r.int64();
        const aborted = r.array(() => ({ producerId: r.int64(), firstOffset: r.int64() }));
        return { aborted, records: Buffer.from(r.nullableBytes() ?? []) };
      },
    ),
  );
}
