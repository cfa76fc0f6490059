/** How much of the catalog a start reads. */
import { SERVER_URL, TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig } from './harness';
import { ServerProxy } from './server-proxy';

const TABLES = 1000;
const TYPES = 200_000;

/**
 * Inserts catalog rows directly, because creating that many types one by one takes minutes. Their oids are above those
 * in use, and the database is dropped afterwards.
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

test('cdc-postgres 94: with 1,000 tables and 200,000 composite types, startup reads the names of the tables and the types of the captured one', async () => {
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
    // A hundred bytes per table and none per type, which would take at least 20. The server also reports its WAL
    // position whenever any database writes.
    expect(proxy.bytes).toBeLessThan(100 * TABLES + 2 * TYPES);
    expect(proxy.bytes).toBeGreaterThan(0);
  } finally {
    await run?.stop();
    await database.drop();
    await proxy.close();
  }
});
