/** Tests that need server settings which would disturb other tests, on a dedicated server. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceOffset } from '@millrace/sdk';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, ops, taskConfig } from './harness';

/** Each role may log in only by the method in its name. */
const LOGINS = `
host all login_md5      127.0.0.1/32 md5
host all login_scram    127.0.0.1/32 scram-sha-256
host all login_password 127.0.0.1/32 password
host all login_trust    127.0.0.1/32 trust
host all postgres       127.0.0.1/32 scram-sha-256
`;

let folder: string;
let server: RunningPostgres;
let database: TestDatabase;
let run: TaskRun | null = null;

beforeAll(async () => {
  // The server may run as another user.
  folder = await mkdtemp(join(tmpdir(), 'millrace-hba-'));
  await chmod(folder, 0o755);
  const logins = join(folder, 'pg_hba.conf');
  await writeFile(logins, LOGINS, { mode: 0o644 });
  const settings = { hba_file: logins, max_prepared_transactions: '10', max_slot_wal_keep_size: '16MB' };
  server = await startPostgres({ settings });
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)', { server: server.url });
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const ids = (): number[] => (run?.records ?? []).map((record) => record.key.id);

describe('cdc-postgres 13: logins', () => {
  // Characters that SASLprep, MD5 and connection strings each treat differently.
  const PASSWORD = String.raw`Grüße '"\ %40 ñ`;

  test.each([
    ['md5', 'md5'],
    ['scram', 'scram-sha-256'],
    ['password', 'scram-sha-256'],
    ['trust', 'scram-sha-256'],
  ])('%s: snapshot and stream; a wrong password is final', async (method, encryption) => {
    const role = `login_${method}`;
    await database.query(
      `SET password_encryption = '${encryption}'; CREATE ROLE ${role} LOGIN REPLICATION PASSWORD '${PASSWORD.replaceAll("'", "''")}';
       GRANT SELECT ON t TO ${role}; CREATE PUBLICATION p FOR TABLE t; INSERT INTO t VALUES (1)`,
    );
    try {
      const config = taskConfig(database, {
        'database.user': role,
        'database.password': PASSWORD,
        'publication.name': 'p',
        'publication.autocreate.mode': 'disabled',
      });
      run = await TaskRun.start(config);
      await run.count(1);
      await database.query('INSERT INTO t VALUES (2)');
      await run.count(2);
      expect(ids()).toEqual([1, 2]);
      if (method === 'trust') return;
      const wrong = { ...config, 'database.password': `${PASSWORD} ` };
      await expect(TaskRun.start(wrong)).rejects.toMatchObject({ code: 'PG_AUTHENTICATION', retriable: false });
    } finally {
      await run?.stop();
      await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });
});

test.each([
  ['sent at its commit', {}],
  ['sent when it is prepared', { 'pgoutput.two.phase': 'true' }],
  ['sent while it runs', { 'pgoutput.two.phase': 'true', 'pgoutput.streaming': 'on' }],
])('cdc-postgres 91: a two-phase transaction that is %s arrives once, at COMMIT PREPARED', async (_, settings) => {
  await database.query(`ALTER DATABASE ${database.name} SET logical_decoding_work_mem = '64kB'`);
  const config = taskConfig(database, { 'snapshot.mode': 'no_data', ...settings });
  run = await TaskRun.start(config);
  await database.query(
    "BEGIN; INSERT INTO t VALUES (1); SAVEPOINT s; INSERT INTO t VALUES (100); ROLLBACK TO s; INSERT INTO t VALUES (2); PREPARE TRANSACTION 'kept'",
  );
  await database.query("BEGIN; INSERT INTO t SELECT generate_series(101, 3000); PREPARE TRANSACTION 'dropped'");
  await database.query('INSERT INTO t VALUES (3)');
  await run.count(1);
  await run.nothingMore();
  expect(ids()).toEqual([3]);
  // Prepared before the stored position, committed after it: the slot still holds it.
  const offset = run.commitUpTo();
  await run.stop();
  run = await TaskRun.start(config, offset);
  await database.query("COMMIT PREPARED 'kept'");
  await database.query("ROLLBACK PREPARED 'dropped'");
  await database.query('INSERT INTO t VALUES (4)');
  await run.count(3);
  expect(ids()).toEqual([1, 2, 4]);
  const inside = run.records[0]?.sourceOffset ?? null;
  await run.stop();
  run = await TaskRun.start(config, inside);
  await run.count(2);
  await run.nothingMore();
  expect(ids()).toEqual([2, 4]);
});

test('cdc-postgres 91: prepared transactions that are open hold the slot, also when a heartbeat would confirm more', async () => {
  const config = taskConfig(database, {
    'snapshot.mode': 'no_data',
    'pgoutput.two.phase': 'true',
    'heartbeat.interval.ms': '1',
  });
  run = await TaskRun.start(config);
  await database.query("BEGIN; INSERT INTO t VALUES (1), (2), (3); PREPARE TRANSACTION 'first'");
  await database.query("BEGIN; INSERT INTO t VALUES (11); PREPARE TRANSACTION 'second'");
  await database.query('INSERT INTO t VALUES (4)');
  const isRow = ({ key }: { key: { id?: number } }): boolean => key.id !== undefined;
  const rows = (): number[] => (run?.records ?? []).filter(isRow).map(({ key }) => key.id);
  let offset = await restartAfterHeartbeat(1);
  expect(offset.prepared_lsn).toBeLessThan(Number(offset.lsn_commit));
  // Twice: the second start has only what the first one stored before it received anything of its own.
  await restartAfterHeartbeat(0);
  await database.query("COMMIT PREPARED 'first'");
  await run.until(() => rows().length === 3);
  expect(rows()).toEqual([1, 2, 3]);
  offset = run.commitUpTo(run.records.findIndex(({ key }) => key.id === 2));
  await run.stop();
  run = await TaskRun.start(config, offset);
  await database.query("ROLLBACK PREPARED 'second'");
  await database.query('INSERT INTO t VALUES (5)');
  await run.until(() => rows().includes(5));
  expect(rows()).toEqual([3, 5]);
  await run.until((records) => records.at(-1)?.key.id === undefined);
  expect(run.lastOffset.prepared_lsn).toBeUndefined();

  /** Stores the offset of the heartbeat after the rows, and starts there. */
  async function restartAfterHeartbeat(count: number): Promise<SourceOffset> {
    const task = run as TaskRun;
    await task.until((records) => rows().length === count && records.length > 2 && !isRow(records.at(-1) as never));
    const stored = task.commitUpTo();
    await task.stop();
    run = await TaskRun.start(config, stored);
    return stored;
  }
});

describe('cdc-postgres 80: max_slot_wal_keep_size exceeded', () => {
  const lost = {
    code: 'PG_SLOT_LOST',
    retriable: false,
    message: expect.stringMatching(
      /^Replication slot "\S+" is lost \(.+\): the server removed changes that were not read yet\..*max_slot_wal_keep_size/,
    ),
  };
  /** Writes WAL until the server invalidates the slot. */
  async function loseSlot(): Promise<void> {
    await waitFor('the slot to be given up', async () => {
      await database.query("SELECT pg_switch_wal(), pg_logical_emit_message(false, 'test', 'x')");
      await database.query('CHECKPOINT');
      return (await database.slots())[0]?.wal_status === 'lost';
    });
  }

  test('while streaming, with nothing stored: the task fails at once', async () => {
    run = await TaskRun.start(taskConfig(database));
    await database.query('INSERT INTO t VALUES (1)');
    await run.count(1);
    await loseSlot();
    await expect(run.until(() => false)).rejects.toMatchObject(lost);
  });

  test('a preview names the lost slot that a start would replace, and leaves it', async () => {
    const config = taskConfig(database, { 'snapshot.mode': 'when_needed' });
    run = await TaskRun.start(config);
    await database.query('INSERT INTO t VALUES (1)');
    await run.count(1);
    const offset = run.commitUpTo();
    await run.stop();
    await database.query('INSERT INTO t VALUES (2)');
    await loseSlot();
    run = await TaskRun.start(config, offset, undefined, false, true);
    await run.count(2);
    const warnings = run.log.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings).toEqual([
      expect.stringMatching(/is lost \(.+\)\. A start drops it, creates another, and takes a new snapshot\.$/),
      expect.stringMatching(/^PG_POSITION_LOST: .* does not exist, or is lost\./),
    ]);
    await run.stop();
    expect((await database.slots()).map(({ slot_name: name }) => name)).toContain(database.slot);
  });

  test('while stopped: the start fails; when_needed replaces the slot and takes a new snapshot', async () => {
    run = await TaskRun.start(taskConfig(database));
    await database.query('INSERT INTO t VALUES (1)');
    await run.count(1);
    const offset = run.commitUpTo();
    await run.stop();
    await database.query('INSERT INTO t VALUES (2)');
    await loseSlot();
    await expect(TaskRun.start(taskConfig(database), offset)).rejects.toMatchObject(lost);
    run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'when_needed' }), offset);
    await database.query('INSERT INTO t VALUES (3)');
    await run.count(3);
    expect([ids(), ops(run.records)]).toEqual([
      [1, 2, 3],
      ['r', 'r', 'c'],
    ]);
    expect(run.log).toContainEqual({ level: 'warn', message: expect.stringMatching(/slot "\S+" is lost \(.+\)/) });
  });
});
