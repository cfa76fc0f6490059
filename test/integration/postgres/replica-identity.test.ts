/** Replica identities that the connector sets. */
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE a (id int PRIMARY KEY, v int);
    CREATE TABLE b (id int PRIMARY KEY, "U" int NOT NULL);
    CREATE UNIQUE INDEX "B_u" ON b ("U");
    CREATE TABLE c (id int PRIMARY KEY)`);
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const identities = async (): Promise<string> =>
  (
    await database.query(
      "SELECT string_agg(relname || relreplident::text, ' ' ORDER BY relname) AS all FROM pg_class WHERE relname ~ '^[abc]$'",
    )
  )[0]?.all as string;

test('replica.identity.autoset.values sets the identity of matching tables, once', async () => {
  const values = 'public.a:FULL,public.b:INDEX B_u';
  const config = taskConfig(database, { 'snapshot.mode': 'no_data', 'replica.identity.autoset.values': values });
  run = await TaskRun.start(config);
  expect(await identities()).toBe('af bi cd');
  const set = (): string[] =>
    run?.log.flatMap(({ message }) => /^Set the .* to (.*)\.$/.exec(message)?.[1] ?? []) ?? [];
  expect(set()).toEqual(['FULL', 'INDEX B_u']);
  await database.query('INSERT INTO a VALUES (1, 1); UPDATE a SET v = 2');
  const records = await run.count(2);
  expect(records[1]?.value.before).toEqual({ id: 1, v: 1 });
  await run.stop();
  run = await TaskRun.start(config, records[1]?.sourceOffset);
  expect(set()).toEqual([]);
});

test('replica.identity.autoset.values that the server refuses are logged with the statement', async () => {
  const config = taskConfig(database, { 'replica.identity.autoset.values': 'public.c:INDEX none' });
  run = await TaskRun.start(config);
  expect(run.log).toContainEqual({
    level: 'error',
    message: expect.stringContaining('Run ALTER TABLE "public"."c" REPLICA IDENTITY USING INDEX "none"; as its owner.'),
  });
  expect(await identities()).toBe('ad bd cd');
});
