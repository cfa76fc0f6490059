/** Which output plugin a connector uses, what it says without it, and the limits of each. */
import { postgresConnector } from '../../../connectors/postgres/src/connector';
import { FrameQueue } from '../../../connectors/postgres/src/replication/frame-queue';
import { installDebianPostgres, listsOutputPlugins, startDebianPostgres } from '../../../dev/services/debian-postgres';
import type { RunningPostgres } from '../../../dev/services/postgres';
import { TestDatabase } from '../../helpers/test-database';
import { ops, TaskRun, taskConfig } from './harness';

const missing = installDebianPostgres(['wal2json', 'decoderbufs']);
if (missing !== null) console.warn(`The tests of output plugins are skipped: ${missing}`);
const whereListed = listsOutputPlugins() ? test : test.skip;
const whereInstalled = missing === null ? describe : describe.skip;

let database: TestDatabase;
let run: TaskRun | null = null;
const TABLE = 'CREATE TABLE t (id int PRIMARY KEY, v int)';
const config = (overrides: Record<string, string>): Record<string, string> => ({
  ...taskConfig(database),
  'publication.autocreate.mode': 'all_tables',
  'snapshot.mode': 'no_data',
  ...overrides,
});
const start = async (overrides: Record<string, string>): Promise<TaskRun> =>
  (run = await TaskRun.start(config(overrides)));
const slotPlugin = async (): Promise<unknown> => (await database.slots())[0]?.plugin;

afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

describe('on a server without the libraries', () => {
  beforeEach(async () => {
    database = await TestDatabase.create(TABLE);
  });

  test('cdc-postgres 8: plugin.name is not set, and decoderbufs is not installed', async () => {
    await start({ 'plugin.name': '' });
    expect(await slotPlugin()).toBe('pgoutput');
  });

  test.each(['decoderbufs', 'wal2json_rds'])('cdc-postgres 8: plugin.name=%s is not installed', async (plugin) => {
    const message = expect.stringMatching(/is not installed on the server .*plugin\.name=pgoutput/);
    await expect(start({ 'plugin.name': plugin })).rejects.toMatchObject({ code: 'PG_PLUGIN_MISSING', message });
    expect(await database.slots()).toEqual([]);
    const problems = await postgresConnector.validate?.(config({ 'plugin.name': plugin }), {});
    expect(problems).toEqual([{ key: 'plugin.name', message }]);
  });
});

