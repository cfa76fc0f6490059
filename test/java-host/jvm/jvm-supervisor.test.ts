/** The supervisor with a program that plays Java. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostSession } from '../../../packages/java-host/src/connection/host-session';
import { connectJvms } from '../../../packages/java-host/src/jvm/supervision-channel';
import { isRunning } from '../../helpers/is-running';
import { FakeJvms } from './fake-jvms';

let fake: FakeJvms;
beforeEach(() => (fake = new FakeJvms()));
afterEach(async () => await fake.close());

const PLUGINS = { kind: 'plugins' };
const pidOf = ({ opened }: HostSession): number => Number(opened['pid']);
const failure = async (opening: Promise<unknown>): Promise<{ code: string; message: string; cause?: Error }> =>
  await opening.then(
    () => Promise.reject(new Error('It was opened')),
    (error) => error,
  );

test('sessions of one key share a JVM; another folder and a connector with its own heap have others', async () => {
  const { jvms } = fake.supervisor();
  const key = fake.key('a');
  const sessions = await Promise.all(
    [key, { ...key }, fake.key('b'), { ...key, connector: 'c', heapMb: 64 }].map((one) => jvms.open(one, PLUGINS)),
  );
  const [a, same, b, own] = sessions.map(pidOf);
  expect(same).toBe(a);
  expect(new Set([a, b, own]).size).toBe(3);
  const args = (await sessions[3]!.call('arguments')) as string[];
  expect(args).toContain('-Xmx64m');
  expect(args.at(-2)).toBe('io.millrace.host.Main');
});

test('its environment has no secret of the worker', async () => {
  const { jvms } = fake.supervisor(
    '',
    { environment: ['AWS_*'] },
    { CONNECT_PASSWORD: 'x', AWS_REGION: 'x', OTHER: 'x' },
  );
  const names = (await (await jvms.open(fake.key('a'), PLUGINS)).call('environment')) as string[];
  expect(names).toContain('AWS_REGION');
  expect(names).not.toContain('CONNECT_PASSWORD');
  expect(names).not.toContain('OTHER');
});

test('Java is missing: the error of each session, until it is installed', async () => {
  const { jvms } = fake.supervisor('', { home: join(fake.folder, 'later') });
  expect(await failure(jvms.open(fake.key('a'), PLUGINS))).toMatchObject({ code: 'JAVA_MISSING' });
  mkdirSync(join(fake.folder, 'later', 'bin'), { recursive: true });
  writeFileSync(
    join(fake.folder, 'later', 'bin', 'java'),
    `#!/bin/sh\nexec ${join(fake.folder, 'bin', 'java')} "$@"\n`,
    { mode: 0o755 },
  );
  expect(pidOf(await jvms.open(fake.key('a'), PLUGINS))).toBeGreaterThan(0);
});

test('a Java that is too old, a package without jars and a heap beyond the limit', async () => {
  expect(
    await failure(fake.supervisor('', {}, { PATH: '/old-java/bin' }).jvms.open(fake.key('a'), PLUGINS)),
  ).toMatchObject({ code: 'JAVA_TOO_OLD' });
  const { jvms } = fake.supervisor('', { maxHeapMb: 100 });
  for (const heapMb of [101, 0, -1, 1.5, NaN, Infinity])
    expect(await failure(jvms.open({ ...fake.key('a'), heapMb }, PLUGINS))).toMatchObject({
      code: 'JVM_HEAP_LIMIT',
      javaClass: 'org.apache.kafka.common.config.ConfigException',
    });
  expect(await failure(jvms.open(fake.key('c', { 'jvm.options': '-jar' }), PLUGINS))).toMatchObject({
    code: 'JVM_OPTIONS_INVALID',
  });
});

test('a JVM that ends at its start: JVM_START_FAILED with its last lines, worth a restart', async () => {
  const { jvms } = fake.supervisor('exit');
  const error = await failure(jvms.open(fake.key('a'), PLUGINS));
  expect(error).toMatchObject({ code: 'JVM_START_FAILED', retriable: false, restartable: true });
  expect(error.message).toBe(`The JVM of ${join(fake.folder, 'a')} ended with exit code 1 while it started.`);
  expect(error.cause?.message).toContain('Unrecognized VM option Foo\nError: Could not create');
  expect((await fake.log.line('Unrecognized VM option Foo')).level).toBe('warn');
});

test('a JVM that hangs at its start is killed at the deadline', async () => {
  const { jvms } = fake.supervisor('hang', { startTimeoutMs: 1_000 });
  const error = await failure(jvms.open(fake.key('a'), PLUGINS));
  expect(error.message).toContain('did not answer within 1000 ms (jvm.start.timeout.ms)');
  expect(error.cause?.message).toContain('still loading');
});

test('a flood of output costs a bounded number of lines, and its end is kept', async () => {
  const { jvms } = fake.supervisor('flood');
  const session = await jvms.open(fake.key('a'), PLUGINS);
  session.call('kill').catch(() => undefined);
  const reason = (await session.ended) as Error & { cause: Error };
  expect(reason.cause.message.endsWith('last words')).toBe(true);
  expect(fake.log.lines.length).toBeLessThan(3_000);
  expect(Math.max(...fake.log.lines.map(({ message }) => message.length))).toBeLessThan(2_100);
});

test('a killed JVM: its sessions end with JVM_ENDED, and the next one has another JVM', async () => {
  const { jvms } = fake.supervisor();
  const session = await jvms.open(fake.key('a'), PLUGINS);
  const pending = failure(session.call('silence', 1));
  session.call('kill').catch(() => undefined);
  expect(await session.ended).toMatchObject({
    code: 'JVM_ENDED',
    message: expect.stringContaining('ended by the signal SIGKILL: the machine may be out of memory'),
    restartable: true,
  });
  await pending.catch(() => undefined);
  expect(pidOf(await jvms.open(fake.key('a'), PLUGINS))).not.toBe(pidOf(session));
});

test('what a JVM has written names its connectors, and hides their values in the error of its end', async () => {
  const { jvms, channel } = fake.supervisor();
  const key = fake.key('a');
  const one = await jvms.open(key, { kind: 'source-task', connector: 'one', task: 0 });
  await connectJvms(channel).open(key, { kind: 'plugins', connector: 'two' });
  one.call('print', 'the secret-of-two!!!').catch(() => undefined);
  expect(await fake.log.line('secret-of-two')).toMatchObject({ connector: null, quotes: ['one', 'two'] });
  one.call('kill').catch(() => undefined);
  const { cause } = (await one.ended) as Error & { cause: Error };
  expect(cause.message).toContain('the [hidden]!!!');
  expect(cause.message).not.toContain('secret-of-two');
});

test('an OutOfMemoryError has its own code', async () => {
  const { jvms } = fake.supervisor();
  const session = await jvms.open(fake.key('a'), PLUGINS);
  session.call('oom').catch(() => undefined);
  expect(await session.ended).toMatchObject({
    code: 'JVM_OUT_OF_MEMORY',
    cause: { message: expect.stringContaining('java.lang.OutOfMemoryError: Java heap space') },
  });
});

test('without sessions it ends after the idle time; its folder is removed', async () => {
  const supervisor = fake.supervisor('', { idleMs: 100 });
  const { socketPath, jvm, hold } = await supervisor.grant(fake.key('a'));
  supervisor.settled(jvm, hold);
  const first = await supervisor.jvms.open(fake.key('a'), PLUGINS);
  first.close();
  await fake.log.line('because nothing ran in it any more');
  expect(isRunning(pidOf(first))).toBe(false);
  expect(existsSync(socketPath)).toBe(false);
  expect(pidOf(await supervisor.jvms.open(fake.key('a'), PLUGINS))).not.toBe(pidOf(first));
});

test('a JVM with a hung thread gets no new sessions, and ends with its last one', async () => {
  const supervisor = fake.supervisor('', { idleMs: 600_000 });
  const old = await supervisor.jvms.open(fake.key('a'), PLUGINS);
  old.call('hang').catch(() => undefined);
  const line = await fake.log.line('do not end: c-0');
  expect(line).toMatchObject({ level: 'warn', connector: 'c', task: 0, trace: 'c-0\nat A.b' });
  expect(supervisor.problems()).toEqual([`Threads in the JVM of ${join(fake.folder, 'a')} do not end: c-0.`]);
  const next = await supervisor.jvms.open(fake.key('a'), PLUGINS);
  expect(pidOf(next)).not.toBe(pidOf(old));
  expect(isRunning(pidOf(old))).toBe(true);
  expect(supervisor.figures()).toMatchObject([{ pid: pidOf(next), hungThreads: 1, silentMs: 0 }]);
  old.close();
  await fake.log.line('because nothing ran in it any more');
  expect(isRunning(pidOf(old))).toBe(false);
  expect(supervisor.problems()).toEqual([]);
  expect(supervisor.figures()).toMatchObject([{ pid: pidOf(next), hungThreads: 0 }]);
});

test('a folder whose files have changed: new sessions have another JVM, and the old one ends with its last', async () => {
  const supervisor = fake.supervisor('', { idleMs: 600_000 });
  const key = fake.key('a');
  const [old, other] = await Promise.all([key, fake.key('b')].map((one) => supervisor.jvms.open(one, PLUGINS)));
  supervisor.retire(new Set([key.location]));
  expect(pidOf(await supervisor.jvms.open(key, PLUGINS))).not.toBe(pidOf(old!));
  expect(pidOf(await supervisor.jvms.open(fake.key('b'), PLUGINS))).toBe(pidOf(other!));
  expect(isRunning(pidOf(old!))).toBe(true);
  old!.close();
  await fake.log.line('because nothing ran in it any more');
  expect(isRunning(pidOf(old!))).toBe(false);
});

test('a session whose JVM tells of it late keeps the JVM, whether it would be idle or is to end', async () => {
  const supervisor = fake.supervisor('late', { idleMs: 1 });
  const key = fake.key('a');
  const [first, second] = await Promise.all([key, key].map((one) => supervisor.jvms.open(one, PLUGINS)));
  expect(pidOf(second!)).toBe(pidOf(first!));
  supervisor.retire(new Set([key.location]));
  for (let i = 0; i < 10; i++) await first!.call('memory');
  first!.close();
  for (let i = 0; i < 3; i++) expect(await second!.call('memory')).toMatchObject({ heapUsed: 10 });
  expect(isRunning(pidOf(second!))).toBe(true);
  const other = await connectJvms(supervisor.channel).open(key, PLUGINS);
  for (let i = 0; i < 3; i++) await other.call('memory');
  expect(isRunning(pidOf(other))).toBe(true);
});

test('at most so many JVMs as the setting allows', async () => {
  const { jvms } = fake.supervisor('', { maxJvms: 1 });
  await jvms.open(fake.key('a'), PLUGINS);
  expect(await failure(jvms.open(fake.key('b'), PLUGINS))).toMatchObject({
    code: 'JVM_LIMIT',
    restartable: true,
  });
});

test('close ends all JVMs, also those that start and those that do not want to; no other is started', async () => {
  const [calm, stubborn, hanging] = [fake.supervisor(), fake.supervisor('stubborn'), fake.supervisor('hang')];
  const session = await calm.jvms.open(fake.key('a'), PLUGINS);
  const other = await stubborn.jvms.open(fake.key('a'), PLUGINS);
  const starting = failure(hanging.jvms.open(fake.key('a'), PLUGINS));
  await fake.log.line('still loading');
  await Promise.all([calm.close(), stubborn.close(), hanging.close()]);
  expect([session, other].map(pidOf).map(isRunning)).toEqual([false, false]);
  expect(await starting).toMatchObject({ code: 'JVM_CLOSED' });
  expect(await session.ended).toMatchObject({ code: 'JVM_CLOSED' });
  expect(await failure(calm.jvms.open(fake.key('a'), PLUGINS))).toMatchObject({ code: 'JVM_CLOSED' });
});

test('another thread asks over the channel: sessions, failures, and why one has ended', async () => {
  const supervisor = fake.supervisor('', { maxHeapMb: 100 });
  const jvms = connectJvms(supervisor.channel);
  const session = await jvms.open(fake.key('a'), PLUGINS);
  expect(pidOf(await supervisor.jvms.open(fake.key('a'), PLUGINS))).toBe(pidOf(session));
  expect(await failure(jvms.open({ ...fake.key('a'), heapMb: 101 }, PLUGINS))).toMatchObject({
    code: 'JVM_HEAP_LIMIT',
    javaClass: 'org.apache.kafka.common.config.ConfigException',
  });
  session.call('oom').catch(() => undefined);
  expect(await session.ended).toMatchObject({ code: 'JVM_OUT_OF_MEMORY', restartable: true });
});

test('log lines have connector, task and the logger’s name; levels reach the JVM', async () => {
  const { jvms } = fake.supervisor();
  const session = await jvms.open(fake.key('a'), PLUGINS);
  session.call('log').catch(() => undefined);
  expect(await fake.log.line('slow')).toEqual({
    ...{ level: 'warn', logger: 'io.debezium.A', message: 'slow', connector: 'c', task: 0, trace: null },
    folder: join(fake.folder, 'a'),
    quotes: [],
  });
  fake.log.setLevel('io.debezium', 'DEBUG');
  expect((await fake.log.line('DEBUG')).message).toContain('DEBUG');
});
