import { execFileSync } from 'node:child_process';
import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { JavaUnit } from '@millrace/java-host';
import { discoverJavaPlugins } from '../../../packages/java-host/src/discovery/discover-java-plugins';
import { classes, jar, JarFolders, manifest, service, type JarContent } from './jars';

let folders: JarFolders;
beforeEach(() => (folders = new JarFolders()));
afterEach(() => folders.remove());

const unit = (name: string): JavaUnit => {
  const location = join(folders.root, name);
  return {
    location,
    classPath: readdirSync(location)
      .sort()
      .map((file) => join(location, file)),
  };
};
/** `TYPE CLASS VERSION`, and messages of problems without the folder. */
async function found(...units: JavaUnit[]) {
  const { plugins, others, unscanned, problems } = await discoverJavaPlugins(units);
  return {
    plugins: [...plugins, ...others].map((one) => `${one.type} ${one.class} ${one.version}`),
    problems: problems.map(({ message }) => message.replaceAll(`${folders.root}/`, '')),
    ...(unscanned.length > 0 && {
      unscanned: unscanned.map(({ location }) => location.slice(folders.root.length + 1)),
    }),
  };
}
const connector = (...lines: string[]): JarContent => ({
  ...manifest(...lines),
  ...service('source', 'x.A'),
  ...classes('x.A'),
});

test('all kinds of plugins, with their units; those that REST never lists are apart', async () => {
  const names = { source: 'x.Src', sink: 'x.Snk', converter: 'x.Conv', header_converter: 'x.Head' } as const;
  const more = { transformation: 'x.Smt$Value', predicate: 'x.Pred', config_provider: 'x.Prov' } as const;
  const rare = { override_policy: 'x.Pol', rest_extension: 'x.Ext' } as const;
  const all = { ...names, ...more, ...rare };
  folders.add('a/all.jar', {
    ...manifest('Implementation-Version: 2.5'),
    ...Object.assign({}, ...Object.entries(all).map(([type, name]) => service(type as 'source', name))),
    ...classes(...Object.values(all)),
  });
  folders.add('a/library.jar', { 'org/lib/Lib.class': '' });
  const { plugins, others, problems, unscanned } = await discoverJavaPlugins([unit('a')]);
  const of = (names: Record<string, string>) =>
    Object.entries(names).map(([type, name]) => ({ ...unit('a'), type, class: name, version: '2.5' }));
  const byType = (list: readonly { type: string }[]) => [...list].sort((a, b) => (a.type < b.type ? -1 : 1));
  expect(byType(plugins)).toEqual(byType(of({ ...names, transformation: 'x.Smt$Value', predicate: 'x.Pred' })));
  expect(byType(others)).toEqual(byType(of({ config_provider: 'x.Prov', ...rare })));
  expect({ problems, unscanned }).toEqual({ problems: [], unscanned: [] });
});

test('a jar that no class path can name is a problem, and its folder is not used', async () => {
  folders.add('a:b/x.jar', connector());
  folders.add('c/x.jar', connector());
  expect(await found(unit('a:b'), unit('c'))).toEqual({
    plugins: ['source x.A undefined'],
    problems: [
      'The Java plugins in a:b cannot run: a:b/x.jar has a ":" in its name, which separates the jars of a class path. Rename it.',
    ],
  });
});

test.each([
  ['x-1.jar', 'Implementation-Version: 3.6.0.Final', '3.6.0.Final'],
  ['x-1.jar', 'Implementation-Version: 3.6.0\r\n .Final', '3.6.0.Final'],
  ['x-1.jar', 'implementation-version:7', '7'],
  ['connect-file-4.3.1.jar', 'Built-By: x', '4.3.1'],
  ['kafka_2.13-4.3.1-SNAPSHOT.ZIP', 'Built-By: x', '4.3.1-SNAPSHOT'],
  ['x-1.2.jar', 'Implementation-Version: ${project.version}', '1.2'],
  ['x-1.2.jar', 'Implementation-Version: \u0007', '1.2'],
  ['x.jar', 'Built-By: x', 'undefined'],
  ['x.jar', 'Built-By: x\r\n\r\nName: x/A.class\r\nImplementation-Version: 9', 'undefined'],
])('the version of %s with the manifest %j: %s', async (name, line, version) => {
  folders.add(`a/${name}`, connector(...line.split('\r\n\r\n').flatMap((part, i) => (i === 0 ? [part] : ['', part]))));
  expect(await found(unit('a'))).toEqual({ plugins: [`source x.A ${version}`], problems: [] });
});

