import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { ROOT } from '../../../dev/services/paths';
import { startPostgres } from '../../../dev/services/postgres';
import { Scenario } from './scenario';

const PAGE = 'connectors/postgres/README.md';
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('connectors/postgres/README.md, on a server that is prepared as it says', async () => {
  const server = await startPostgres();
  ends.push(server.stop);
  const client = new Client({ connectionString: server.url });
  await client.connect();
  ends.push(() => client.end());
  await client.query(readFileSync(join(ROOT, 'examples', 'todos.sql'), 'utf8'));
  const [, sql = ''] = /```sql\n([^]*?)```/.exec(readFileSync(join(ROOT, PAGE), 'utf8')) ?? [];
  const statements = sql.split(/;.*\n/).filter((statement) => statement.trim() !== '');
  expect(statements.length).toBeGreaterThan(4);
  for (const statement of statements) await client.query(statement);

  const scenario = await Scenario.create({ replace: { '"5432"': `"${new URL(server.url).port}"` } });
  ends.push(() => scenario.end());
  await scenario.dev();
  await scenario.run(PAGE, 'postgres-source');
  await scenario.given('millrace consume fulfillment.public.todos -n 4 -o json | grep -c \'"snapshot":"incremental"\'');
});
