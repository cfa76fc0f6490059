import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The path of one of PostgreSQL's client programs, on PATH or where Debian has them; undefined: not installed. */
export function findPostgresProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(':');
  const debian = '/usr/lib/postgresql';
  if (existsSync(debian)) folders.push(...readdirSync(debian).map((version) => join(debian, version, 'bin')));
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}
