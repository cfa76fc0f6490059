/** Packages of the Python Package Index, as their wheels: archives that need no installation. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Null if Python can download packages, otherwise a sentence that says how to install it. */
export function whyNoPip(): string | null {
  return spawnSync('python3', ['-m', 'pip', '--version']).status === 0
    ? null
    : 'Python with pip does not run on this machine: install it (Debian: apt-get install python3-pip).';
}

/** @param more for a package with compiled code: the platform and the version of Python that it is for */
export async function pipDownload(
  name: string,
  version: string,
  folder: string,
  more: readonly string[] = [],
): Promise<void> {
  const options = ['--quiet', '--no-deps', '--only-binary', ':all:', '--dest', folder, ...more];
  await run('python3', ['-m', 'pip', 'download', ...options, `${name}==${version}`]);
}
