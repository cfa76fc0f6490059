/** The task's connection for catalog queries, which several of its parts use at any time. */
import { parseConfig } from '../../../connectors/postgres/src/config/postgres-config';
import { GeneralConnection } from '../../../connectors/postgres/src/database/general-connection';
import { TestDatabase } from '../../helpers/test-database';
import { taskConfig } from './harness';

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
