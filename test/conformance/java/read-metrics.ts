/** Reads the metrics of a JVM of this machine, by JMX. */
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { javaConnectJars } from '../../../dev/services/java-connect-jars';
import { findJava } from '../../../dev/services/kafka-jars';
import type { StartedWorker } from '../../../dev/services/worker';

/** How long a busy JVM may take to accept a monitoring connection; the default is 10 s. */
const PATIENT = ['-Dsun.tools.attach.attachTimeout=120000'];

export interface JmxAttribute {
  /** Keys of the object name, such as `type`. */
  readonly keys: Readonly<Record<string, string>>;
  readonly attribute: string;
  readonly value: string;
}

/** @param domains such as `kafka.connect` */
export async function readJmx(worker: StartedWorker, domains: readonly string[]): Promise<JmxAttribute[]> {
  const program = join(__dirname, 'ReadMetrics.java');
  // Some values are of Connect's own classes.
  const { classPath } = await javaConnectJars();
  const command = [...PATIENT, '-cp', classPath, program, String(worker.pid), ...domains];
  const { stdout } = await promisify(execFile)(await findJava(), command, { maxBuffer: 10_000_000 });
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', attribute = '', value = ''] = line.split('\t');
      return {
        keys: Object.fromEntries(name.split(',').map((pair) => pair.split('=') as [string, string])),
        attribute,
        value,
      };
    });
}

/** Reading the metrics needs more of a JDK than running Connect does. */
const modules = spawnSync(process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java', [
  '--list-modules',
]);
export const canReadJmx = ['jdk.attach', 'jdk.compiler'].every((name) => String(modules.stdout).includes(`${name}@`));
if (!canReadJmx) process.stderr.write('SKIPPED: metrics are not compared with Java, which is no whole JDK here\n');
