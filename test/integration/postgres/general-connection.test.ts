/** The task's connection for catalog queries, which several of its parts use at any time. */
import { Client } from 'pg';
import { parseConfig } from '../../../connectors/postgres/src/config/postgres-config';
import { GeneralConnection } from '../../../connectors/postgres/src/database/general-connection';
import { TestDatabase } from '../../helpers/test-database';
import { taskConfig } from './harness';

test('idle_session_timeout of the server does not end the connection', async () => {
  const database = await TestDatabase.create('SELECT');
  await database.query(`ALTER DATABASE ${database.name} SET idle_session_timeout = '1h'`);
  const general = new GeneralConnection(parseConfig(taskConfig(database)).connection);
  try {
    const { rows } = await (await general.get()).query('SHOW idle_session_timeout');
    expect(rows).toEqual([{ idle_session_timeout: '0' }]);
  } finally {
    await general.close();
    await database.drop();
  }
});

test('callers that wait for a connection get the same one', async () => {
  const database = await TestDatabase.create('SELECT');
  const general = new GeneralConnection(parseConfig(taskConfig(database)).connection);
  try {
    const [one, other] = await Promise.all([general.get(), general.get()]);
    expect(other).toBe(one);
    expect(await general.get()).toBe(one);
  } finally {
    await general.close();
    await database.drop();
  }
});

test('a connection whose query timed out is replaced, although it has not closed yet', async () => {
  const database = await TestDatabase.create('SELECT');
  const general = new GeneralConnection(parseConfig(taskConfig(database)).connection);
  try {
    const lost = await general.get();
    await expect(lost.query('SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({ code: '57P01' });
    await general.discard(lost);
    const next = await general.get();
    expect(next).not.toBe(lost);
    expect((await next.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await general.close();
    await database.drop();
  }
});

test('queries wait for each other, and one that fails does not stop the next', async () => {
  const database = await TestDatabase.create('SELECT');
  const general = new GeneralConnection(parseConfig(taskConfig(database)).connection);
  const started = jest.spyOn(Client.prototype, 'query');
  try {
    const client = await general.get();
    const before = started.mock.calls.length;
    const startedAtEnd: number[] = [];
    const queries = ['SELECT 1', 'SELECT wrong', 'SELECT 2'].map((sql) =>
      client.query(sql).finally(() => startedAtEnd.push(started.mock.calls.length - before)),
    );
    const results = await Promise.allSettled(queries);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(startedAtEnd).toEqual([1, 2, 3]);
  } finally {
    started.mockRestore();
    await general.close();
    await database.drop();
  }
});
