/** Packs the packages for npm. Requires a build. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { emptyDir, readJson, remove } from 'fs-extra';
import { hasJavaHost } from '../services/java-host';
import { ROOT } from '../services/paths';
import { withoutNpmVariables } from '../services/npm-environment';

const run = promisify(execFile);

/**
 * Folders of the packages that users install, relative to the repository. `.` is the worker. Without the Java host's if
 * its jars are not built, because only machines with a JDK and Maven can.
 */
export function publishedPackages(): string[] {
  const inFolder = (folder: string) =>
    readdirSync(join(ROOT, folder))
      .sort()
      .map((name) => `${folder}/${name}`);
  const packages = inFolder('packages').filter((path) => path !== 'packages/java-host' || hasJavaHost());
  return ['.', ...packages, ...inFolder('connectors')];
}

/** Empties the folder and fills it with one tarball for each package. Resolves to their paths. */
export async function packPackages(folder: string): Promise<string[]> {
  const packages = publishedPackages();
  for (const path of packages) await removeStaleOutput(join(ROOT, path));
  await emptyDir(folder);
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  await run('npm', [...args, ...packages.map((path) => `./${path}`)], {
    cwd: ROOT,
    env: withoutNpmVariables(process.env),
  });
  return await Promise.all(
    packages.map(async (path) => {
      const { name, version } = (await readJson(join(ROOT, path, 'package.json'))) as Record<string, string>;
      const tarball = join(folder, `${name?.replace('@', '').replace('/', '-')}-${version}.tgz`);
      if (!existsSync(tarball)) throw new Error(`npm pack did not write ${tarball}.`);
      return tarball;
    }),
  );
}

/** The compiler leaves the output of deleted and renamed sources in `dist`, which would be packed. */
async function removeStaleOutput(folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  if (!existsSync(dist)) throw new Error(`${dist} does not exist: run "npm run build" first.`);
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    // Bundles have many sources, and their builds remove older ones.
    if (path.startsWith(`ui${sep}`) || path.endsWith('.bundle.js')) continue;
    const [, source] = /^(.*?)(?:\.d\.ts|\.js|\.js\.map)$/.exec(path) ?? [];
    if (source !== undefined && !['.ts', '.tsx'].some((end) => existsSync(join(folder, 'src', source + end))))
      await remove(join(dist, path));
  }
}
