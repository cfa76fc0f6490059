/** The jars that the package brings: `npm run build:java` writes them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { JvmError } from './jvm-errors';
import type { JvmKey } from './jvms';
import { isScarcity } from './scarcity';

export interface HostJars {
  /** The host, Kafka's API and what they need: before a plugin's. */
  readonly api: readonly string[];
  /** Kafka's converters and transformations: after a plugin's. */
  readonly kafka: readonly string[];
}

const FOLDER = join(__dirname, '..', '..', 'jars');

/** Rejects with JvmError `JAVA_HOST_NOT_BUILT`. */
export async function hostJars(folder = FOLDER): Promise<HostJars> {
  const [api, kafka] = await Promise.all(['api', 'kafka'].map(async (name) => await jarsIn(join(folder, name))));
  if (api?.length && kafka) return { api, kafka };
  const message = `The Java host is not built: ${join(folder, 'api')} has no jars. Install the package @millrace/java-host again; in the repository, run npm run build:java, which needs a JDK and Maven.`;
  throw new JvmError({ code: 'JAVA_HOST_NOT_BUILT', message, detail: null, kind: 'final' });
}

async function jarsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isScarcity(error)) throw error;
    return [];
  });
  return names
    .filter((name) => name.endsWith('.jar'))
    .sort()
    .map((name) => join(folder, name));
}

/** Of the JVM that looks for plugins in jars that do not list theirs. It needs a library of its own. */
export async function scanKey(folder = FOLDER): Promise<JvmKey> {
  const location = join(folder, 'scan');
  return { location, classPath: await jarsIn(location) };
}
