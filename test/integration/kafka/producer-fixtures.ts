import { createWire } from '../../../packages/kafka-client/src/network/network-client';
import type { ConsumerRecord, IsolationLevel } from '../../../packages/kafka-client/src/port';
import { fetchRequest, type PartitionResponse } from '../../../packages/kafka-client/src/protocol/fetch';
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

async function fetchOnce(wire: Wire, topic: string, partition: number, offset: number, isolation: IsolationLevel) {
  const limits = { maxWaitMs: 0, minBytes: 1, maxBytes: 2 ** 26, isolation };
  const query = { topic, topicId: undefined, partition, leaderEpoch: -1, offset, maxBytes: 2 ** 26 };
  const request = fetchRequest(4, [query], limits, 60_000);
  const { partitions } = await wire.send(wire.leader({ topic, partition })!, request);
  const [{ errorCode, abortedTransactions, records }] = partitions as [PartitionResponse];
  if (errorCode !== 0) throw new Error('fetch failed');
  return { aborted: abortedTransactions, records: Buffer.from(records) };
}