whereInstalled('on a server with the libraries', () => {
  let server: RunningPostgres;
  beforeAll(async () => {
    server = await startDebianPostgres();
  });
  afterAll(async () => {
    await server?.stop();
  });
  beforeEach(async () => {
    database = await TestDatabase.create(TABLE, { server: server.url });
  });

  test('cdc-postgres 8: plugin.name is not set: decoderbufs, or the plugin of the slot', async () => {
    await start({ 'plugin.name': '' });
    expect(await slotPlugin()).toBe('decoderbufs');
    await run?.stop();
    await database.dropSlots();
    await database.query('SELECT pg_create_logical_replication_slot($1, $2)', [database.slot, 'pgoutput']);
    await start({ 'plugin.name': '' });
    expect(await slotPlugin()).toBe('pgoutput');
  });

  test('cdc-postgres 81: a slot of another of the plugins', async () => {
    await database.query('SELECT pg_create_logical_replication_slot($1, $2)', [database.slot, 'wal2json']);
    const message = expect.stringContaining('already exists for plugin "wal2json"');
    const chosen = { 'plugin.name': 'decoderbufs' };
    await expect(start(chosen)).rejects.toMatchObject({ code: 'PG_SLOT_MISMATCH', message });
    expect(await postgresConnector.validate?.(config(chosen), {})).toEqual([{ key: 'slot.name', message }]);
    // A publication is of no use to it.
    await start({ 'plugin.name': 'wal2json_streaming' });
    expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([]);
  });

  test('cdc-postgres 85: a publication whose name contains "slot" is dropped while the stream runs', async () => {
    const stream = await start({ 'plugin.name': 'pgoutput', 'publication.name': 'of a slot' });
    await database.query('DROP PUBLICATION "of a slot"');
    await database.query('INSERT INTO t VALUES (1)');
    const message = expect.stringContaining('publication "of a slot" was dropped, or created after');
    await expect(stream.until(() => false)).rejects.toMatchObject({ code: 'PG_PUBLICATION_MISSING', message });
  });

  whereListed('cdc-postgres 8: the server does not list the plugin in output_plugin_libraries', async () => {
    const chosen = { 'plugin.name': 'wal2json' };
    await start(chosen);
    await run?.stop();
    await database.query(`ALTER DATABASE ${database.name} SET output_plugin_libraries = 'pgoutput'`);
    const message = expect.stringMatching(/library "wal2json" may not.*Add it to output_plugin_libraries in/);
    const refused = { code: 'PG_PLUGIN_REFUSED', message };
    const stream = await start(chosen);
    await expect(stream.until(() => false)).rejects.toMatchObject(refused);
    await stream.stop();
    await database.dropSlots();
    await expect(start(chosen)).rejects.toMatchObject(refused);
    const problems = await postgresConnector.validate?.(config(chosen), {});
    expect(problems).toEqual([{ key: 'plugin.name', message }]);
    await start({ 'plugin.name': '' });
    expect(await slotPlugin()).toBe('pgoutput');
  });

  test.each(['LATIN1', 'SQL_ASCII'])('a database in %s, whose text only pgoutput converts', async (encoding) => {
    await database.drop();
    database = await TestDatabase.create(TABLE, { server: server.url, encoding });
    const chosen = { 'plugin.name': 'wal2json' };
    await expect(start(chosen)).rejects.toMatchObject({ code: 'PG_PLUGIN_ENCODING' });
    expect(await postgresConnector.validate?.(config(chosen), {})).toMatchObject([{ key: 'plugin.name' }]);
    const { log } = await start({ 'plugin.name': '' });
    expect(await slotPlugin()).toBe('pgoutput');
    expect(log.filter(({ message }) => message.startsWith('plugin.name is not set'))).toMatchObject([
      { message: 'plugin.name is not set: using pgoutput.' },
    ]);
  });

  test.each(['pgoutput', 'decoderbufs', 'wal2json'])('cdc-postgres 92: %s does not know an option', async (plugin) => {
    const stream = await start({ 'plugin.name': plugin, 'slot.stream.params': 'nonsense=1' });
    const refused = expect.stringMatching(/check slot\.stream\.params.*nonsense/);
    await expect(stream.until(() => false)).rejects.toMatchObject({ message: refused });
  });

  const limits: readonly (readonly [plugin: string, params: string, nan: unknown, ops: string[]])[] = [
    ['decoderbufs', '', NaN, ['c', 'c', 'c']],
    ['wal2json', '', null, ['c', 'c', 'c']],
    ['wal2json', 'format-version=2', null, ['c', 'c', 't', 'c']],
  ];
  test.each(limits)('cdc-postgres 96 to 98: the limits of %s %s', async (plugin, params, nan, expected) => {
    await database.query('CREATE TABLE keyless (f double precision NOT NULL)');
    const stream = await start({ 'plugin.name': plugin, 'slot.stream.params': params, 'skipped.operations': 'none' });
    await database.query("INSERT INTO keyless VALUES (1.5), ('NaN')");
    await database.query('UPDATE keyless SET f = 2; DELETE FROM keyless');
    await database.query("SELECT pg_logical_emit_message(true, 'p', 'x'), pg_logical_emit_message(false, 'p', 'x')");
    await database.query('TRUNCATE keyless; INSERT INTO t VALUES (1, 1)');
    const records = await stream.until((all) => all.at(-1)?.value?.source.table === 't');
    expect(ops(records)).toEqual(expected);
    expect(records.slice(0, 2).map(({ value }) => value.after)).toEqual([{ f: 1.5 }, { f: nan }]);
    // The server tells only decoderbufs' readers that there was something.
    const warned = stream.log.filter(({ message }) => message.includes('public.keyless, which has no usable'));
    expect(warned).toHaveLength(plugin === 'decoderbufs' ? 1 : 0);
  });

  test.each(['wal2json_streaming', 'decoderbufs'])(
    'cdc-postgres 90: a large transaction through %s fills no more than the queue',
    async (plugin) => {
      const limit = 256 * 1024;
      const stream = await start({ 'plugin.name': plugin, 'max.queue.size.in.bytes': String(limit) });
      const count = 20_000;
      await database.query(`INSERT INTO t SELECT i, i FROM generate_series(1, ${count}) i`);
      let queued = 0;
      const { push } = FrameQueue.prototype;
      const pushed = jest.spyOn(FrameQueue.prototype, 'push').mockImplementation(function (
        this: FrameQueue<unknown>,
        ...segment: Parameters<typeof push>
      ) {
        push.apply(this, segment);
        queued = Math.max(queued, this.bytes);
      });
      const records = await stream.count(count);
      pushed.mockRestore();
      expect(records.map(({ key }) => key.id)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
      // What one read of the socket may add.
      expect(queued).toBeGreaterThan(limit / 4);
      expect(queued).toBeLessThan(limit + 128 * 1024);
    },
  );
});