test('the version is that of the jar with the class; a class counts once; one that no jar has is a problem', async () => {
  folders.add('a/a-services-1.jar', {
    ...service('sink', 'x.S', 'x.Gone # later', '# x.No', '', 'x.S'),
    ...classes('x.T'),
  });
  folders.add('a/b-code-2.jar', { ...service('sink', 'x.S'), ...classes('x.S') });
  expect(await found(unit('a'))).toEqual({
    plugins: ['sink x.S 2'],
    problems: ['The Java plugins in a/a-services-1.jar are not found: it names x.Gone, which no jar of a has.'],
  });
});

test('a folder of classes', async () => {
  for (const [path, text] of Object.entries({ ...connector('Implementation-Version: 5'), ...service('sink', 'x.No') }))
    folders.add(`a/${path}`, text as string);
  const location = join(folders.root, 'a');
  expect(await found({ location, classPath: [location] })).toEqual({
    plugins: ['source x.A 5'],
    problems: ['The Java plugins in a are not found: it names x.No, which no jar of a has.'],
  });
});

test('Kafka’s own classes are plugins only where Java loads them from a folder of jars, too', async () => {
  const own = [
    'org.apache.kafka.connect.mirror.MirrorSourceConnector',
    'org.apache.kafka.connect.file.FileStreamSourceConnector',
  ];
  const not = ['org.apache.kafka.connect.tools.MockSourceConnector', 'java.lang.Object'];
  folders.add('a/x-1.jar', { ...service('source', ...own, ...not), ...classes(...own, ...not) });
  expect(await found(unit('a'))).toEqual({ plugins: own.map((name) => `source ${name} 1`), problems: [] });
});

test('units without a service file of Connect are to be scanned', async () => {
  folders.add('a/x-1.jar', { 'META-INF/services/java.sql.Driver': 'x.Driver', ...classes('x.Driver') });
  // With Kafka's libraries in it.
  const kafkas = 'org.apache.kafka.common.config.provider.FileConfigProvider';
  folders.add('b/x-1.jar', { ...service('config_provider', kafkas), ...classes('x.S', kafkas) });
  const plugins = [`config_provider ${kafkas} 1`];
  expect(await found(unit('a'), unit('b'))).toEqual({ plugins, problems: [], unscanned: ['a', 'b'] });
  expect(await discoverJavaPlugins([])).toEqual({
    ...{ plugins: [], others: [], usable: [], unscanned: [], problems: [] },
  });
});

