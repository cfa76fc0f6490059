/** Compiles a Java plugin of a test into a folder of a `plugin.path`. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { javaConnectJars } from '../../dev/services/java-connect-jars';

const run = promisify(execFile);

export interface CompiledPlugin {
  /** For `plugin.path`. */
  readonly pluginPath: string;
  /** The folder of its jar. */
  readonly folder: string;
  remove(): Promise<void>;
}

const tool = (name: string): string => (process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', name) : name);

/**
 * @param name of its folder and jar
 * @param services class names by the interface of `META-INF/services`
 */
export async function compilePlugin(
  name: string,
  sources: readonly string[],
  services: Readonly<Record<string, readonly string[]>>,
): Promise<CompiledPlugin> {
  const pluginPath = await mkdtemp(join(tmpdir(), 'millrace-plugin-'));
  const folder = join(pluginPath, name);
  const classes = `${pluginPath}.classes`;
  await mkdir(folder);
  const { classPath } = await javaConnectJars();
  await run(tool('javac'), ['-nowarn', '-proc:none', '--release', '17', '-cp', classPath, '-d', classes, ...sources]);
  for (const [service, names] of Object.entries(services)) {
    const file = join(classes, 'META-INF', 'services', service);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${names.join('\n')}\n`);
  }
  await run(tool('jar'), ['--create', '--file', join(folder, `${name}-1.0.jar`), '-C', classes, '.']);
  await rm(classes, { recursive: true });
  return { pluginPath, folder, remove: () => rm(pluginPath, { recursive: true, force: true }) };
}
