/** Creates PostgreSQL's data folder. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { User } from './unprivileged-user';

const run = promisify(execFile);
const LIMIT_MS = 120_000;

/** For the superuser `postgres`, who logs in with the password in a file. */
export async function initdb(bin: string, data: string, passwordFile: string, user: User | undefined): Promise<void> {
  const args = ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  args.push('--encoding=UTF8', '--locale=C', '--no-sync');
  const ids = user && { uid: user.uid, gid: user.gid };
  const env = { ...process.env, LC_ALL: 'C' };
  await run(join(bin, 'initdb'), args, { cwd: '/', timeout: LIMIT_MS, env, ...ids }).catch(
    (error: Error & { stderr?: string }) => {
      throw new Error(`initdb failed: ${error.stderr || error.message}`, { cause: error });
    },
  );
}
