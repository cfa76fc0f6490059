/** The supervisor with real JVMs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { builtJavaHost } from '../../../dev/services/java-host';
import { ROOT } from '../../../dev/services/paths';
import { pluginPath } from '../../../dev/services/plugin-jars';
import { JvmSupervisor } from '../../../packages/java-host/src/jvm/jvm-supervisor';
import type { JvmSettings } from '../../../packages/java-host/src/jvm/jvm-settings';
import type { JvmKey } from '../../../packages/java-host/src/jvm/jvms';
import { removeLeftFolders } from '../../../packages/java-host/src/jvm/private-folder';
import { isRunning } from '../../helpers/is-running';
import { waitFor } from '../../helpers/wait-for';
import { MemoryLog, SETTINGS } from '../jvm/fake-jvms';

let key: JvmKey;
let log: MemoryLog;
const open: JvmSupervisor[] = [];
beforeAll(async () => {
  await builtJavaHost();
  const location = join(await pluginPath('file'), 'file');
  const jars = readdirSync(location).filter((name) => name.endsWith('.jar'));
  key = { location, classPath: jars.map((name) => join(location, name)) };
});
beforeEach(() => (log = new MemoryLog()));
afterEach(async () => await Promise.all(open.splice(0).map(async (one) => await one.close())));

function supervisor(settings: Partial<JvmSettings> = {}): JvmSupervisor {
  const created = new JvmSupervisor({ settings: { ...SETTINGS, ...settings }, log });
  open.push(created);
  return created;
}
const pid = async (): Promise<number> => Number(/process (\d+)/.exec((await log.line('process ')).message)?.[1]);

const SOURCE = 'org.apache.kafka.connect.file.FileStreamSourceConnector';
const connector = (name: string) => ({
  ...{ kind: 'connector', connector: name, class: SOURCE },
  config: { name, topic: 't', file: '/nowhere', 'connector.class': SOURCE },
});

test('a killed worker takes its JVM with it, and the next one removes its folder', async () => {
  const worker = spawn(
    process.execPath,
    ['-r', join(ROOT, 'dev', 'register.js'), join(__dirname, 'killed-worker.ts'), key.location, key.classPath[0] ?? ''],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const [line] = (await once(createInterface(worker.stdout), 'line')) as [string];
  const jvm = JSON.parse(line) as { pid: number; folder: string };
  expect(isRunning(jvm.pid)).toBe(true);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  const killedAt = Date.now();
  await waitFor('the JVM to end', () => !isRunning(jvm.pid));
  expect(Date.now() - killedAt).toBeLessThan(10_000);
  await removeLeftFolders();
  expect(existsSync(jvm.folder)).toBe(false);
});

test('lines of a connector have its name; levels of Java’s loggers are set and listed', async () => {
  const { jvms } = supervisor();
  const session = await jvms.open(key, connector('files'));
  await session.call('start');
  const started = await log.line('Starting file source connector');
  expect(started).toMatchObject({ level: 'info', logger: SOURCE, connector: 'files' });
  await waitFor('the logger to be listed', () => log.names.has(SOURCE));
  log.setLevel('org.apache.kafka', 'OFF');
  await (await jvms.open(key, connector('quiet'))).call('start');
  log.setLevel('org.apache.kafka.connect', 'INFO');
  const last = await jvms.open(key, { ...connector('last'), config: { ...connector('last').config, file: '/last' } });
  await last.call('start');
  await log.line('reading from /last');
  expect(log.lines.filter(({ connector: name }) => name === 'quiet')).toEqual([]);
});

test('metrics have the numbers of the JVM and of its MBeans', async () => {
  const one = supervisor({ mbeanDomains: ['java.lang'] });
  const session = await one.jvms.open(key, { kind: 'plugins' });
  const found = await waitFor('the metrics of the JVM', () => {
    const [figures] = one.figures();
    return figures && figures.series.length > 0 && figures.memory ? figures : null;
  });
  expect(found).toMatchObject({ folder: key.location, connector: null, isUp: true, sessions: 1, restarts: 0 });
  expect(found.memory?.heapMax).toBeLessThanOrEqual(512 * 1024 * 1024);
  expect(found.series.find(({ name }) => name === 'java_lang_Threading_ThreadCount')?.value).toBeGreaterThan(1);
  session.close();
});

test('without sessions it ends after the idle time, at once and without a trace', async () => {
  const one = supervisor({ idleMs: 200 });
  const { socketPath, jvm, hold } = await one.grant(key);
  one.settled(jvm, hold);
  await log.line('because nothing ran in it any more');
  expect(isRunning(await pid())).toBe(false);
  expect(existsSync(socketPath)).toBe(false);
  expect(one.figures()).toEqual([]);
});

test('an option that Java does not know, and a heap that it cannot have', async () => {
  for (const options of ['-XX:+NoSuchOption', '-Xmx1k'])
    await expect(supervisor({ options }).jvms.open(key, { kind: 'plugins' })).rejects.toMatchObject({
      code: 'JVM_START_FAILED',
      cause: { message: expect.stringMatching(/Unrecognized VM option|Too small maximum heap/) },
      restartable: true,
    });
});

test('an OutOfMemoryError ends the JVM: the session has its code and the last lines', async () => {
  const one = supervisor({ options: '-Xmx16m' });
  const session = await one.jvms.open(key, { kind: 'plugins' });
  session.call('has', ['x'.repeat(64 * 1024 * 1024)]).catch(() => undefined);
  expect(await session.ended).toMatchObject({
    code: 'JVM_OUT_OF_MEMORY',
    cause: { message: expect.stringContaining('java.lang.OutOfMemoryError: Java heap space') },
  });
});
