/** The files of the console, as `npm run build` writes them. Read on the first request, and kept compressed. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { RestError } from '../http/rest-error';

export interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  /** The name contains the hash of the content. */
  readonly isHashed: boolean;
  readonly gzipped: Buffer;
  /** For clients that do not accept gzip. */
  plain(): Promise<Buffer>;
}

/** By name. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

export const INDEX = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
const HASHED = /-[A-Z0-9]{8}\.(?:js|css)$/;

// In a thread of libuv's.
const compress = promisify(gzip);
const decompress = promisify(gunzip);

async function consoleFile(folder: string, name: string): Promise<ConsoleFile> {
  const bytes = await readFile(join(folder, name));
  const gzipped = await compress(bytes, { level: 9 });
  return {
    type: TYPES[extname(name)] ?? 'text/plain; charset=utf-8',
    // Weak: the same for the compressed bytes.
    etag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    isHashed: HASHED.test(name),
    gzipped,
    plain: async () => await decompress(gzipped),
  };
}

/** Rejects if the folder has no console, or the package is missing. */
async function readConsole(folder = dirname(require.resolve('@millrace/console'))): Promise<ConsoleFiles> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  if (!names.includes(INDEX)) throw new Error(`${folder} has no ${INDEX}`);
  return new Map(await Promise.all(names.map(async (name) => [name, await consoleFile(folder, name)] as const)));
}

/** Reads the folder (default: the package's) once; after a failure, again on the next call. */
export function consoleFiles(folder?: string): () => Promise<ConsoleFiles> {
  let files: Promise<ConsoleFiles> | null = null;
  return async () => {
    const reading = (files ??= readConsole(folder));
    try {
      return await reading;
    } catch (cause) {
      files = null;
      throw new RestError(404, 'The files of the console are missing; install this version of Millrace again', {
        cause,
      });
    }
  };
}
