/** Prepared transactions while the connector is killed, on a dedicated server, because others allow none. */
import type { SourceOffset } from '@millrace/sdk';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { seeded } from '../../helpers/seeded';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig } from './harness';

let server: RunningPostgres;
let database: TestDatabase;
/** The last one runs. */
const runs: TaskRun[] = [];

beforeAll(async () => {
  server = await startPostgres({ settings: { max_prepared_transactions: '20' } });
});
afterAll(async () => {
  await server?.stop();
});
beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY, v text)', { server: server.url });
  await database.query(`ALTER DATABASE ${database.name} SET logical_decoding_work_mem = '64kB'`);
});
afterEach(async () => {
  for (const run of runs.splice(0)) await run.stop();
  await database.drop();
});

const TWO_PHASE = { 'pgoutput.two.phase': 'true' };
const BOTH = { ...TWO_PHASE, 'pgoutput.streaming': 'on' };
const STREAMED = { 'pgoutput.streaming': 'on' };

test.each([
  ['with two-phase commit', [TWO_PHASE], 1],
  ['with two-phase commit and streaming', [BOTH], 2],
  ['with settings that change, of a slot made without two-phase commit', [{}, BOTH, TWO_PHASE, STREAMED], 3],
])('cdc-postgres 65, 91: killed at random points %s, in the order of commits', async (_, settings, seed) => {
  const random = seeded(seed).below;
  const expected: number[] = [];
  const seen: number[] = [];
  const prepared = new Map<string, number[]>();
  let stored: SourceOffset | null = null;
  /** Records of the run whose offset is stored. */
  let storedCount = 0;
  let next = 0;
  await start(settings[0] as Record<string, string>);
  for (let i = 0; i < 80; i++) await [insert, prepare, finish, insert, prepare, finish, read, kill][random(8)]?.();
  while (prepared.size > 0) await finish();
  await insert();
  await kill();
  const last = expected.at(-1) as number;
  await current().until((records) => records.at(-1)?.key.id === last);
  collect();
  expect([...new Set(seen)]).toEqual(expected);
  expect(current().lastOffset.prepared_lsn).toBeUndefined();

  async function start(config: Record<string, string>): Promise<void> {
    const common = { 'snapshot.mode': 'no_data', 'max.batch.size': '4' };
    runs.push(await TaskRun.start(taskConfig(database, { ...common, ...config }), stored));
  }
  function current(): TaskRun {
    return runs.at(-1) as TaskRun;
  }
  function collect(): void {
    seen.push(...current().records.map(({ key }) => key.id as number));
  }
  async function insert(): Promise<void> {
    await database.query(`INSERT INTO t VALUES (${next})`);
    expected.push(next++);
  }
  /** With a rolled back savepoint; some are large enough to be streamed. */
  async function prepare(): Promise<void> {
    if (prepared.size >= 8) return;
    const count = random(3) === 0 ? 600 : 1 + random(3);
    const rows = Array.from({ length: count }, (_, row) => next + row);
    next += count;
    const id = `${database.name}_${next}`;
    await database.query(`BEGIN; INSERT INTO t SELECT i, repeat('x', 100) FROM generate_series(${rows[0]}, ${rows.at(-1)}) i;
      SAVEPOINT s; INSERT INTO t SELECT -i, repeat('y', 100) FROM generate_series(1, 600) i; ROLLBACK TO s;
      PREPARE TRANSACTION '${id}'`);
    prepared.set(id, rows);
  }
  /** Any of those that are open. */
  async function finish(): Promise<void> {
    const [id, rows] = [...prepared][random(prepared.size)] ?? ['', []];
    if (!prepared.delete(id)) return;
    const commits = random(3) > 0;
    await database.query(`${commits ? 'COMMIT' : 'ROLLBACK'} PREPARED '${id}'`);
    if (commits) expected.push(...rows);
  }
  /** Reads some records, and stores the offset of one of them. */
  async function read(): Promise<void> {
    for (let i = random(4); i >= 0; i--) await current().poll();
    const { length } = current().records;
    if (length === storedCount) return;
    storedCount += 1 + random(length - storedCount);
    stored = current().commitUpTo(storedCount - 1);
  }
  async function kill(): Promise<void> {
    collect();
    await current().kill();
    storedCount = 0;
    await start(settings[random(settings.length)] as Record<string, string>);
  }
});
