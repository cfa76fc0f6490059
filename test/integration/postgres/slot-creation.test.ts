/** Creating a slot waits until every transaction running at that time has ended. */
import { Client } from 'pg';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig } from './harness';

let database: TestDatabase;
beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)');
});
afterEach(async () => {
  await database.drop();
});

/** @param seconds that slot creation may wait for a running transaction */
async function failedStart(seconds: number, stop: (task: AbortController) => void | Promise<void>): Promise<void> {
  const other = await database.connect();
  try {
    await other.query('BEGIN; INSERT INTO t VALUES (1)');
    const task = new AbortController();
    const config = { ...taskConfig(database), 'internal.create.slot.command.timeout': String(seconds) };
    const failed = expect(TaskRun.start(config, null, task)).rejects.toMatchObject({
      code: 'PG_SLOT_TIMEOUT',
      retriable: true,
    });
    await stop(task);
    await failed;
  } finally {
    await other.end();
  }
  // The server removes the unfinished slot; the task must remove the publication.
  await waitFor('the slot to be gone', async () => (await database.slots()).length === 0);
  expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([]);
}

test('startup has a time limit, and leaves nothing', async () => {
  await failedStart(5, () => undefined);
});

test('a stop during creation ends it', async () => {
  await failedStart(3600, async (task) => {
    await waitFor('the slot to wait', async () => {
      const { length } = await database.query(
        "SELECT FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'CREATE_REPLICATION_SLOT%' AND wait_event_type = 'Lock'",
        [database.name],
      );
      return length === 1;
    });
    task.abort();
  });
});

test('a stop before creation prevents it', async () => {
  await failedStart(3600, (task) => task.abort());
});

test('a stop cancels the creation only, not the check of the session before it', async () => {
  const { query } = Client.prototype as unknown as { query(text: unknown, ...rest: unknown[]): unknown };
  const slow = jest.spyOn(Client.prototype as unknown as { query: typeof query }, 'query');
  slow.mockImplementation(function (this: Client, text, ...rest) {
    // The first query of the session that creates the slot.
    const isCheck = typeof text === 'string' && text.includes("current_setting('client_min_messages'");
    return query.call(this, isCheck ? `${text} FROM pg_sleep(0.5)` : text, ...rest);
  });
  try {
    await failedStart(3600, (task) => task.abort());
  } finally {
    slow.mockRestore();
  }
});

test.each([
  [
    'BEGIN; INSERT INTO t VALUES (1)',
    (): string => `Creating replication slot "${database.slot}"`,
    'transactions of other sessions to end',
  ],
  ['BEGIN; LOCK TABLE t', (): string => `Preparing publication "pub_${database.name}"`, 'the lock of table public.t'],
])(
  'a start that waits for another session logs it, and continues when that has ended: %s',
  async (statement, doing, what) => {
    const other = await database.connect();
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await other.query(statement);
    const config = taskConfig(database, {
      'publication.autocreate.mode': 'filtered',
      'table.include.list': 'public.t',
    });
    const { run, started } = TaskRun.starting(config);
    try {
      const message = `${doing()} waits for ${what} (process ${rows[0]?.pid}). It continues when that has ended.`;
      const isSaid = (): boolean => run.log.some((line) => line.level === 'warn' && line.message === message);
      await waitFor('the warning', isSaid, { detail: () => JSON.stringify(run.log) });
    } finally {
      await other.end();
    }
    await started;
    await run.stop();
  },
);

test('the snapshot of another task is no such transaction', async () => {
  await database.query('CREATE TABLE a AS SELECT i FROM generate_series(1, 3000) i');
  const first = taskConfig(database, {
    ...{ 'max.batch.size': '300', 'max.queue.size': '400', 'snapshot.fetch.size': '300' },
    'table.include.list': 'public.a',
  });
  const reading = await TaskRun.start(first);
  try {
    await reading.until(({ length }) => length > 0);
    const names = { 'slot.name': `${database.slot}_2`, 'publication.name': `pub_${database.name}_2` };
    const other = await TaskRun.start({
      ...first,
      ...names,
      ...{ 'table.include.list': 'public.t', 'publication.autocreate.mode': 'filtered' },
      'internal.create.slot.command.timeout': '5',
    });
    await other.stop();
    expect(reading.records.length).toBeLessThan(3000);
  } finally {
    await reading.stop();
  }
});
