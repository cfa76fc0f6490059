/** Builds the jars of the Java host into its package, once for each state of their sources. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { remove } from 'fs-extra';
import { findJava } from './kafka-jars';
import { keptDownload } from './kept-download';
import { ROOT } from './paths';

const run = promisify(execFile);

const SOURCES = join(ROOT, 'packages', 'java-host', 'java');
const JARS = join(ROOT, 'packages', 'java-host', 'jars');
const WHAT = 'The Java host';

export function hasJavaHost(): boolean {
  return existsSync(join(JARS, 'api'));
}

/**
 * Resolves with the folder of the jars. Needs a JDK and Maven, and downloads about 25 MB the first time; several
 * processes may call it at once.
 */
export async function builtJavaHost(): Promise<string> {
  return await keptDownload({
    folder: JARS,
    mark: { file: 'sources.sha256', text: await hashOfSources() },
    fill: async (folder) => {
      await findJava(WHAT, '');
      const target = join(folder, 'target');
      await maven(['-Dmaven.test.skip=true', `-Djars=${folder}`, `-Dtarget=${target}`, 'package']);
      await remove(target);
    },
  });
}

/** Runs Maven on the host's sources. Resolves with what it prints. */
export async function maven(args: readonly string[]): Promise<string> {
  const options = ['-B', '-ntp', '-Dstyle.color=never', '-f', join(SOURCES, 'pom.xml')];
  try {
    return (await run('mvn', [...options, ...args], { maxBuffer: 64 << 20 })).stdout;
  } catch (error) {
    const { code, stdout = '' } = error as { code?: unknown; stdout?: string };
    throw new Error(
      code === 'ENOENT'
        ? `${WHAT} is built with Maven, and \`mvn\` is not installed: install it (Debian: maven).`
        : `Maven could not build the Java host:\n${errorsOf(stdout)}`,
      { cause: error },
    );
  }
}

function errorsOf(output: string): string {
  const lines = output.split('\n').filter((line) => /ERROR|FAIL/.test(line));
  return (lines.length > 0 ? lines.join('\n') : output).slice(0, 8000);
}

async function hashOfSources(): Promise<string> {
  const main = join(SOURCES, 'src', 'main');
  const files = readdirSync(main, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const file of [join(SOURCES, 'pom.xml'), ...files])
    hash.update(`${relative(SOURCES, file)}\n`).update(await readFile(file));
  return hash.digest('hex');
}
