import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findJava, javaVersion, majorOf } from '../../../packages/java-host/src/jvm/find-java';

const root = mkdtempSync(join(tmpdir(), 'find-java-'));
afterAll(() => rmSync(root, { recursive: true }));

/** A folder whose `bin/java` runs this script. */
function home(name: string, script: string): string {
  const folder = join(root, name);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin', 'java'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'bin', 'java'), 0o755);
  return folder;
}
const answers = (version: string): string => `echo 'openjdk version "${version}" 2025-04-15' >&2`;
const PATH = '/usr/bin:/bin';
const found = async (options: Partial<Parameters<typeof findJava>[0]>): Promise<unknown> =>
  await findJava({ home: null, env: { PATH }, ...options }).catch((error) => error.failure);

test('java.home counts before JAVA_HOME, and that before the PATH', async () => {
  const [a, b, c] = [home('a', answers('17.0.1')), home('b', answers('21')), home('c', answers('25-ea'))] as const;
  const env = { JAVA_HOME: b, PATH: `relative/bin:${join(c, 'bin')}:${PATH}` };
  expect(await found({ home: a, env })).toEqual({ path: join(a, 'bin', 'java'), version: '17.0.1' });
  expect(await found({ env })).toEqual({ path: join(b, 'bin', 'java'), version: '21' });
  expect(await found({ env: { PATH: env.PATH } })).toEqual({ path: join(c, 'bin', 'java'), version: '25-ea' });
});

test.each([
  ['java.home without Java', { home: '/nowhere' }, 'although the worker setting java.home is /nowhere'],
  ['JAVA_HOME without Java', { env: { JAVA_HOME: '/nowhere', PATH } }, 'although the variable JAVA_HOME is /nowhere'],
  ['no java on the PATH', { env: { PATH: root } }, 'this machine has no java on its PATH'],
  ['no PATH', { env: {} }, 'this machine has no java on its PATH'],
])('%s: JAVA_MISSING says what to install or set', async (_, options, reason) => {
  const failure = await found(options);
  expect(failure).toMatchObject({ code: 'JAVA_MISSING', kind: 'final' });
  expect((failure as Error).message).toContain(reason);
  expect((failure as Error).message).toContain('Install Java 17 or newer and set java.home or JAVA_HOME');
});

test('a program that is not Java, or fails, is JAVA_MISSING', async () => {
  expect(await found({ home: home('other', 'echo hello') })).toMatchObject({
    code: 'JAVA_MISSING',
    message: expect.stringContaining('does not answer like Java'),
  });
  expect(await found({ home: home('fails', 'echo no libjli >&2; exit 7') })).toMatchObject({
    code: 'JAVA_MISSING',
    kind: 'final',
    message: expect.stringContaining('cannot be run: no libjli.'),
  });
});

test.each([
  ['was killed, e.g. for lack of memory', 'kill -9 $$', 'ended by SIGKILL'],
  [
    'has no memory',
    'echo Error occurred during initialization of VM; echo Could not reserve enough space; exit 1',
    'Could not reserve enough space',
  ],
])('a Java that %s is there: another start may succeed', async (name, script, reason) => {
  expect(await found({ home: home(name.replaceAll(/\W/g, '-'), script) })).toMatchObject({
    code: 'JVM_START_FAILED',
    kind: 'restart',
    message: expect.stringContaining(reason),
  });
});

test('Java 11 and 8 are too old', async () => {
  for (const version of ['11.0.27', '1.8.0_412'])
    expect(await found({ home: home(`old-${version}`, answers(version)) })).toMatchObject({
      code: 'JAVA_TOO_OLD',
      message: expect.stringContaining(`is Java ${version}, and Java plugins need Java 17 or newer`),
    });
});

test('Windows is refused with what to do', async () => {
  expect(await found({ platform: 'win32' })).toMatchObject({
    code: 'JAVA_PLATFORM',
    message: expect.stringContaining('WSL'),
  });
});

test.each([
  ['java version "1.8.0_412"', '1.8.0_412', 8],
  ['openjdk version "17.0.15" 2025-04-15', '17.0.15', 17],
  ['openjdk version "26" 2026-03-17', '26', 26],
])('the version in %j', (text, version, major) => {
  expect(javaVersion(text)).toBe(version);
  expect(majorOf(version)).toBe(major);
});