describe('hostile jars are named, and the others are read', () => {
  const good = { 'z-1.jar': connector() };
  const GOOD = ['source x.A 1'];
  const bytes = (content: JarContent) => Buffer.from(jar(content));
  /** With a field of the last record of the zip changed. */
  const changed = (content: JarContent, change: (end: Buffer, zip: Buffer) => void): Buffer => {
    const zip = bytes(content);
    change(zip.subarray(zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))), zip);
    return zip;
  };
  const NO_ZIP = 'End of central directory record signature not found. Either not a zip file, or file is truncated.';
  const START = 'invalid central directory file header signature: 0x';

  test.each<[string, Uint8Array | string, string]>([
    ['empty', '', NO_ZIP],
    ['no zip', 'x'.repeat(100_000), NO_ZIP],
    ['cut', bytes(connector()).subarray(0, -30), NO_ZIP],
    ['zeros', Buffer.alloc(70_000), NO_ZIP],
    ['more entries than there are', changed(connector(), (end) => end.writeUInt16LE(60_000, 10)), 'unexpected EOF'],
    ['a list elsewhere', changed(connector(), (end) => end.writeUInt32LE(1, 16)), START],
    ['a list past the end', changed(connector(), (end) => end.writeUInt32LE(0xfffffff0, 16)), 'unexpected EOF'],
    ['broken data', changed(connector(), (_, zip) => zip.fill(0xff, 30, 80)), ''],
    [
      'a service file that is encrypted',
      changed(connector(), (end, zip) => {
        for (
          let at = end.readUInt32LE(16);
          at < zip.length - end.length;
          at = zip.indexOf('PK\x01\x02', at + 46, 'latin1')
        )
          if (at < 0) break;
          else zip.writeUInt16LE(1, at + 8);
      }),
      '',
    ],
  ])('%s', async (_, content, reason) => {
    folders.add('a/bad-1.jar', content);
    folders.add('a/z-1.jar', good['z-1.jar']);
    const { plugins, problems } = await found(unit('a'));
    expect(plugins).toEqual(GOOD);
    expect(problems).toEqual([
      expect.stringContaining('The Java plugins in a/bad-1.jar are not found: it cannot be read as a jar: '),
    ]);
    expect(problems[0]).toContain(reason);
  });

  test('entries of any name: out of the folder, __proto__, with a null byte, very long', async () => {
    folders.add('a/x-1.jar', {
      '../../META-INF/services/org.apache.kafka.connect.sink.SinkConnector': 'x.No',
      '/etc/passwd': 'x',
      'META-INF/services/__proto__': 'x.No',
      'META-INF/services/../services/org.apache.kafka.connect.sink.SinkConnector': 'x.No',
      ['n'.repeat(60_000)]: 'x',
      'a\0b': 'x',
      ...connector(),
    });
    expect(await found(unit('a'))).toEqual({ plugins: GOOD, problems: [] });
  });

  test('lines of a service file that are no class names', async () => {
    folders.add('a/x-1.jar', {
      ...service('source', '../../etc/passwd', 'x.A', 'x'.repeat(2_000), 'a b', '__proto__'),
      ...classes('x.A', '__proto__'),
    });
    expect(await found(unit('a'))).toEqual({
      plugins: [...GOOD, 'source __proto__ 1'],
      problems: [
        'The Java plugins in a/x-1.jar are not found: META-INF/services/org.apache.kafka.connect.source.SourceConnector has a line that is not a class name: "../../etc/passwd".',
      ],
    });
  });

  test('a service file that inflates to a gigabyte is not read; a manifest of megabytes is, up to its first section', async () => {
    const bomb = Buffer.alloc(64 * 1024 * 1024, 'x.A\n');
    folders.add('a/bomb-1.jar', { 'META-INF/services/org.apache.kafka.connect.sink.SinkConnector': bomb });
    const digests = 'Name: x/A.class\r\nSHA-256-Digest: 0000\r\n\r\n'.repeat(100_000);
    folders.add('a/x-1.jar', { ...connector(), 'META-INF/MANIFEST.MF': `Implementation-Version: 8\r\n\r\n${digests}` });
    expect(await found(unit('a'))).toEqual({
      plugins: ['source x.A 8'],
      problems: [
        'The Java plugins in a/bomb-1.jar are not found: META-INF/services/org.apache.kafka.connect.sink.SinkConnector has more than 1048576 bytes.',
      ],
    });
  });

  test('a pipe, a folder and a file that is gone in place of a jar', async () => {
    folders.add('a/z-1.jar', connector());
    folders.add('a/folder.jar/x', '');
    execFileSync('mkfifo', [join(folders.root, 'a', 'pipe.jar')]);
    const { location, classPath } = unit('a');
    const { plugins, problems } = await found({ location, classPath: [...classPath, join(location, 'gone.jar')] });
    expect(plugins).toEqual(GOOD);
    expect(problems.map((message) => message.replace(/^.*a jar: /, ''))).toEqual([
      'it is not a regular file.',
      'it is not a regular file.',
      expect.stringMatching(/^ENOENT/),
    ]);
  });

  test('a file of a terabyte without content costs nothing', async () => {
    folders.add('a/x-1.jar', connector());
    const huge = folders.add('a/huge.jar', '');
    truncateSync(huge, 2 ** 40);
    expect(await found(unit('a'))).toEqual({ plugins: GOOD, problems: [expect.stringContaining(NO_ZIP)] });
  });

  test('changed bytes anywhere: a problem or not, but always an answer', async () => {
    const zip = bytes({ ...connector('Implementation-Version: 1'), 'x/B.class': 'y'.repeat(500) });
    for (let at = 0; at < zip.length; at += 3) {
      const broken = Buffer.from(zip);
      broken[at] = (broken[at] as number) ^ 0xff;
      folders.add('a/x-1.jar', broken);
      const { plugins, problems } = await found(unit('a'));
      expect(plugins.length + problems.length).toBeLessThan(5);
    }
  });
});
