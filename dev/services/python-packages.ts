/** Packages of the Python Package Index, as their wheels: archives that need no installation. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { remove } from 'fs-extra';
import { keptDownload } from './kept-download';
import { cacheFolder } from './paths';

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

/** Resolves with a folder for `PYTHONPATH`, which is filled the first time. */
export async function unpackedWheels(
  folder: string,
  packages: readonly (readonly [name: string, version: string])[],
): Promise<string> {
  // Some packages have code that is compiled for one version of Python.
  const { stdout } = await run('python3', ['-c', 'import sys; print(sys.implementation.cache_tag)']);
  const version = [stdout.trim(), ...packages.map((pair) => pair.join('-'))].join('_');
  return await keptDownload({
    folder: join(cacheFolder(), folder),
    mark: { file: 'version', text: version },
    fill: async (partial) => {
      for (const [name, wanted] of packages) await pipDownload(name, wanted, partial);
      for (const wheel of await readdir(partial)) await unpack(join(partial, wheel), partial);
    },
  });
}

async function unpack(wheel: string, folder: string): Promise<void> {
  for (const [name, content] of Object.entries(unzipSync(await readFile(wheel)))) {
    if (name.endsWith('/')) continue;
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await remove(wheel);
}
