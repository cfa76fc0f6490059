/**
 * Copies the data of a server started by `startPostgres` while it runs, as a snapshot of its disk does, and runs the
 * copy: the same cluster and timeline, with its slots, in an earlier state.
 */
import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { unprivilegedUser } from '../../src/cli/verbs/dev/postgres/programs';
import { freePort } from './free-port';
import { serve, settingsText, type OwnPostgres, type RunningPostgres } from './postgres';
import { reachablePostgresFolder } from './postgres-binaries';

const run = promisify(execFile);

export interface PostgresCopy {
  /** Once. Resolves when the copy accepts queries; it recovers to the end of the WAL that was copied. */
  start(): Promise<OwnPostgres>;
  /** Removes a copy that is not started. */
  discard(): Promise<void>;
}

export async function copyPostgres(server: RunningPostgres): Promise<PostgresCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-copy-'));
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
    const from = (rows[0] as { folder: string }).folder;
    await client.query("SELECT pg_backup_start('copy', true)");
    const names = (await readdir(from)).filter((name) => !name.startsWith('postmaster.') && name !== 'pg_wal');
    // Files that vanish meanwhile are none that a backup needs.
    await run('cp', ['-a', ...names.map((name) => join(from, name)), data]).catch(() => undefined);
    const { rows: stopped } = await client.query<{ label: string }>(
      'SELECT labelfile AS label FROM pg_backup_stop(false)',
    );
    await run('cp', ['-a', join(from, 'pg_wal'), data]).catch(() => undefined);
    await writeFile(join(data, 'backup_label'), (stopped[0] as { label: string }).label);
  } finally {
    await client.end();
  }
  return {
    discard: async () => await rm(folder, { recursive: true, force: true }),
    start: async () => {
      const user = await unprivilegedUser();
      const port = await freePort();
      await appendFile(join(data, 'postgresql.conf'), settingsText({ port: String(port) }));
      await chmod(folder, 0o755);
      if (user) for (const path of [folder, data, join(data, 'backup_label')]) await chown(path, user.uid, user.gid);
      const programs = join(reachablePostgresFolder(user, join(folder, 'native')), 'bin');
      return await serve({ folder, data, programs, port, user });
    },
  };
}
