/** The PostgreSQL source under `context.preview`: what it shows, and that the server stays as it was. */
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { ops, TODOS, TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(
    `${TODOS}; INSERT INTO todos (description) VALUES ('a'), ('b');
     CREATE TABLE signals (id varchar(42) PRIMARY KEY, type varchar(32), data varchar(2048))`,
  );
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const pub = (): string => `pub_${database.name}`;
const preview = async (overrides: Record<string, string> = {}, stored: TaskRun['stored'] = null): Promise<TaskRun> =>
  (run = await TaskRun.start(taskConfig(database, overrides), stored, undefined, false, true));
const descriptions = (records: readonly AnyRecord[]): unknown[] =>
  records.map(({ value }) => value?.after?.description);

const warnings = ({ log }: TaskRun): string[] =>
  log.filter(({ level }) => level === 'warn').map(({ message }) => message);

/** Everything that a connector could leave behind. */
async function serverState(): Promise<unknown> {
  const all = async (sql: string): Promise<unknown> => await database.query(sql);
  return {
    slots: (await database.slots()).map(({ slot_name, confirmed_flush_lsn, active }) => ({
      ...{ slot_name, confirmed_flush_lsn, active },
    })),
    publications: await all('SELECT pubname, puballtables FROM pg_publication ORDER BY 1'),
    published: await all('SELECT * FROM pg_publication_tables ORDER BY 1, 2, 3'),
    tables: await all(
      "SELECT relname, relreplident FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    ),
    todos: await all('SELECT * FROM todos ORDER BY id'),
    signals: await all('SELECT * FROM signals ORDER BY id'),
  };
}

/** Temporary slots end with their connections. */
async function endAndCompare(before: unknown): Promise<void> {
  await run?.stop();
  run = null;
  const slots = async (): Promise<string> => JSON.stringify(await serverState());
  await waitFor('the state before', async () => (await slots()) === JSON.stringify(before), {
    detail: () => JSON.stringify(before),
  });
}

const WRITES = {
  'heartbeat.interval.ms': '1',
  'heartbeat.action.query': "INSERT INTO todos (description) VALUES ('heartbeat')",
  'replica.identity.autoset.values': 'public.todos:FULL',
  'notification.enabled.channels': 'sink',
  'notification.sink.topic.name': 'notifications',
  'signal.data.collection': 'public.signals',
  'slot.drop.on.stop': 'true',
  'table.include.list': 'public.todos,public.signals',
};

test('without a publication: the rows of the snapshot, and the statements that a start would run', async () => {
  const before = await serverState();
  const started = await preview(WRITES);
  const records = await started.count(2);
  expect(descriptions(records)).toEqual(['a', 'b']);
  expect(warnings(started)).toEqual([
    'Replica identities are left as they are. The connector would run ALTER TABLE "public"."todos" REPLICA IDENTITY FULL;',
    `Publication "${pub()}" does not exist, and a preview does not create it. The connector would run CREATE PUBLICATION "${pub()}" FOR TABLE "public"."todos", "public"."signals"; Until then, only the rows of the snapshot are shown, no changes.`,
  ]);
  await endAndCompare(before);
});

test('database.initial.statements are not run, and a warning names them', async () => {
  const before = await serverState();
  const { log } = await preview({ 'database.initial.statements': "INSERT INTO todos (description) VALUES ('i')" });
  await (run as TaskRun).count(2);
  expect(log.map(({ message }) => message)).toContain(
    'database.initial.statements are not run: they may change data. What they set, the preview lacks.',
  );
  await endAndCompare(before);
});

test('without a publication and without a snapshot: an error with the statement', async () => {
  const before = await serverState();
  await expect(preview({ 'snapshot.mode': 'no_data' })).rejects.toThrow(
    /does not exist, and a preview does not create it\. The connector would run CREATE PUBLICATION .*snapshot\.mode=initial/,
  );
  await endAndCompare(before);
});

test('with a publication: the snapshot, then every change since, from temporary slots', async () => {
  await database.query(`CREATE PUBLICATION ${pub()} FOR TABLE todos, signals`);
  const before = await serverState();
  const started = await preview(WRITES);
  // Between the slot and the snapshot: it comes once, with the stream.
  await database.query("INSERT INTO todos (description) VALUES ('c')");
  await started.count(2);
  await database.query(
    "INSERT INTO signals VALUES ('1', 'execute-snapshot', '{\"data-collections\":[\"public.todos\"]}')",
  );
  await database.query('DELETE FROM signals');
  await database.query("INSERT INTO todos (description) VALUES ('d')");
  const records = await started.until((all) => descriptions(all).includes('d'));
  const todos = records.filter(({ topic }) => topic === 'fulfillment.public.todos');
  expect(todos.map((record) => `${ops([record]).join()} ${descriptions([record]).join()}`)).toEqual([
    ...['r a', 'r b', 'c c', 'c d'],
  ]);
  expect(new Set(records.map(({ topic }) => topic))).toEqual(
    new Set(['fulfillment.public.todos', 'fulfillment.public.signals']),
  );
  const slots = await database.slots();
  expect(slots.map(({ temporary }) => temporary)).toEqual(slots.map(() => true));
  // The server has answered every statement of the start by now: none of it is about the temporary slots.
  expect(warnings(started)).toEqual([
    'Replica identities are left as they are. The connector would run ALTER TABLE "public"."todos" REPLICA IDENTITY FULL;',
  ]);
  await database.query("DELETE FROM todos WHERE description IN ('c', 'd')");
  await endAndCompare(before);
});

test('from a stored position: the next changes, while the connector runs, and its slot does not move', async () => {
  const config = taskConfig(database, { 'table.include.list': 'public.todos' });
  run = await TaskRun.start(config);
  await run.count(2);
  // The stream has begun.
  await database.query("INSERT INTO todos (description) VALUES ('c')");
  await run.count(3);
  const offset = run.lastOffset;
  const connector = run;
  await database.query("INSERT INTO todos (description) VALUES ('d')");
  const before = await serverState();
  await preview({ 'table.include.list': 'public.todos' }, offset);
  const records = await (run as TaskRun).count(1);
  expect(descriptions(records)).toEqual(['d']);
  await endAndCompare(before);
  expect(descriptions(await connector.count(4))).toEqual(['a', 'b', 'c', 'd']);
  await connector.stop();
});

test('a lost connection of the stream: another temporary copy of the slot', async () => {
  await database.query(`CREATE PUBLICATION ${pub()} FOR TABLE todos`);
  const before = await serverState();
  const started = await preview({ 'snapshot.mode': 'no_data', 'table.include.list': 'public.todos' });
  await database.query("INSERT INTO todos (description) VALUES ('c')");
  await started.count(1);
  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid WHERE r.state = 'streaming' AND s.database = $1",
    [database.name],
  );
  await database.query("INSERT INTO todos (description) VALUES ('d')");
  const records = await started.until((all) => descriptions(all).includes('d'));
  expect(descriptions(records).at(-1)).toBe('d');
  await database.query("DELETE FROM todos WHERE description IN ('c', 'd')");
  await endAndCompare(before);
});

test.each([
  ['the copied slot', '', /^Replication slot ".*_preview_.*", which the preview reads, no longer exists/],
  ['the publication', 'DROP PUBLICATION', /publication ".*" was dropped/],
] as const)(
  'the stream loses its connection and %s is gone: start the preview again, delete nothing',
  async (_, drops, message) => {
    await database.query(`CREATE PUBLICATION ${pub()} FOR TABLE todos`);
    const started = await preview({ 'snapshot.mode': 'no_data', 'table.include.list': 'public.todos' });
    await database.query("INSERT INTO todos (description) VALUES ('c')");
    await started.count(1);
    if (drops !== '') await database.query(`${drops} ${pub()}`);
    // The connection that has the copied slot, unless the publication is what is missing, and that of the stream.
    await database.query(
      `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots s WHERE database = $1 AND ($2 = '' OR EXISTS
       (SELECT FROM pg_stat_replication r WHERE r.pid = s.active_pid AND r.state = 'streaming'))`,
      [database.name, drops],
    );
    await database.query("INSERT INTO todos (description) VALUES ('d')");
    const failure: unknown = await started.until(() => false).catch((error: unknown) => error);
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).toContain('Start the preview again');
    expect((failure as Error).message).not.toMatch(/delete|drop the slot/i);
  },
);
