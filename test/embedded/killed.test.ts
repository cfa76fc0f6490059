/** A broker that is killed keeps what it has acknowledged. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedBroker } from '../../packages/embedded/src/broker';
import { FETCH, METADATA, PRODUCE } from '@millrace/kafka-protocol';
import { startBrokerProcess } from './broker-process';
import { brokers, fetchRequest, produceRequest, RawClient } from './broker-harness';
import { recordsIn } from './record-batches';

const start = brokers();

test.each(['never', 'always'] as const)(
  'after SIGKILL in the middle of writing, fsync %s, every acknowledged record is there, in order',
  async (fsync) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'embedded-killed-'));
    try {
      const running = await startBrokerProcess({ dataDir, fsync });
      const client = await RawClient.connect({ port: running.port } as EmbeddedBroker);
      await client.send(METADATA, 9, { topics: [{ name: 't' }], allowAutoTopicCreation: true });
      const acknowledged: string[] = [];
      const exited = once(running.process, 'exit');
      for (let i = 0; !client.closed; i++) {
        const batch = { records: [`value ${i}`, 'x'.repeat(3_000)] };
        const sent = client.send(PRODUCE, 9, produceRequest('t', batch));
        if (i === 200) running.process.kill('SIGKILL');
        const answer = await sent.catch(() => null);
        if (answer?.responses[0]!.partitionResponses[0]!.errorCode === 0) acknowledged.push(`value ${i}`);
      }
      await exited;
      expect(acknowledged.length).toBeGreaterThanOrEqual(200);

      const reader = await RawClient.connect(await start({ dataDir }));
      const more = {
        maxBytes: 8 << 20,
        topics: [{ topic: 't', partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 8 << 20 }] }],
      };
      const { responses } = await reader.send(FETCH, 12, fetchRequest('t', 0, more));
      const found = recordsIn(responses[0]!.partitions[0]!.records).filter((record) => record.offset % 2 === 0);
      const values = found.map((record) => record.value);
      expect(values.slice(0, acknowledged.length)).toEqual(acknowledged);
      // One may have been written whose answer the kill has prevented.
      expect(values.length - acknowledged.length).toBeLessThanOrEqual(1);
      reader.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  },
);
