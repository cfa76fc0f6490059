/**
 * The PostgreSQL of a data folder: started by the first worker with `--seed`, used by the others. It ends with the
 * worker that started it, however that ends.
 */
import { execFile, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isConnectError, monotonicNow, sleep } from '@millrace/sdk';
import { KeptProcess } from '../kept-process';
import { answers, databaseUrl, serverFile, type ServerFile } from './database';
import { type FetchOptions, postgresError } from './fetched-package';
import { findPrograms, unprivilegedUser, type User } from './programs';

/** For the server to start, or for an earlier one on the same data to stop. Recovery after a crash takes seconds. */
const START_MS = 60_000;
const INITDB_MS = 120_000;
const RETRY_MS = 50;
const PASSWORD_REFUSED = '28P01';

export interface OpenPostgres extends ServerFile {
  /** With the password. */
  readonly url: string;
  /** Does nothing if another process started the server. */
  stop(): Promise<void>;
}

export interface OpenOptions extends Omit<FetchOptions, 'fetch'> {
  /** Absolute; created if missing. */
  readonly folder: string;
  /** (Default: this one) */
  readonly platform?: NodeJS.Platform;
}

/** Rejects with `DEV_POSTGRES`, or with the signal's reason. */
export async function openPostgres(options: OpenOptions): Promise<OpenPostgres> {
  const { folder, progress, signal, platform = process.platform } = options;
  if (platform === 'win32')
    throw postgresError(
      '--seed is not available on Windows: run it in WSL, or register a connector for a database of your own.',
    );
  const user = await unprivilegedUser();
  const file = await prepareFolder(folder, user);
  const url = databaseUrl(file);
  const data = join(folder, 'data');
  for (const end = monotonicNow() + START_MS; ;) {
    signal.throwIfAborted();
    // Only a server on this data may get the password.
    if (isHeld(data) && (await answers(url).catch(() => false))) return { ...file, url, stop: async () => undefined };
    const programs = await findPrograms({ ...options, user, wanted: firstNumber(join(data, 'PG_VERSION')) });
    if (!fs.existsSync(data)) {
      progress(`Creating a PostgreSQL ${programs.major} database in ${data}`);
      await createData(programs.bin, data, file.password, user);
    }
    const server = run(programs.bin, data, file, user);
    const log = await started(server, url, end, signal);
    if (log === null) return { ...file, url, stop: async () => void (await server.stop()) };
    await server.stop();
    signal.throwIfAborted();
    // The server of a killed worker is still stopping, or another worker is starting one.
    const isBusy = /lock file "[^"]*postmaster\.pid" already exists|pre-existing shared memory block/.test(log);
    if (!isBusy || monotonicNow() >= end) throw startError(log, folder, file);
    await sleep(RETRY_MS * 4, signal);
  }
}

async function prepareFolder(folder: string, user: User | undefined): Promise<ServerFile> {
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    admit(folder, user);
    return await serverFile(folder);
  } catch (cause) {
    if (isConnectError(cause)) throw cause;
    throw postgresError(
      `The data folder ${folder} cannot be used: ${(cause as Error).message}. Choose another with --data-dir.`,
      cause,
    );
  }
}

/** Lets the user that runs PostgreSQL for root reach the folder, and no other user. */
function admit(folder: string, user: User | undefined): void {
  if (!user) return;
  const { uid, gid, name } = user;
  const reaches = () => spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { uid, gid, cwd: '/' }).status === 0;
  // Only folders that no user but root can use yet, such as those that the broker creates.
  for (const path of [dirname(folder), folder]) {
    if (reaches() || (fs.statSync(path).mode & 0o077) !== 0) continue;
    fs.chownSync(path, 0, gid);
    fs.chmodSync(path, 0o710);
  }
  if (reaches()) return;
  throw postgresError(
    `PostgreSQL cannot run as root, and the user ${name}, which runs it instead, cannot access ${folder}: run millrace as another user, or choose a folder that all users can reach, e.g. --data-dir /tmp/millrace.`,
  );
}

/**
 * Creates a data folder for the superuser `postgres`, who logs in with the password. In one step: a folder of an
 * interrupted attempt is not used.
 */
export async function createData(bin: string, data: string, password: string, user: User | undefined): Promise<void> {
  const folder = fs.mkdtempSync(`${data}.new-`);
  const passwordFile = join(folder, 'password');
  const fresh = join(folder, 'data');
  const args = ['-D', fresh, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  args.push('--encoding=UTF8', '--locale=C', '--no-sync');
  try {
    fs.writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    if (user) for (const path of [folder, passwordFile]) fs.chownSync(path, user.uid, user.gid);
    const options = { cwd: '/', timeout: INITDB_MS, env: { ...process.env, LC_ALL: 'C' }, ...user };
    await promisify(execFile)(join(bin, 'initdb'), args, options);
    fs.renameSync(fresh, data);
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string };
    // Another worker was faster.
    if (!fs.existsSync(join(data, 'PG_VERSION')))
      throw postgresError(`PostgreSQL cannot create its data folder ${data}: ${(stderr || message).trim()}`, error);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function run(bin: string, data: string, { port }: ServerFile, user: User | undefined): KeptProcess {
  const folder = fs.mkdtempSync(join(tmpdir(), 'millrace-postgres-'));
  if (user) fs.chownSync(folder, user.uid, user.gid);
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    wal_level: 'logical',
    max_wal_senders: 20,
    max_replication_slots: 20,
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  return new KeptProcess({
    command: join(bin, 'postgres'),
    args: ['-D', data, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    folder,
    signal: 'INT',
    user,
    env: { ...process.env, LC_ALL: 'C' },
  });
}

/** Null once the server accepts queries; its log if it has ended or takes too long. */
async function started(server: KeptProcess, url: string, end: number, signal: AbortSignal): Promise<string | null> {
  while (server.exitCode === undefined && monotonicNow() < end && !signal.aborted) {
    // A stranger on the port answers something else; then the server ends and its log says why.
    const ready = await answers(url).catch((error: Error & { code?: string }) => error);
    if (ready === true && server.exitCode === undefined) return null;
    if (ready instanceof Error && ready.code === PASSWORD_REFUSED) return ready.message;
    await sleep(RETRY_MS, signal).catch(() => undefined);
  }
  return server.log();
}

function startError(log: string, folder: string, { port }: ServerFile): Error {
  if (/Address already in use|could not bind/.test(log))
    return postgresError(
      `PostgreSQL cannot start: port ${port} of 127.0.0.1, which the connectors use, is in use by another program. End that program, or remove ${folder} and start over.`,
    );
  if (/password authentication failed/.test(log))
    return postgresError(
      `The database in ${folder} does not accept the password in server.json: remove the folder to start over.`,
    );
  const last = log.trim().split('\n').slice(-3).join(' ').slice(-500);
  return postgresError(`PostgreSQL did not start on the data folder ${join(folder, 'data')}: ${last}`);
}

/** Whether a server that runs now has opened the data folder. */
function isHeld(data: string): boolean {
  const pid = firstNumber(join(data, 'postmaster.pid'));
  try {
    return pid !== null && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Null without such a file. */
function firstNumber(file: string): number | null {
  try {
    return Number.parseInt(fs.readFileSync(file, 'utf8'), 10);
  } catch {
    return null;
  }
}
