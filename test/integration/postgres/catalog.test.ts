/** How much of the catalog a start reads. */
import { SERVER_URL, TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig } from './harness';
import { ServerProxy } from './server-proxy';

const TABLES = 1000;
const TYPES = 200_000;

/**
 * Rows of the catalog itself: making that many types one by one takes minutes. Their oids are beyond those that the
 * server has given out, and the database is dropped in the end.
 */
const MANY_TYPES = `
  SET allow_system_table_mods = on;
  CREATE TYPE pattern AS (a int, b text);
  DO $$ BEGIN
    EXECUTE (
      SELECT format('INSERT INTO pg_type SELECT %s FROM pg_type t, generate_series(1, ${TYPES}) n WHERE typname = ''pattern''',
        string_agg(CASE attname WHEN 'oid' THEN '(3000000000 + n)::oid' WHEN 'typname' THEN '''type_'' || n' ELSE attname END, ', ' ORDER BY attnum))
      FROM pg_attribute WHERE attrelid = 'pg_type'::regclass AND attnum > 0);
  END $$;
  RESET allow_system_table_mods`;

test('cdc-postgres 94: with 1,000 tables and 200,000 composite types, a start reads the names of the tables and what the captured one uses', async () => {
  const proxy = await ServerProxy.to(SERVER_URL);
  const database = await TestDatabase.create('CREATE TABLE captured (id int PRIMARY KEY, v text)');
  let run: TaskRun | null = null;
  try {
    await database.query(
      `DO $$ BEGIN FOR i IN 1..${TABLES} LOOP EXECUTE format('CREATE TABLE t%s (id int)', i); END LOOP; END $$`,
    );
    await database.query(MANY_TYPES);
    const [types] = await database.query("SELECT count(*)::int AS n FROM pg_type WHERE typtype = 'c'");
    expect(types?.n).toBeGreaterThan(TYPES);
    await database.query('INSERT INTO captured VALUES (1)');
    run = await TaskRun.start(
      taskConfig(database, {
        ...proxy.address,
        'table.include.list': 'public.captured',
        'database.sslmode': 'disable',
      }),
    );
    await run.count(1);
    await database.query('INSERT INTO captured VALUES (2)');
    await run.count(2);
    // A hundred bytes for each table; none for each type, which would be told in 20 at least. The server also says how
    // far its log has come whenever anybody writes to it, in another database as well.
    expect(proxy.bytes).toBeLessThan(100 * TABLES + 2 * TYPES);
    expect(proxy.bytes).toBeGreaterThan(0);
  } finally {
    await run?.stop();
    await database.drop();
    await proxy.close();
  }
});
