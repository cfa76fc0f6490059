import { parseConfig } from '../../../connectors/postgres/src/config/postgres-config';
import { closeConnection, openConnection } from '../../../connectors/postgres/src/database/connection';
import { isTransient } from '../../../connectors/postgres/src/database/errors';
import { connectionOf, runsQuery } from '../../../connectors/postgres/src/database/pg-internals';
import { TestDatabase } from '../../helpers/test-database';
import { taskConfig } from './harness';

test('driver.socketTimeout ends a query that waits too long for the server, never a connection at rest', async () => {
  const database = await TestDatabase.create();
  const { connection } = parseConfig(taskConfig(database, { 'driver.socketTimeout': '1' }));
  const { client } = await openConnection(connection, 'General');
  try {
    connectionOf(client).stream.emit('timeout');
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    const waiting = client.query('SELECT pg_sleep(3600)').catch((error: unknown) => error);
    expect(runsQuery(client)).toBe(true);
    const error = await waiting;
    expect(error).toMatchObject({ message: expect.stringContaining('a query has waited 1 s for the server') });
    expect(isTransient(error)).toBe(true);
  } finally {
    await closeConnection(client);
    await database.drop();
  }
});
