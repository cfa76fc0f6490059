/** The versions of Node.js that CI runs the tests on, fetched once from the registry into the cache. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { readJson } from 'fs-extra';
import { keptDownload } from './kept-download';
import { cacheFolder, ROOT } from './paths';

const run = promisify(execFile);
const MANIFEST = join(ROOT, 'dev', 'node-versions');
/** Each of them is a package for one platform, at one version, held by its hash. */
const FILES = ['package.json', 'package-lock.json', '.npmrc'];

export interface NodeVersion {
  /** `24`. */
  readonly line: string;
  /** `v24.21.0`: what it calls itself. */
  readonly version: string;
  /** For whoever is to run with it: its folder comes first in the search path. */
  readonly env: NodeJS.ProcessEnv;
}

/** The lines that are tested, oldest first. */
export async function testedLines(): Promise<string[]> {
  const { optionalDependencies } = (await readJson(join(MANIFEST, 'package.json'))) as {
    optionalDependencies: Record<string, string>;
  };
  return [...new Set(Object.keys(optionalDependencies).map((name) => /^node-(\d+)-/.exec(name)?.[1] as string))].sort();
}

/** Downloads some 200 MB the first time. A platform without packages has none: the map is empty there. */
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
      await run('npm', ['ci'], { cwd: partial, env: outsideOfScripts(process.env) });
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

/** What `npm run` tells its scripts would make npm work on this repository. */
function outsideOfScripts(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_/i.test(name)));
}
