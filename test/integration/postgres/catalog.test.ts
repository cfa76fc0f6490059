/** What a start reads of the catalog. */
import net, { type AddressInfo, type Socket } from 'node:net';
import { SERVER_URL, TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig } from './harness';

/** Counts what the server sends through it. */
class CountingProxy {
  bytes = 0;
  private readonly sockets = new Set<Socket>();
  private readonly listener = net.createServer((client) => {
    const { hostname, port } = new URL(SERVER_URL);
    const server = net.createConnection({ host: hostname, port: Number(port || 5432), noDelay: true });
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) this.sockets.add(socket.on('error', end).on('close', end));
    client.pipe(server);
    server.on('data', (chunk: Buffer) => (this.bytes += chunk.length)).pipe(client);
  });

  static async listen(): Promise<CountingProxy> {
    const proxy = new CountingProxy();
    await new Promise<void>((resolve) => proxy.listener.listen(0, '127.0.0.1', resolve));
    return proxy;
  }
  get address(): Record<string, string> {
    const { address, port } = this.listener.address() as AddressInfo;
    return { 'database.hostname': address, 'database.port': String(port) };
  }
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.listener.close(resolve));
  }
}

const TABLES = 1000;
const TYPES = 200_000;

/**
 * Rows of the catalog itself: making that many types one by one takes minutes. Their oids are beyond those that the server has given
 * out, and the database is dropped in the end.
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
  const proxy = await CountingProxy.listen();
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
    // A hundred bytes for each table, far less than one for each type.
    expect(proxy.bytes).toBeLessThan(100 * TABLES);
    expect(proxy.bytes).toBeGreaterThan(0);
  } finally {
    await run?.stop();
    await database.drop();
    await proxy.close();
  }
});
