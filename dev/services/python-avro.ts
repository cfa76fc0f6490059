/** Python's fastavro and confluent-kafka, fetched into the cache. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { remove } from 'fs-extra';
import { keptDownload } from './kept-download';
import { cacheFolder } from './paths';
import { pipDownload } from './python-packages';

const PACKAGES = [
  ['fastavro', '1.13.1'],
  ['confluent-kafka', '2.16.1'],
] as const;

/** Downloads 9 MB the first time. Resolves with a folder for `PYTHONPATH`. */
export async function fetchPythonAvro(): Promise<string> {
  // The packages have code that is compiled for one version of Python.
  const { stdout } = await promisify(execFile)('python3', ['-c', 'import sys; print(sys.implementation.cache_tag)']);
  const version = [stdout.trim(), ...PACKAGES.map((pair) => pair.join('-'))].join('_');
  return await keptDownload({
    folder: join(cacheFolder(), 'python-avro'),
    mark: { file: 'version', text: version },
    fill: async (partial) => {
      for (const [name, wanted] of PACKAGES) await pipDownload(name, wanted, partial);
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
