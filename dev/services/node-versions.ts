/** Downloads the Node.js versions that CI runs the tests on from the npm registry into the cache, once. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { readJson } from 'fs-extra';
import { keptDownload } from './kept-download';
import { withoutNpmVariables } from './npm-environment';
import { cacheFolder, ROOT } from './paths';

const run = promisify(execFile);
const MANIFEST = join(ROOT, 'dev', 'node-versions');
/** Each dependency is a package for one platform, pinned by version and hash. */
const FILES = ['package.json', 'package-lock.json', '.npmrc'];

export interface NodeVersion {
  /** `24`. */
  readonly line: string;
  /** `v24.21.0`, as `node --version` prints it. */
  readonly version: string;
  /** Environment for processes on this version: its folder comes first in PATH. */
  readonly env: NodeJS.ProcessEnv;
}

/** The tested release lines, oldest first. */
export async function testedLines(): Promise<string[]> {
  const { optionalDependencies } = (await readJson(join(MANIFEST, 'package.json'))) as {
    optionalDependencies: Record<string, string>;
  };
  return [...new Set(Object.keys(optionalDependencies).map((name) => /^node-(\d+)-/.exec(name)?.[1] as string))].sort();
}

/** Downloads about 200 MB the first time. Empty on a platform without packages. */
export async function nodeVersions(): Promise<ReadonlyMap<string, NodeVersion>> {
  const platform = `${process.platform}-${process.arch}`;
  const lock = await readFile(join(MANIFEST, 'package-lock.json'), 'utf8');
  const versions = new Map<string, NodeVersion>();
  if (!lock.includes(`"node-${platform}"`)) return versions;
  const folder = await keptDownload({
    folder: join(cacheFolder(), 'node-versions', platform),
    mark: { file: 'lock.sha256', text: createHash('sha256').update(lock).digest('hex') },
    fill: async (partial) => {
      await Promise.all(FILES.map(async (file) => await cp(join(MANIFEST, file), join(partial, file))));
      await run('npm', ['ci'], { cwd: partial, env: withoutNpmVariables(process.env) });
    },
  });
  for (const line of await testedLines()) {
    const bin = join(folder, 'node_modules', `node-${line}-${platform}`, 'bin');
    const { stdout } = await run(join(bin, 'node'), ['--version']);
    const version = stdout.trim();
    if (!version.startsWith(`v${line}.`)) throw new Error(`${bin} has Node ${version} instead of ${line}.`);
    versions.set(line, { line, version, env: { PATH: bin + delimiter + (process.env['PATH'] ?? '') } });
  }
  return versions;
}
