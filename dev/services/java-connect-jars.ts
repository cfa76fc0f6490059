/** Downloads Java's Connect worker and its file connectors from Maven Central into the cache, once. */
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDir } from 'fs-extra';
import { fetchJars } from './kafka-jars';

export interface JavaConnectJars {
  readonly classPath: string;
  /** For `plugin.path`. */
  readonly pluginPath: string;
}

/** Downloads about 30 MB the first time. */
export async function javaConnectJars(): Promise<JavaConnectJars> {
  const folder = await fetchJars({ pom: 'connect-pom.xml', folder: 'java-connect', what: "Java's Kafka Connect" });
  const pluginPath = join(folder, 'plugins');
  const plugin = join(pluginPath, 'file');
  await ensureDir(plugin);
  // Outside the class path: plugins are loaded from separate folders, as on a user's worker.
  for (const jar of (await readdir(folder)).filter((name) => name.startsWith('connect-file-')))
    await rename(join(folder, jar), join(plugin, jar)).catch((error: { code?: string }) => {
      // Another process has moved it.
      if (error.code !== 'ENOENT') throw error;
    });
  return { classPath: join(folder, '*'), pluginPath };
}

/**
 * Resolves with the folder of the REST extension for HTTP Basic. It must be on the class path: its login module is not
 * found in `plugin.path`.
 */
export async function basicAuthJar(): Promise<string> {
  return await fetchJars({ pom: 'basic-auth-pom.xml', folder: 'java-basic-auth', what: "Java's Basic extension" });
}
