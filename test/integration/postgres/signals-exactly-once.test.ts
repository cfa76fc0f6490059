/**
 * Incremental snapshots that signals of all channels ask for, exactly-once: the task is killed between any two polls,
 * and after each start the topic has all its signals again, as if the group's offset had never been committed.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '../../helpers/seeded';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { Delivered } from './exactly-once-harness';
import { taskConfig, type AnyRecord } from './harness';

const ROWS = 60;
const ROUNDS = 9;
const MARK = 'incremental_snapshot_signal_file';
const folder = mkdtempSync(join(tmpdir(), 'signals-'));
const file = join(folder, 'signals.jsonl');
afterAll(() => rmSync(folder, { recursive: true }));

let database: TestDatabase;
let delivered: Delivered | null = null;
afterEach(async () => {
  await delivered?.stop();
  delivered = null;
  await database.drop();
});

test.each([
  ['the signal table', ['kafka', 'file', 'source'], 1, { 'signal.data.collection': 'public.signals' }],
  ['positions', ['kafka', 'file'], 2, { 'read.only': 'true' }],
])('connect-runtime 80: signals marked with %s are applied once', async (_, channels, seed, settings) => {
  database = await TestDatabase.create(`CREATE TABLE t (id int PRIMARY KEY, v int);
    CREATE TABLE signals (id varchar(42) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048));
    INSERT INTO t SELECT i, 0 FROM generate_series(0, ${ROWS - 1}) i`);
  writeFileSync(file, '');
  const random = seeded(seed).below;
  const task = (delivered = new Delivered(
    database,
    taskConfig(database, {
      ...{ 'snapshot.mode': 'no_data', 'incremental.snapshot.chunk.size': '10', 'tombstones.on.delete': 'false' },
      ...{ 'signal.enabled.channels': channels.join(','), 'signal.poll.interval.ms': '1', 'signal.file': file },
      ...{ 'signal.kafka.bootstrap.servers': 'localhost:9092', 'table.include.list': 'public.t', ...settings },
    }),
  ));
  const topic: string[] = [];
  let lines = '';
  const start = async (): Promise<void> => {
    // Killed after the offset was stored, and before the file was emptied.
    if (task.stored?.[MARK] !== undefined && readFileSync(file, 'utf8') === '') writeFileSync(file, lines);
    const run = await task.start();
    run.consumers.committed = 0;
    for (const text of topic) run.consumers.add('fulfillment', text);
    add = (text) => run.consumers.add('fulfillment', text);
  };
  let add: (text: string) => void = () => undefined;
  const send = async (round: number): Promise<void> => {
    const data = { type: 'incremental', 'data-collections': ['public.t'] };
    const text = JSON.stringify({ id: `s${round}`, type: 'execute-snapshot', data });
    const channel = channels[round % channels.length];
    if (channel === 'source')
      await database.query('INSERT INTO signals VALUES ($1, $2, $3)', [
        `s${round}`,
        'execute-snapshot',
        JSON.stringify(data),
      ]);
    else if (channel === 'file') {
      if (readFileSync(file, 'utf8') === '') lines = '';
      lines += `${text}\n`;
      appendFileSync(file, `${text}\n`);
    } else {
      topic.push(text);
      add(text);
    }
  };
  const rowsOf = (): AnyRecord[] => task.records.filter(({ topic: of }) => of.endsWith('.t'));
  const readsOf = (id: number): number =>
    rowsOf().filter(({ value }) => value.op === 'r' && value.after.id === id).length;
  const committed: string[] = [];
  await start();
  for (let round = 1; round <= ROUNDS; round++) {
    await send(round);
    const isRead = async (): Promise<boolean> => {
      if (random(3) === 0) {
        const id = 2 * random(ROWS / 2) + 1;
        await database.query('UPDATE t SET v = v + 1 WHERE id = $1', [id]);
        committed.push(`u ${id}`);
      }
      if (random(4) === 0) {
        task.kills++;
        await task.stop();
        await start();
      }
      await task.poll();
      return readsOf(0) >= round && task.stored?.incremental_snapshot_collections === undefined;
    };
    await waitFor(`round ${round}`, isRead, { everyMs: 0, detail: () => JSON.stringify(task.stored) });
    expect([0, ROWS - 2].map(readsOf)).toEqual([round, round]);
  }
  await database.query(`INSERT INTO t VALUES (${ROWS}, 0)`);
  const isDone = async (): Promise<boolean> => (await task.poll()).some(({ value }) => value?.after?.id === ROWS);
  await waitFor('the last change', isDone, { everyMs: 0 });
  const counts = Array.from({ length: ROWS / 2 }, (_, i) => readsOf(2 * i));
  expect(counts).toEqual(counts.map(() => ROUNDS));
  const versions = new Map<number, number>();
  for (const { value } of rowsOf()) {
    const { id, v } = value.after as { id: number; v: number };
    const before = versions.get(id) ?? 0;
    expect([id, v]).toEqual([id, value.op === 'u' ? before + 1 : before]);
    versions.set(id, v);
    if (id < ROWS) expect(readsOf(id)).toBeLessThanOrEqual(ROUNDS);
  }
  const streamed = rowsOf().flatMap(({ value }) => (value.op === 'u' ? [`u ${value.after.id}`] : []));
  expect(streamed).toEqual(committed);
  expect(task.kills).toBeGreaterThan(20);
});
