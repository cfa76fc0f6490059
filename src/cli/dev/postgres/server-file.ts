/** Port and password of the database in a data folder, kept across restarts. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

export interface ServerFile {
  /** On 127.0.0.1. */
  readonly port: number;
  readonly password: string;
}

/** Below the ports that systems give to outgoing connections. */
const FIRST = 15_000;
const COUNT = 5_000;

/** Null if the folder has none. */
export function readServerFile(folder: string): ServerFile | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')) as ServerFile;
  } catch {
    return null;
  }
}

/** The existing one, or a new one with a free port. Only this user can read it. */
export async function serverFile(folder: string): Promise<ServerFile> {
  const existing = readServerFile(folder);
  if (existing) return existing;
  const created = { port: await freePort(folder), password: randomBytes(18).toString('base64url') };
  try {
    writeFileSync(join(folder, 'server.json'), `${JSON.stringify(created)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // Another worker has created it.
    const other = readServerFile(folder);
    if (!other) throw error;
    return other;
  }
  return created;
}

/** For the superuser `postgres` and the database `postgres`. */
export function databaseUrl({ port, password }: ServerFile): string {
  return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
}

/** Begins at a port of the folder's own, so that the databases of two folders rarely want the same one. */
async function freePort(folder: string): Promise<number> {
  const own = createHash('sha256').update(folder).digest().readUInt32BE() % COUNT;
  for (let tried = 0; tried < COUNT; tried++) {
    const port = FIRST + ((own + tried) % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of the ports ${FIRST} to ${FIRST + COUNT - 1} of 127.0.0.1 is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
