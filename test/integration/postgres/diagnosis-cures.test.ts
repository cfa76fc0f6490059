/**
 * Each fault is planted on a real server, `diagnose` finds it, its statements are run as they are printed, one after
 * another, and it is gone.
 */
import type { Client } from 'pg';
import { startPostgres, type OwnPostgres } from '../../../dev/services/postgres';
import { startStandby } from '../../../dev/services/postgres-standby';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import {
  codes,
  createSlot,
  cure,
  diagnose,
  login,
  PGOUTPUT,
  readSlot,
  writeWal,
  type Settings,
} from './diagnosis-harness';
import { TODOS } from './harness';

interface Fault {
  readonly title: string;
  /** `severity CODE` of each finding. */
  readonly found: readonly string[];
  /** After the cure. (Default: none) */
  readonly remains?: readonly string[];
  /** Of a server of its own. */
  readonly settings?: Settings;
  readonly connector?: Settings;
  /** Texts in the cures. */
  readonly cures?: readonly string[];
  /** The cure says that the server must be restarted. */
  readonly restarts?: boolean;
  /** Resolves with settings of the connector. */
  plant?(): Promise<Settings | void>;
}

const DISABLED = { 'publication.autocreate.mode': 'disabled' };

let shared: OwnPostgres;
let server: OwnPostgres;
let database: TestDatabase;
const readers: Client[] = [];
beforeAll(async () => {
  shared = await startPostgres();
});
afterAll(async () => {
  await shared.stop();
});
afterEach(async () => {
  await endReaders();
  await database.drop();
  if (server !== shared) await server.stop();
});

async function start(settings?: Settings): Promise<void> {
  server = settings === undefined ? shared : await startPostgres({ settings });
  database = await TestDatabase.create(TODOS, { server: server.url });
}

async function restart(): Promise<void> {
  await endReaders();
  await server.restart();
  database = await database.reopened();
}

async function endReaders(): Promise<void> {
  for (const reader of readers.splice(0)) await reader.end();
}

/** A program that reads the slot during the test. */
async function read(slot: string, options?: string, application?: string): Promise<void> {
  readers.push(await readSlot(database, slot, options, application));
}

const FAULTS: readonly Fault[] = [
  {
    title: 'wal_level',
    settings: { wal_level: 'replica' },
    found: ['error PG_WAL_LEVEL'],
    restarts: true,
  },
  {
    title: 'no free replication slot',
    settings: { max_replication_slots: '1' },
    plant: async () => createSlot(database, 'other'),
    found: ['error PG_TOO_MANY_SLOTS', 'warning PG_SLOT_INACTIVE'],
    cures: ['no process reads other'],
    restarts: true,
  },
  {
    title: 'no free WAL sender',
    settings: { max_wal_senders: '1' },
    plant: async () => {
      await createSlot(database, 'other');
      await read('other', PGOUTPUT);
    },
    found: ['error PG_WAL_SENDERS'],
    // The restart ends the reader.
    remains: ['warning PG_SLOT_INACTIVE'],
    restarts: true,
  },
  {
    title: 'a role without privileges',
    connector: DISABLED,
    plant: async () => {
      await database.query(`CREATE PUBLICATION pub_${database.name} FOR TABLE todos`);
      return await login(database);
    },
    found: ['error PG_ROLE_REPLICATION', 'error PG_PRIVILEGE'],
  },
  {
    title: 'tables of one schema without privileges',
    connector: { ...DISABLED, 'table.include.list': 'shop.*' },
    plant: async () => {
      await database.query(
        `CREATE SCHEMA shop; CREATE TABLE shop.a (id int PRIMARY KEY); CREATE TABLE shop."B c" (id int PRIMARY KEY);
         CREATE PUBLICATION pub_${database.name} FOR TABLE shop.a, shop."B c"`,
      );
      return await login(database, 'REPLICATION');
    },
    found: ['error PG_PRIVILEGE'],
  },
  {
    title: 'a role that may not create the publication',
    plant: async () => {
      await database.query('GRANT SELECT ON todos TO PUBLIC');
      return await login(database, 'REPLICATION');
    },
    found: ['error PG_PRIVILEGE'],
  },
  {
    title: 'a publication that does not exist',
    connector: DISABLED,
    found: ['error PG_PUBLICATION_MISSING'],
  },
  {
    title: 'a publication without a table',
    connector: { ...DISABLED, 'table.include.list': 'public.(todos|other)' },
    plant: async () =>
      void (await database.query(
        `CREATE TABLE other (id int PRIMARY KEY); CREATE PUBLICATION pub_${database.name} FOR TABLE todos`,
      )),
    found: ['error PG_PUBLICATION_TABLES'],
  },
  {
    title: 'tables without a replica identity',
    connector: { 'table.include.list': 'public.(a|b)' },
    plant: async () => void (await database.query('CREATE TABLE a (id int); CREATE TABLE b (id int)')),
    found: ['error PG_REPLICA_IDENTITY'],
  },
  {
    title: 'unlogged tables',
    connector: { 'table.include.list': 'public.(a|b)' },
    plant: async () =>
      void (await database.query(
        'CREATE UNLOGGED TABLE a (id int PRIMARY KEY); CREATE UNLOGGED TABLE b (id int PRIMARY KEY)',
      )),
    found: ['error PG_UNLOGGED_TABLE'],
  },
  {
    title: 'a slot that no process reads, and another one that retains much WAL',
    plant: async () => {
      await createSlot(database);
      await createSlot(database, 'other');
      await writeWal(database, 80);
    },
    found: ['warning PG_SLOT_INACTIVE', 'warning PG_SLOT_INACTIVE'],
  },
  {
    title: 'a slot that another program reads',
    plant: async () => {
      await createSlot(database);
      await read(database.slot, PGOUTPUT);
    },
    found: ['error PG_SLOT_ACTIVE'],
    remains: ['warning PG_SLOT_INACTIVE'],
  },
  {
    title: 'a slot of another plugin',
    plant: async () => createSlot(database, database.slot, 'test_decoding'),
    found: ['error PG_SLOT_MISMATCH'],
  },
  {
    title: 'a slot of another plugin that a program reads',
    plant: async () => {
      await createSlot(database, database.slot, 'test_decoding');
      await read(database.slot);
    },
    found: ['error PG_SLOT_MISMATCH'],
  },
  {
    title: 'a slot that is lost',
    settings: { max_slot_wal_keep_size: '1MB', max_wal_size: '32MB', min_wal_size: '32MB' },
    plant: async () => {
      await createSlot(database);
      await waitFor('the slot to be lost', async () => {
        await writeWal(database, 32);
        await database.query('CHECKPOINT');
        return (await database.slots()).some(({ wal_status: status }) => status === 'lost');
      });
    },
    found: ['error PG_SLOT_LOST'],
  },
  {
    title: 'a slot that retains most of what it may',
    settings: { max_slot_wal_keep_size: '64MB' },
    plant: async () => {
      await createSlot(database);
      await read(database.slot, PGOUTPUT, 'Millrace Streaming');
      await writeWal(database, 52);
    },
    found: ['error PG_SLOT_AT_RISK'],
  },
  {
    title: 'a slot that retains more than it may',
    settings: { max_slot_wal_keep_size: '32MB', checkpoint_timeout: '1d', max_wal_size: '1GB' },
    plant: async () => {
      await createSlot(database);
      await read(database.slot, PGOUTPUT, 'Millrace Streaming');
      await writeWal(database, 80);
      expect(await database.slots()).toMatchObject([{ wal_status: 'unreserved' }]);
    },
    found: ['error PG_SLOT_AT_RISK'],
  },
  {
    title: 'changes that wait for standbys',
    settings: {},
    connector: { 'slot.failover': 'true' },
    plant: async () => {
      await database.query("SELECT pg_create_physical_replication_slot('stopped')");
      await database.query("ALTER SYSTEM SET synchronized_standby_slots = 'stopped, gone'");
      await database.query('SELECT pg_reload_conf()');
    },
    found: ['error PG_STANDBY_SLOT'],
  },
];

