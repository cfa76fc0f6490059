/** Jars that were made for a Java worker's class path, another Java or another locale. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { convertWhenReady, type SourceRecord, type Transformation, type TransformationPlugin } from '@millrace/sdk';
import { builtJavaHost } from '../../../dev/services/java-host';
import { findJava } from '../../../dev/services/kafka-jars';
import type { JavaPlugin } from '../../../packages/java-host/src/java-plugin';
import { JvmSupervisor } from '../../../packages/java-host/src/jvm/jvm-supervisor';
import { loadJavaPlugin } from '../../../packages/java-host/src/load-java-plugin';
import { JarFolders } from '../discovery/jars';
import { MemoryLog, SETTINGS } from '../jvm/fake-jvms';

const NAME = 'com.acme.LogsWithLog4j';
const FILE = `${NAME.replaceAll('.', '/')}.class`;
const RECORD: SourceRecord = {
  ...{ topic: 't', keySchema: null, key: null, valueSchema: null, value: null },
  ...{ sourcePartition: null, sourceOffset: null },
};
/** Of the version of a class file. */
const MAJOR = 7;

let built: Buffer;
let folder: string;
let log: MemoryLog;
let supervisor: JvmSupervisor;
const folders = new JarFolders();
beforeAll(async () => {
  const [java, host] = await Promise.all([findJava('The Java host'), builtJavaHost()]);
  folder = mkdtempSync(join(tmpdir(), 'foreign-'));
  const javac = java === 'java' ? 'javac' : join(dirname(java), 'javac');
  const jars = [join(host, 'api', '*'), join(host, 'kafka', '*')].join(':');
  execFileSync(javac, ['--release', '17', '-cp', jars, '-d', folder, join(__dirname, 'LogsWithLog4j.java')]);
  built = readFileSync(join(folder, FILE));
  log = new MemoryLog();
  // As in a container: without a locale.
  supervisor = new JvmSupervisor({ settings: SETTINGS, log, env: { PATH: process.env.PATH } });
}, 300_000);
afterAll(async () => {
  await supervisor.close();
  rmSync(folder, { recursive: true });
  folders.remove();
});

async function transformationIn(name: string, classFile: Uint8Array): Promise<TransformationPlugin> {
  const path = folders.add(`${name}/x.jar`, { [FILE]: classFile });
  const unit = { location: dirname(path), classPath: [path], version: '1' };
  const plugin: JavaPlugin = { ...unit, type: 'transformation', class: NAME };
  return (await loadJavaPlugin(plugin, supervisor.jvms)) as TransformationPlugin;
}

test('without a locale, a jar and a file have any characters in their names; log4j 1 writes to the log', async () => {
  const file = join(folder, 'größe 大.txt');
  writeFileSync(file, 'renamed');
  const transformation: Transformation = (await transformationIn('Über größe', built)).create();
  transformation.configure({ file });
  expect(await convertWhenReady(() => transformation.apply(RECORD))).toMatchObject({ topic: 'renamed' });
  await expect(log.line('has read renamed')).resolves.toMatchObject({ logger: NAME, level: 'warn' });
  transformation.close?.();
}, 60_000);

test('a class for a newer Java fails with the Java that it needs', async () => {
  const newer = Uint8Array.from(built);
  newer[MAJOR] = 99;
  await expect(transformationIn('newer', newer)).rejects.toThrow(/it needs Java 55 or newer, and this JVM has /);
}, 60_000);
