/** The table of `millrace dev --seed`. */
import { createTable } from '../../../src/cli/verbs/dev/seed';
import { TestDatabase } from '../../helpers/test-database';

test('workers that start at the same time create it once', async () => {
  for (let round = 0; round < 5; round++) {
    const database = await TestDatabase.create('');
    await Promise.all(Array.from({ length: 6 }, () => createTable(database)));
    expect(await database.query('SELECT count(*)::int AS count FROM todos')).toEqual([{ count: 2 }]);
    await database.drop();
  }
});
