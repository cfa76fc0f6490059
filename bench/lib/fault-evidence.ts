/**
 * What a run keeps of a fault, so that its cause can be found afterwards: which changes are lost, every copy of them in
 * the topics (also of aborted transactions), the positions of their neighbours, the slot, and the workers' logs.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { createAdmin } from '../../packages/kafka-client/src/admin/admin';
import { createAssignedConsumer } from '../../packages/kafka-client/src/consumer/assigned-consumer';
import { createWire } from '../../packages/kafka-client/src/network/network-client';
import { silentLogger } from '../../src/logging/logger';

export interface FaultEvidence {
  readonly bootstrapServers: string;
  /** The connector's topics and the storage topics of its group. */
  readonly topics: readonly string[];
  /** "table id version" of each change, in the order of their commits. */
  readonly committed: readonly string[];
  readonly lost: readonly string[];
  readonly database: Client;
  /** Of all workers, also of those that were killed. */
  readonly logs: string;
}

/** Resolves with the folder that holds the evidence; it is never removed. */
export async function keepEvidence(of: FaultEvidence): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'exactly-once-fault-'));
  const keep = (name: string, lines: readonly string[]): Promise<void> =>
    writeFile(join(folder, name), lines.map((line) => `${line}\n`).join(''));
  const numbers = new Map(of.committed.map((change, at) => [change, at]));
  await keep(
    'lost',
    of.lost.map((change) => `${numbers.get(change)} ${change}`),
  );
  await keep('committed', of.committed);
  const { rows } = await of.database.query('SELECT * FROM pg_replication_slots');
  await keep(
    'slots',
    rows.map((row) => JSON.stringify(row)),
  );
  await keep('workers.log', [of.logs]);
  for (const isolation of ['read_uncommitted', 'read_committed'])
    await keep(isolation, await recordsOf(of.bootstrapServers, of.topics, isolation));
  return folder;
}

/** Lines "topic-partition@offset timestamp key value" of all records. */
async function recordsOf(bootstrapServers: string, topics: readonly string[], isolation: string): Promise<string[]> {
  const config = {
    'bootstrap.servers': bootstrapServers,
    'auto.offset.reset': 'earliest',
    'isolation.level': isolation,
  };
  const admin = createAdmin(createWire(config), { timeoutMs: 60_000, retryBackoffMs: 50, retryBackoffMaxMs: 500 });
  const described = await admin.describeTopics(topics);
  const partitions = described.flatMap(({ name, partitions: all }) =>
    all.map(({ partition }) => ({ topic: name, partition })),
  );
  const ends = await admin.listOffsets(partitions, 'latest');
  await admin.close();
  const consumer = createAssignedConsumer(createWire(config), config, silentLogger);
  await consumer.connect();
  consumer.assign(partitions);
  const lines: string[] = [];
  const isRead = (): boolean => ends.every((end) => (consumer.position(end) ?? 0) >= end.offset);
  for (const limit = Date.now() + 120_000; !isRead() && Date.now() < limit;)
    for (const { topic, partition, records } of await consumer.poll(200))
      for (const { offset, timestamp, key, value } of records)
        lines.push(`${topic}-${partition}@${offset} ${timestamp} ${key} ${value}`);
  await consumer.close();
  return lines;
}
