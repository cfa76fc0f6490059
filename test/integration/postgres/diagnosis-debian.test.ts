/** What the connector's diagnosis finds on an older server with other output plugins. */
import { installDebianPostgres, listsOutputPlugins, startDebianPostgres } from '../../../dev/services/debian-postgres';
import { startStandby } from '../../../dev/services/postgres-standby';
import { onServer, TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { codes, diagnose } from './diagnosis-harness';
import { TODOS } from './harness';

const missing = installDebianPostgres(['wal2json', 'decoderbufs']);
if (missing !== null) console.warn(`These tests are skipped: ${missing}`);
const whereListed = listsOutputPlugins() ? test : test.skip;

(missing === null ? describe : describe.skip)('on a server of Debian', () => {
  let server: Awaited<ReturnType<typeof startDebianPostgres>>;
  let database: TestDatabase;
  beforeAll(async () => {
    server = await startDebianPostgres();
  });
  afterAll(async () => {
    await server?.stop();
  });
  async function open(encoding = 'UTF8'): Promise<void> {
    database = await TestDatabase.create(TODOS, { server: server.url, encoding });
  }
  afterEach(async () => {
    await database.drop();
  });

  test.each(['wal2json', 'decoderbufs'])('%s in a database whose encoding is not UTF8', async (plugin) => {
    await open('LATIN1');
    const found = await diagnose(database, { 'plugin.name': plugin });
    expect(codes(found)).toEqual(['error PG_PLUGIN_ENCODING']);
    expect(found[0]?.message).toContain('Set plugin.name=pgoutput.');
    expect(await diagnose(database, { 'plugin.name': 'pgoutput' })).toEqual([]);
  });

  whereListed('an output plugin that the server does not list', async () => {
    await open();
    await onServer("ALTER SYSTEM SET output_plugin_libraries = 'pgoutput'", [], server.url);
    await onServer('SELECT pg_reload_conf()', [], server.url);
    try {
      await waitFor('the setting', async () => (await diagnose(database, { 'plugin.name': 'wal2json' })).length > 0);
      const found = await diagnose(database, { 'plugin.name': 'wal2json' });
      expect(codes(found)).toEqual(['error PG_PLUGIN_REFUSED']);
    } finally {
      await onServer('ALTER SYSTEM RESET output_plugin_libraries', [], server.url);
      await onServer('SELECT pg_reload_conf()', [], server.url);
    }
  });

  test('slot.failover on a server without failover slots', async () => {
    await open();
    const found = await diagnose(database, { 'slot.failover': 'true' });
    expect(codes(found)).toEqual(['warning PG_STANDBY_SLOT']);
    expect(found[0]?.message).toContain('older than PostgreSQL 17');
  });

  test('a standby that cannot decode WAL; the statement names its primary', async () => {
    await open();
    await database.query(`CREATE PUBLICATION pub_${database.name} FOR TABLE todos`);
    const standby = await startStandby(server, {}, server.programs);
    try {
      const { hostname, port } = new URL(standby.url);
      const found = await diagnose(database, { 'database.hostname': hostname, 'database.port': port });
      expect(codes(found)).toEqual(['error PG_STANDBY']);
      const [primary] = await onServer(found[0]?.statements?.[0] ?? '', [], standby.url);
      const named = {
        'database.hostname': String(primary?.sender_host),
        'database.port': String(primary?.sender_port),
      };
      expect(await diagnose(database, named)).toEqual([]);
    } finally {
      await standby.stop();
    }
  });
});
