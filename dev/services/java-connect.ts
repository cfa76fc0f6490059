/** Runs Java's Connect worker, as a reference for Millrace, in a process that cannot outlive this one. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port';
import { javaConnectJars } from './java-connect-jars';
import { findJava } from './kafka-jars';
import { KeptProcess } from './kept-process';
import { ROOT } from './paths';
import { startedWorker, writeProperties, type StartedWorker, type WorkerOptions } from './worker';

const LOG4J = `-Dlog4j2.configurationFile=${join(ROOT, 'dev', 'services', 'kafka', 'log4j2.xml')}`;

export interface JavaConnectOptions extends Omit<WorkerOptions, 'nodeFlags'> {
  /** Further JVM flags, e.g. `-Dname=value`. */
  readonly jvmFlags?: readonly string[];
  /** Folders of jars that extend the class path. */
  readonly jars?: readonly string[];
  /** Folders of classes that do. */
  readonly classes?: readonly string[];
}

/**
 * Starts a worker and returns at once; `ready` resolves when it is healthy, after 3 to 10 s. Needs a JDK, and Maven the
 * first time.
 */
export async function startJavaConnect(options: JavaConnectOptions): Promise<StartedWorker> {
  const [java, { classPath, pluginPath }] = await Promise.all([findJava(), javaConnectJars()]);
  const port = options.port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'millrace-java-connect-'));
  const properties = await writeProperties(folder, port, {
    ...options,
    settings: {
      'rest.advertised.host.name': '127.0.0.1',
      'plugin.path': pluginPath,
      // Plugin discovery by reflection takes longer than the rest of the startup.
      'plugin.discovery': 'service_load',
      ...options.settings,
    },
  });
  const flags = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData', LOG4J];
  flags.push('-Djava.awt.headless=true', `-Djava.io.tmpdir=${folder}`, ...(options.jvmFlags ?? []));
  const worker = new KeptProcess({
    command: java,
    args: [
      ...flags,
      '-cp',
      [classPath, ...(options.jars ?? []).map((jars) => join(jars, '*')), ...(options.classes ?? [])].join(':'),
      'org.apache.kafka.connect.cli.ConnectDistributed',
      properties,
    ],
    folder,
    signal: 'TERM',
    // Determines Java's encoding of file names.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  return startedWorker(`http://127.0.0.1:${port}`, folder, worker);
}
