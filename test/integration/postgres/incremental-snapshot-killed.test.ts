/** Incremental snapshots that are cut off: cdc-postgres §4.10, §6.4. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OffsetValue, SourceOffset } from '@millrace/sdk';
import { waitFor } from '../../helpers/wait-for';
import { type AnyRecord } from './harness';
import { completed, database, execute, of, reads, resume, signal, start, T } from './signals-harness';

describe('interrupted', () => {
  test.each([
    ['after the signal', (records: AnyRecord[]) => of(records, 'signals').length > 0],
    ['within the first chunk', (records: AnyRecord[]) => reads(records).length > 0],
    ['between chunks', (records: AnyRecord[]) => reads(records).length >= 30],
    ['before the last chunk', (records: AnyRecord[]) => reads(records).length >= 60],
  ])('cdc-postgres 100: killed %s', async (_when, enough) => {
    const first = await start(T);
    await execute(['public.t']);
    await first.until((records) => enough(records));
    // The last half of the batch was not acknowledged.
    const { records } = first;
    const index = Math.max(
      records.findIndex((record) => enough(records.slice(0, records.indexOf(record) + 1))),
      0,
    );
    const stored = (records[index] as AnyRecord).sourceOffset as SourceOffset;
    const before = reads(records.slice(0, index + 1));
    await first.stop();
    expect(stored['incremental_snapshot_correlation_id']).toBe('ad-hoc');
    await database.query('UPDATE t SET v = -1 WHERE id = 1; DELETE FROM t WHERE id = 60');
    const second = await resume({}, stored);
    await second.until(completed);
    expect(new Set([...before, ...reads(second.records), 1, 60])).toEqual(
      new Set(Array.from({ length: 60 }, (_, i) => i + 1)),
    );
    // Chunks whose rows were acknowledged are not read again.
    const chunks = Math.floor(before.length / 10);
    expect(reads(second.records).filter((id) => id <= (chunks - 1) * 10)).toEqual([]);
  });

  test('cdc-postgres 100: Debezium’s offset in the middle, and one that cannot be read', async () => {
    const collections = (condition: string | null): string =>
      JSON.stringify([
        {
          incremental_snapshot_collections_id: 'public.t',
          incremental_snapshot_collections_additional_condition: condition,
          incremental_snapshot_collections_surrogate_key: null,
        },
      ]);
    const key = (id: number): string =>
      `aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c020000787000000001737200116a6176612e6c616e672e496e746567657212e2a0a4f781873802000149000576616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200007870${id.toString(16).padStart(8, '0')}`;
    const stopped = await start(T);
    await database.query('INSERT INTO t VALUES (1000, 0)');
    await stopped.until((records) => of(records, 't').length === 1);
    const { lastOffset } = stopped;
    await stopped.stop();
    const java = {
      ...lastOffset,
      incremental_snapshot_collections: collections('(id<>45)'),
      incremental_snapshot_correlation_id: 'java',
      incremental_snapshot_maximum_key: key(50),
      incremental_snapshot_primary_key: key(40),
    };
    const taken = await resume({}, java);
    await taken.until(completed);
    expect(reads(taken.records)).toEqual([41, 42, 43, 44, 46, 47, 48, 49, 50]);
    await taken.stop();
    // The task may have confirmed a later position than that of its last record.
    const { stored, lastOffset: emitted } = taken;
    const odd = {
      ...java,
      ...(Number(stored?.lsn ?? 0) > Number(emitted.lsn) ? stored : emitted),
      incremental_snapshot_collections: collections(null),
      incremental_snapshot_primary_key: 'ac',
    };
    const again = await resume({}, odd);
    await again.until(completed);
    expect(reads(again.records)).toHaveLength(61);
    expect(again.log.map(({ message }) => message).filter((message) => message.startsWith('PG_'))).toEqual([
      'PG_INCREMENTAL_SNAPSHOT: an incremental snapshot was running. The key of its last chunk is not a Java object stream, so the table is read from its beginning.',
    ]);
  });

  test('an incremental snapshot that waits for a blocking one is continued after a kill', async () => {
    const first = await start(`${T}; CREATE TABLE u (id int PRIMARY KEY, v int); INSERT INTO u VALUES (1, 1), (2, 2)`);
    await execute(['public.t']);
    await first.until((records) => reads(records).length > 0);
    await signal('execute-snapshot', { type: 'blocking', 'data-collections': ['public.u'] }, 'blocking');
    await first.until((records) => reads(records, 'u').length > 0);
    const { lastOffset } = first;
    expect(reads(first.records).length).toBeLessThan(60);
    await first.stop();
    const second = await resume({}, lastOffset);
    await second.until(completed);
    expect(new Set([...reads(first.records), ...reads(second.records)]).size).toBe(60);
  });
});

test('cdc-postgres 99: a chunk that waits for an ALTER TABLE that rewrites its table is not taken for the end', async () => {
  const task = await start(T);
  await execute(['public.t']);
  await task.until((records) => reads(records).length >= 20);
  const client = await database.connect();
  await client.query('BEGIN; ALTER TABLE t ALTER COLUMN v TYPE bigint');
  const waits = async (): Promise<boolean> => {
    await task.poll();
    const sql = "SELECT FROM pg_locks WHERE relation = 't'::regclass AND NOT granted";
    return (await client.query(sql)).rowCount === 1;
  };
  await waitFor('a chunk', waits, { everyMs: 0 });
  await client.query('COMMIT');
  await client.end();
  await task.until(completed);
  expect(new Set(reads(task.records)).size).toBe(60);
});

const request = (id: string, filter: string): string =>
  `${JSON.stringify({
    ...{ id, type: 'execute-snapshot' },
    data: {
      'data-collections': ['public.t'],
      'additional-conditions': [{ 'data-collection': '.*', filter }],
    },
  })}\n`;

test.each(['kafka', 'file'])(
  'cdc-postgres 103: a signal that arrives again after a kill, when its tables are read, is not applied again: %s',
  async (channel) => {
    const folder = mkdtempSync(join(tmpdir(), 'signals-'));
    const file = join(folder, 'signals.jsonl');
    const settings = {
      ...{ 'signal.data.collection': '', 'signal.enabled.channels': channel, 'signal.poll.interval.ms': '10' },
      ...{ 'signal.kafka.bootstrap.servers': 'localhost:9092', 'signal.file': file },
    };
    const once = request('once', 'id <= 50');
    writeFileSync(file, once);
    const first = await start(T, settings);
    first.consumers.add('fulfillment', once);
    let stored: SourceOffset | null = null;
    await first.until((records) => {
      stored ??= first.stored;
      return completed(records);
    });
    if (channel === 'file') await first.until(() => readFileSync(file, 'utf8') === '');
    expect(reads(first.records)).toHaveLength(50);
    const marks = Object.entries<OffsetValue>(stored ?? {}).filter(([name]) =>
      name.startsWith('incremental_snapshot_signal'),
    );
    const { lastOffset } = first;
    await first.stop();
    // The worker is killed before the channel stores that the signal is read.
    writeFileSync(file, once + request('next', 'id > 55'));
    const second = await resume(settings, { ...lastOffset, ...Object.fromEntries(marks) });
    second.consumers.add('fulfillment', once);
    second.consumers.add('fulfillment', request('next', 'id > 55'));
    await second.until(completed);
    await second.until((records) => completed(records) && reads(records).includes(60));
    expect(reads(second.records)).toEqual([56, 57, 58, 59, 60]);
    rmSync(folder, { recursive: true });
  },
);
