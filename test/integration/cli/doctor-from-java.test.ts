/**
 * `millrace doctor --from-java` on files in the styles of Apache Kafka, Confluent, Strimzi, Debezium, Amazon MSK, Aiven
 * and Lenses. RECORD_REPORTS=1 writes the expected reports.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';
import { classes, jar, service } from '../../java-host/discovery/jars';
import type { MigrationReport } from '../../../src/cli/verbs/doctor/from-java/report';

const FIXTURES = join(ROOT, 'test', 'cli', 'doctor', 'fixtures');

interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function doctor(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<Answer> {
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'doctor', ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}

test.each([
  ['apache', 0, ['--from-java', 'worker.properties', 'file-sink.properties']],
  ['confluent', 5, ['--from-java', 'connect-distributed.properties', 'connectors.json']],
  ['cp-image', 0, ['--env-file', 'connect.env']],
  ['strimzi', 5, ['--from-java', 'strimzi-connect.properties', 'connector.yaml']],
  ['debezium-image', 0, ['--env-file', 'debezium.env', 'register-postgres.json']],
  ['msk', 5, ['--from-java', 'worker.properties', 's3-sink.json']],
  ['aiven', 5, ['--from-java', 'worker.properties', 'file-sink.json', 'jdbc-sink.json']],
  ['lenses', 5, ['--env-file', 'worker.env', 's3-sink.properties']],
])('%s: exit code %i, and everything at once', async (name, exitCode, args) => {
  const { code, out, err } = await doctor(join(FIXTURES, name), args);
  const file = join(FIXTURES, name, 'report.txt');
  if (process.env.RECORD_REPORTS) writeFileSync(file, out);
  expect([code, err]).toEqual([exitCode, '']);
  expect(out).toBe(readFileSync(file, 'utf8'));
  expect(out).not.toMatch(/-Secret-\d|eyJhbGci|TELEMETRYKEY1|AKIAEXAMPLE/);
});

test('-o json has the same lines, and a shape for scripts', async () => {
  const args = ['--from-java', 'connect-distributed.properties', 'connectors.json', '-o', 'json'];
  const { code, out } = await doctor(join(FIXTURES, 'confluent'), args);
  const { summary, sources, omitted } = JSON.parse(out) as MigrationReport;
  expect(code).toBe(5);
  expect(omitted).toBe(0);
  expect(Object.keys(summary)).toEqual(['rejected', 'ignored', 'changed', 'replaced', 'unchecked', 'same']);
  expect(sources.map(({ type, name, place }) => [type, name, place])).toEqual([
    ['worker', 'connect-distributed.properties', null],
    ['connector', 'orders-jdbc', 'connectors.json, item 1'],
    ['connector', 'orders-cdc', 'connectors.json, item 2'],
  ]);
  const lines = sources.flatMap((source) => source.lines);
  expect(lines).toContainEqual({
    kind: 'ignored',
    key: 'confluent.license',
    message: 'Millrace needs no license.',
    instead: 'Remove it.',
  });
  for (const line of lines) expect(Object.keys(line).sort()).toEqual(['instead', 'key', 'kind', 'message']);
  for (const kind of ['rejected', 'ignored', 'changed', 'replaced', 'unchecked'] as const)
    expect(lines.filter((line) => line.kind === kind)).toHaveLength(summary[kind]);
});

describe('files of others', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'millrace-from-java-'))));
  afterEach(async () => await rm(folder, { recursive: true, force: true }));
  const write = async (name: string, text: string): Promise<void> => await writeFile(join(folder, name), text);

  const WORKER =
    'bootstrap.servers=k:1\ngroup.id=g\nconfig.storage.topic=c\noffset.storage.topic=o\nstatus.storage.topic=s\nkey.converter=JsonConverter\nvalue.converter=JsonConverter\n';

  test('connectors run natively, in a JVM with the jars of a folder, or not; no JVM starts', async () => {
    const className = 'com.acme.BoxSinkConnector';
    await mkdir(join(folder, 'jars', 'box'), { recursive: true });
    await writeFile(
      join(folder, 'jars', 'box', 'box-1.2.jar'),
      jar({ ...service('sink', className), ...classes(className) }),
    );
    await write('worker.properties', `${WORKER}plugin.path=jars\n`);
    const connector = (name: string, of: string, more = {}) => ({
      name,
      config: { 'connector.class': of, topics: 't', ...more },
    });
    const documents = [
      connector('native', 'FileStreamSink', { file: '/tmp/x' }),
      connector('jar', className, { 'box.url': 'b://1', 'connector.plugin.version': '[1,2)' }),
      connector('newer', className, { 'connector.plugin.version': '2' }),
      connector('gone', 'com.acme.Gone'),
    ];
    await write('connectors.json', JSON.stringify(documents));
    const args = ['--from-java', 'worker.properties', 'connectors.json'];
    const { code, out } = await doctor(folder, args);
    const at = `${await realpath(folder)}/jars/box`;
    expect(code).toBe(5);
    expect(out).toContain(`connector jar (connectors.json, item 2): 5 the same, runs in a JVM with ${at}\n`);
    expect(out).toContain('Connectors that run natively: 1, in a JVM: 1, not: 2.\n');
    expect(out).toContain(
      'Plugin com.acme.BoxSinkConnector not found that matches the version range [2,2], available versions: [1.2]. Install',
    );
    expect(out).toContain('Class com.acme.Gone is not installed. Name the folder of its jars in plugin.path');
    const { connectors, sources } = JSON.parse((await doctor(folder, [...args, '-o', 'json'])).out) as MigrationReport;
    expect(connectors).toEqual({ natively: 1, jvm: 1, nowhere: 2 });
    expect(sources.map(({ runs }) => runs?.location)).toEqual([undefined, expect.any(String), at, null, null]);
  });

  test('nothing connects, neither to Kafka nor to the database of a connector', async () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = listener.address() as { port: number };
      await write('w.properties', WORKER.replace('k:1', `127.0.0.1:${port}`));
      const config = {
        'connector.class': 'PostgresConnector',
        ...{ 'database.hostname': '127.0.0.1', 'database.port': String(port), 'database.user': 'u' },
        ...{ 'database.password': 'p', 'database.dbname': 'd', 'topic.prefix': 't' },
      };
      await write('c.json', JSON.stringify({ name: 'c', config }));
      const { code } = await doctor(folder, ['--from-java', 'w.properties', 'c.json']);
      expect([code, connections]).toEqual([0, 0]);
    } finally {
      listener.close();
    }
  });

  test('documents that are no connectors do not hide the others', async () => {
    await write('w.properties', WORKER);
    await write('broken.json', '{ "name": "a", "config": ');
    await write('other.yaml', 'kind: Deployment\nmetadata: { name: x }\n');
    await write('fine.json', '{"name":"f","connector.class":"FileStreamSink","file":"/tmp/f","topics":"t"}');
    const { code, out } = await doctor(folder, [
      '--from-java',
      'w.properties',
      'broken.json',
      'other.yaml',
      'fine.json',
    ]);
    expect(code).toBe(5);
    expect(out).toMatch(/rejected {3}broken\.json: /);
    expect(out).toContain('other.yaml: ');
    expect(out).toContain('connector f (fine.json): 4 the same');
  });

  test('--config is another check', async () => {
    const { code, err } = await doctor(folder, ['--from-java', 'w.properties', '--config', 'w.properties']);
    expect([code, err]).toEqual([2, expect.stringContaining('run one after the other')]);
  });

  test('a file that is not a properties file, and one that is too large', async () => {
    await write('w.properties', `${WORKER}listeners=\\u00zz\n`);
    const syntax = await doctor(folder, ['--from-java', 'w.properties']);
    expect(syntax.code).toBe(5);
    expect(syntax.out).toContain('It is not a properties file: line 8: ');
    await write('w.properties', `a=${'x'.repeat(1024 * 1024)}\n`);
    const large = await doctor(folder, ['--from-java', 'w.properties']);
    expect([large.code, large.out]).toEqual([2, '']);
    expect(large.err).toContain('w.properties: it cannot be read: ');
    const absent = await doctor(folder, ['--from-java', 'absent.properties']);
    expect([absent.code, absent.err]).toEqual([2, expect.stringContaining('absent.properties: it cannot be read')]);
  });

  test('hostile: control characters, secrets, 30,000 unknown keys, an exponential expression', async () => {
    const unknown = Array.from({ length: 30_000 }, (_, i) => `x${i}.unknown=1`).join('\n');
    await write(
      'w.properties',
      `${WORKER}ssl.truststore.password=hunter2-hunter2\nsession.timeout.ms=soon\n__proto__=a\nconstructor=b\n` +
        `e\\u001b[31m.key=1\nevil\\u202e.name=1\nmetric.reporters=x\n${unknown}\n`,
    );
    await write(
      'c.json',
      JSON.stringify({
        name: 'c\u202e',
        config: {
          ...{ 'connector.class': 'FileStreamSink', file: '/tmp/f', topics: 't' },
          ...{ 'topics.regex': `${'(a+)+'.repeat(50)}$`, 'erors.tolerance': 'all' },
          'consumer.override.sasl.jaas.config': 'M required password="hunter2-hunter2";',
        },
      }),
    );
    const { code, out, err } = await doctor(folder, ['--from-java', 'w.properties', 'c.json'], {
      KAFKA_OPTS: '-javaagent:/a.jar=hunter2-hunter2 -Dx.password=hunter2-hunter2 -Dhunter2',
    });
    expect([code, err]).toEqual([5, '']);
    expect(out).not.toContain('hunter2-hunter2');
    // eslint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(out).toMatch(/^\d+ more lines are not shown\.$/m);
    expect(out.length).toBeLessThan(1_000_000);
  });
});
