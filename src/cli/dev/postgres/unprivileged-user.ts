/** PostgreSQL refuses to run as root. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * For root, the user `postgres` if it exists, otherwise `nobody`, which exists everywhere. Undefined if this process is
 * not root.
 */
export async function unprivilegedUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // No such user: try the next one.
    }
  }
  throw new Error('PostgreSQL cannot run as root and there is neither a user `postgres` nor `nobody`.');
}
