/** A file system of a few kilobytes for tests of full disks: a tmpfs that is removed with the process that holds it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OWN_MOUNTS = ['--user', '--map-root-user', '--mount'];

/** Works without privileges on most Linux systems, and only there. */
export const canMountSmallDisk =
  process.platform === 'linux' &&
  spawnSync('unshare', [...OWN_MOUNTS, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
if (!canMountSmallDisk)
  process.stderr.write('SKIPPED: no file system may be mounted here: full disks are not tried.\n');

export interface SmallDisk {
  readonly folder: string;
  stop(): Promise<void>;
}

export async function startSmallDisk(kilobytes: number): Promise<SmallDisk> {
  const place = mkdtempSync(join(tmpdir(), 'millrace-disk-'));
  const script = `mount -t tmpfs -o size=${kilobytes}k tmpfs "$1" && echo mounted && exec cat`;
  const holder = spawn('unshare', [...OWN_MOUNTS, 'sh', '-c', script, 'sh', place], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(holder, 'exit');
  await Promise.race([
    once(holder.stdout, 'data'),
    ended.then(() => Promise.reject(new Error('The small disk could not be mounted'))),
  ]);
  return {
    // The mount exists only in the holder's namespace.
    folder: `/proc/${holder.pid}/root${place}`,
    stop: async () => {
      holder.stdin.end();
      await ended;
      rmdirSync(place);
    },
  };
}