test.each(FAULTS)('$title', async ({ found, cures = [], remains = [], settings, connector, restarts, plant }) => {
  await start(settings);
  const overrides = { ...connector, ...(await plant?.()) };
  const findings = await diagnose(database, overrides);
  expect(codes(findings)).toEqual(found);
  expect(JSON.stringify(findings)).not.toContain('top-secret');
  expect(findings.some(({ cure: text = '' }) => text.includes('restart the server'))).toBe(restarts === true);
  for (const text of cures) expect(findings.map((finding) => finding.cure).join()).toContain(text);
  await cure(findings, database.url);
  if (restarts) await restart();
  // What the last statement of the role's finding advises.
  const after = findings.some(({ cure: text = '' }) => text.includes('autocreate.mode=disabled')) ? DISABLED : {};
  expect(codes(await diagnose(database, { ...overrides, ...after }))).toEqual(remains);
});

test('a standby whose primary may remove rows that its slots need, and a primary that waits for another one', async () => {
  await start({});
  const standby = await startStandby(server, { hot_standby_feedback: 'off' });
  try {
    const { hostname, port } = new URL(standby.url);
    const overrides = { ...DISABLED, 'database.hostname': hostname, 'database.port': port };
    await database.query(`CREATE PUBLICATION pub_${database.name} FOR TABLE todos`);
    await waitFor(
      'the standby to have it',
      async () =>
        !codes(await diagnose(database, overrides))
          .join()
          .includes('error'),
    );
    const findings = await diagnose(database, overrides);
    expect(codes(findings)).toEqual(['warning PG_STANDBY']);
    await cure(findings, standby.url);
    await waitFor('the setting to be read', async () => (await diagnose(database, overrides)).length === 0);
    // What the tables and the role lack can only be changed on the primary.
    await database.query('CREATE TABLE keyless (id int)');
    const lacking = { ...overrides, ...(await login(database)), 'table.include.list': 'public.(todos|keyless)' };
    const expected = ['PG_ROLE_REPLICATION', 'PG_REPLICA_IDENTITY', 'PG_PRIVILEGE', 'PG_PUBLICATION_TABLES'];
    await waitFor('the standby to have them', async () => (await diagnose(database, lacking)).length === 4);
    const onPrimary = await diagnose(database, lacking);
    expect(onPrimary.map(({ code }) => code)).toEqual(expected);
    for (const { cure: text } of onPrimary) expect(text).toContain('on the primary');
    await cure(onPrimary, database.url);
    await waitFor('the standby to have it', async () => (await diagnose(database, lacking)).length === 0);
    // The connected standby stays in the setting of the primary.
    await database.query("ALTER SYSTEM SET synchronized_standby_slots = 'standby, gone'");
    await database.query('SELECT pg_reload_conf()');
    const failover = { ...DISABLED, 'slot.failover': 'true' };
    await waitFor('the primary to read it', async () => (await diagnose(database, failover)).length > 0);
    const waiting = await diagnose(database, failover);
    expect(codes(waiting)).toEqual(['error PG_STANDBY_SLOT']);
    expect(waiting[0]?.message).toContain('not connected: gone of');
    await cure(waiting, database.url);
    await waitFor('the primary to read it', async () => (await diagnose(database, failover)).length === 0);
    expect(await database.query('SHOW synchronized_standby_slots')).toEqual([
      { synchronized_standby_slots: 'standby' },
    ]);
  } finally {
    await standby.stop();
  }
});
