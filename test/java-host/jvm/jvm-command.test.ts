import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argumentFile } from '../../../packages/java-host/src/jvm/jvm-command';
import { jvmEnvironment } from '../../../packages/java-host/src/jvm/jvm-environment';
import { folderOptions, parseOptions, workerOptions } from '../../../packages/java-host/src/jvm/jvm-options';

const command = {
  jars: { api: ['/host/api.jar'], kafka: ['/host/json.jar'] },
  classPath: ['/plugins/p q/a.jar', '/plugins/p q'],
  ...{ options: ['-Xss1m'], heapMb: 512, ownHeapMb: null, tmp: '/t/tmp', socketPath: '/t/s' },
};
const lines = (changes: Partial<typeof command> | object = {}): string[] =>
  argumentFile({ ...command, ...changes })
    .trimEnd()
    .split('\n');

test('the API comes before the plugin, and Kafka’s plugins after it; the last arguments are the host and its socket', () => {
  expect(lines().slice(-4)).toEqual([
    '"-cp"',
    '"/host/api.jar:/plugins/p q/a.jar:/plugins/p q:/host/json.jar"',
    '"io.millrace.host.Main"',
    '"/t/s"',
  ]);
});

test('options of the worker and the folder follow our own, and a connector’s heap follows them', () => {
  const all = lines({ options: ['-Xmx1g', '-XX:+UseG1GC'], ownHeapMb: 64 });
  expect(all.slice(0, 2)).toEqual(['"-XX:+UseSerialGC"', '"-XX:+ExitOnOutOfMemoryError"']);
  expect(all.filter((line) => /Xmx|G1/.test(line))).toEqual(['"-Xmx512m"', '"-Xmx1g"', '"-XX:+UseG1GC"', '"-Xmx64m"']);
  expect(all).toContain('"-Djava.io.tmpdir=/t/tmp"');
  expect(all).toContain('"-XX:ErrorFile=/t/tmp/hs_err_%p.log"');
});

test('the heap begins small, whatever the machine has, and never above its limit', () => {
  const initial = (changes: object): string[] => lines(changes).filter((line) => line.includes('Xms'));
  expect(initial({})).toEqual(['"-Xms64m"']);
  expect(initial({ heapMb: 32 })).toEqual(['"-Xms32m"']);
  expect(initial({ ownHeapMb: 48 })).toEqual(['"-Xms48m"']);
  for (const option of ['-Xmx16m', '-XX:MaxHeapSize=16m', '-XX:MaxRAMPercentage=1', '-XX:MaxRAM=1g', '-Xms1g'])
    expect(initial({ options: [option] })).toEqual(option === '-Xms1g' ? ['"-Xms1g"'] : []);
});

test('quotes, backslashes and line feeds of an argument stay in it', () => {
  expect(lines({ options: ['-Da="x\\y"\n-Db=#'] })).toContain(String.raw`"-Da=\"x\\y\"\n-Db=#"`);
});

test('a JVM gets few variables, those that the setting names, and never a setting of the worker', () => {
  const env = {
    ...{ PATH: '/bin', HOME: '/h', LC_ALL: 'de_DE.UTF-8', TZ: 'UTC', JAVA_HOME: '/j', TMPDIR: '/worker' },
    ...{ AWS_REGION: 'eu', AWS_PROFILE: 'p', SECRET: 's', OTHER: 'o', JAVA_TOOL_OPTIONS: '-Dx' },
    ...{ CONNECT_SASL_JAAS_CONFIG: 'p', MILLRACE_PASSWORD: 'p', KAFKA_OPTS: 'p' },
  };
  const kept = { PATH: '/bin', HOME: '/h', LC_ALL: 'de_DE.UTF-8', TZ: 'UTC', JAVA_HOME: '/j', TMPDIR: '/t' };
  expect(jvmEnvironment(env, [], '/t')).toEqual(kept);
  expect(jvmEnvironment(env, ['AWS_*', 'OTHER', 'CONNECT_SASL_JAAS_CONFIG', 'MILL*'], '/t')).toEqual({
    ...kept,
    ...{ AWS_REGION: 'eu', AWS_PROFILE: 'p', OTHER: 'o' },
  });
});

test.each([
  [{}, { LC_CTYPE: 'C.UTF-8' }],
  [{ LANG: 'POSIX' }, { LANG: 'POSIX', LC_CTYPE: 'C.UTF-8' }],
  [
    { LANG: 'C', LC_ALL: '', LC_CTYPE: '' },
    { LANG: 'C', LC_ALL: '', LC_CTYPE: 'C.UTF-8' },
  ],
  [
    { LANG: 'fr_FR.UTF-8', LC_ALL: 'C' },
    { LANG: 'fr_FR.UTF-8', LC_ALL: 'C.UTF-8' },
  ],
  [
    { LANG: 'C', LC_CTYPE: 'en_US.UTF-8' },
    { LANG: 'C', LC_CTYPE: 'en_US.UTF-8' },
  ],
  [{ LANG: 'ja_JP.eucJP' }, { LANG: 'ja_JP.eucJP' }],
])('names of files may have any characters: the locale %j becomes %j', (env, expected) => {
  expect(jvmEnvironment(env, [], '/t')).toEqual({ ...expected, TMPDIR: '/t' });
});

test('options are separated by white space, which quotes keep', () => {
  expect(parseOptions(' -Xmx1g\t-Da="b c"  "-Dd=e f"\n')).toEqual(['-Xmx1g', '-Da=b c', '-Dd=e f']);
});

test.each([
  ['Foo', 'Foo does not begin with "-"'],
  ['--add-opens java.base/java.lang=ALL-UNNAMED', 'the value of an option follows "="'],
  ['-cp', '-cp is not possible'],
  ['-jar', '-jar is not possible'],
  ['-Djava.class.path=/x', 'is not possible'],
  ['@/etc/passwd', 'does not begin with "-"'],
  ['-Da="b', 'a quote is not closed'],
  ['-Da=\u0000', 'a control character'],
  ['-Da '.repeat(300), 'more than 256 options'],
])('the options %j are refused', (text, reason) => {
  expect(() => parseOptions(text)).toThrow(reason);
  expect(() => workerOptions(text)).toThrow('the worker setting jvm.options cannot be used');
});

describe('jvm.options in a folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'jvm-options-'));
  afterAll(() => rmSync(root, { recursive: true }));
  const folder = (name: string, text: string | null): string => {
    mkdirSync(join(root, name));
    if (text !== null) writeFileSync(join(root, name, 'jvm.options'), text);
    return join(root, name);
  };

  test('one option a line, with comments', async () => {
    expect(await folderOptions(folder('a', '# heap\n-Xmx1g\r\n\n  # more\n-Da="b # c"\n'))).toEqual([
      '-Xmx1g',
      '-Da=b # c',
    ]);
    expect(await folderOptions(folder('none', null))).toEqual([]);
  });

  test('of a single jar: that beside it', async () => {
    const jar = join(folder('jar', '-Xmx2g'), 'a.jar');
    writeFileSync(jar, '');
    expect(await folderOptions(jar)).toEqual(['-Xmx2g']);
  });

  test('a folder, a large file and a bad option are errors that name it', async () => {
    const bad = folder('bad', '-jar');
    const large = folder('large', ` ${'#'.repeat(70_000)}`);
    const directory = folder('directory', null);
    mkdirSync(join(directory, 'jvm.options'));
    for (const one of [bad, large, directory])
      await expect(folderOptions(one)).rejects.toMatchObject({
        failure: { code: 'JVM_OPTIONS_INVALID', message: expect.stringContaining(join(one, 'jvm.options')) },
      });
  });
});
