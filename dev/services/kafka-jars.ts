/** Downloads the jars of Apache Kafka from Maven Central into the cache, once, and finds the Java to run them. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keptDownload } from './kept-download';
import { cacheFolder, ROOT } from './paths';

const run = promisify(execFile);

export const KAFKA_VERSION = '4.3.1';
const OLDEST_JAVA = 17;
const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

const OWN_CLUSTER = ', or set BOOTSTRAP_SERVERS to a Kafka cluster of your own';

/** The `java` program to use. Rejects if it is missing or older than 17, with a sentence that names what needs it. */
export async function findJava(what = 'Apache Kafka', orElse = OWN_CLUSTER): Promise<string> {
  const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
  const { stderr } = await run(java, ['-version']).catch(() => {
    throw new Error(
      `${what} needs a JDK ${OLDEST_JAVA} or newer and \`${java}\` does not run: ` +
        `install one (Debian: openjdk-17-jre-headless)${orElse}.`,
    );
  });
  const version = /version "(\d+)(?:\.(\d+))?/.exec(stderr);
  const major = Number(version?.[1] === '1' ? version[2] : version?.[1]);
  if (!(major >= OLDEST_JAVA))
    throw new Error(
      `${what} needs Java ${OLDEST_JAVA} or newer, but \`${java}\` is ${major || 'unknown'}: ` +
        `set JAVA_HOME to a newer one${orElse}.`,
    );
  return java;
}

/** Resolves with the broker's class path. Downloads about 60 MB the first time. */
export async function kafkaClassPath(): Promise<string> {
  return join(await fetchJars({ pom: 'pom.xml', folder: 'kafka', what: 'Apache Kafka', orElse: OWN_CLUSTER }), '*');
}

export interface Jars {
  /** A file in `dev/services/kafka`, or a text. */
  readonly pom: string | { readonly text: string };
  /** In the cache. */
  readonly folder: string;
  /** For error messages: what is downloaded, and the alternative. */
  readonly what: string;
  readonly orElse?: string;
  /** (Default: Kafka's) */
  readonly version?: string;
  /** Unpacks the files that the patterns include, instead of copying the archives. */
  readonly unpack?: string;
}

/** Resolves with the folder of a pom's jars. */
export async function fetchJars(jars: Jars): Promise<string> {
  const { what, orElse = '', version = KAFKA_VERSION, unpack } = jars;
  const given = typeof jars.pom === 'string' ? join(ROOT, 'dev', 'services', 'kafka', jars.pom) : null;
  const text = given === null ? (jars.pom as { text: string }).text : await readFile(given, 'utf8');
  const wanted = createHash('sha256').update(text).digest('hex');
  return await keptDownload({
    folder: join(cacheFolder(), jars.folder, version),
    mark: { file: 'pom.sha256', text: wanted },
    fill: async (folder) => {
      const pom = given ?? join(folder, 'pom.xml');
      if (given === null) await writeFile(pom, text);
      const goal = `${PLUGIN}:${unpack === undefined ? 'copy' : 'unpack'}-dependencies`;
      const args = ['-B', '-q', '-ntp', '-f', pom, goal, `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'];
      // By its marks, Maven would take the files to be where it unpacked them last.
      const marks = join(folder, '.unpacked');
      if (unpack !== undefined) args.push(`-Dmdep.unpack.includes=${unpack}`, `-DmarkersDirectory=${marks}`);
      await run('mvn', args, { maxBuffer: 64 << 20 }).catch((error: { code?: unknown; stdout?: string }) => {
        throw new Error(
          error.code === 'ENOENT'
            ? `${what} is downloaded with Maven, and \`mvn\` is not installed: install it (Debian: maven)${orElse}.`
            : `Maven could not download ${what} ${version}:\n${(error.stdout ?? '').slice(0, 2000)}`,
          { cause: error },
        );
      });
    },
  });
}
