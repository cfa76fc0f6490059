/** A worker whose Node.js connectors use a transformation and converters that only a jar has. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtJavaHost } from '../../../dev/services/java-host';
import { pluginPath } from '../../../dev/services/plugin-jars';
import { type StartedWorker, startWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const TRANSFORMS = 'org.apache.kafka.connect.transforms';
const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter';
const CONVERTER = {
  'value.converter': 'io.debezium.converters.BinaryDataConverter',
  'value.converter.delegate.converter.type': JSON_CONVERTER,
  'value.converter.delegate.converter.type.schemas.enable': 'false',
};

let worker: StartedWorker;
let clients: Clients;
let folder: string;
beforeAll(async () => {
  await builtJavaHost();
  folder = mkdtempSync(join(tmpdir(), 'elements-'));
  clients = new Clients();
  worker = await startWorker({
    group: uniqueName('elements'),
    settings: { 'plugin.path': await pluginPath('debezium-postgres', 'mirror'), 'offset.flush.interval.ms': '500' },
  });
  await worker.ready();
}, 300_000);
afterAll(async () => {
  await worker.stop();
  await clients.close();
  rmSync(folder, { recursive: true });
});

const lines = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

function jvms(): number[] {
  const processes = execFileSync('ps', ['-o', 'pid=,comm=', '--ppid', String(worker.pid)], { encoding: 'utf8' });
  return [...processes.matchAll(/^\s*(\d+) java$/gm)].map(([, pid]) => Number(pid));
}

test('records pass both, in order, also while the JVM is killed', async () => {
  const topic = await clients.topic();
  const [input, output] = [join(folder, 'in.txt'), join(folder, 'out.txt')];
  writeFileSync(input, 'one\ntwo\n');
  const source = {
    'connector.class': 'FileStreamSource',
    file: input,
    topic,
    ...CONVERTER,
    transforms: 'hoist,where,size,insert',
    'transforms.hoist.type': `${TRANSFORMS}.HoistField$Value`,
    'transforms.hoist.field': 'line',
    // Kafka's own, of another folder's JVM than Debezium's.
    'transforms.where.type': `${TRANSFORMS}.InsertField$Value`,
    'transforms.where.plugin.version': '[4.3.1]',
    'transforms.where.topic.field': 'of',
    'transforms.where.predicate': 'ours',
    predicates: 'ours',
    'predicates.ours.type': `${TRANSFORMS}.predicates.TopicNameMatches`,
    'predicates.ours.plugin.version': '[4.3.1]',
    'predicates.ours.pattern': '.*',
    'transforms.size.type': 'io.debezium.transforms.EnforceRecordSize',
    'transforms.insert.type': `${TRANSFORMS}.InsertField$Value`,
    'transforms.insert.static.field': 's',
    'transforms.insert.static.value': 'x',
  };
  const refused = await worker.request('PUT', '/connector-plugins/FileStreamSource/config/validate', {
    name: 'source',
    ...source,
  });
  expect(JSON.stringify(refused.json)).toContain('transforms.size.max.bytes\\" which has no default value');
  const size = { 'transforms.size.max.bytes': '1000', 'transforms.size.min.field.size': '100' };
  await worker.register({ name: 'source', config: { ...source, ...size } });
  await worker.register({
    name: 'sink',
    config: { 'connector.class': 'FileStreamSink', topics: topic, file: output, ...CONVERTER },
  });
  await Promise.all([worker.running('source'), worker.running('sink')]);
  const row = (line: string) => JSON.stringify({ line, of: topic, s: 'x' });
  const has = (line: string) => waitFor(line, () => lines(output).some((one) => one.includes(line)));
  await has('two');
  // Binary data is what the converter reads, whatever it has written.
  expect(lines(output)).toEqual([row('one'), row('two')]);

  expect(jvms()).toHaveLength(2);
  for (const pid of jvms()) process.kill(pid, 'SIGKILL');
  appendFileSync(input, Array.from({ length: 50 }, (_, i) => `after${i}\n`).join(''));
  await has('after49');
  expect(lines(output).filter((line) => line.includes('after'))).toEqual(
    Array.from({ length: 50 }, (_, i) => row(`after${i}`)),
  );
  for (const name of ['source', 'sink']) expect((await worker.status(name)).tasks[0]?.state).toBe('RUNNING');
}, 120_000);

test('settings that the Java class refuses fail the task with its exception', async () => {
  const file = join(folder, 'refused.txt');
  writeFileSync(file, 'line\n');
  const config = {
    'connector.class': 'FileStreamSource',
    file,
    topic: await clients.topic(),
    transforms: 'none',
    'transforms.none.type': `${TRANSFORMS}.InsertField$Value`,
    'transforms.none.plugin.version': '[4.3.1]',
    'errors.tolerance': 'all',
  };
  await worker.register({ name: 'refused', config });
  const { tasks } = await worker.statusWhen('refused', (status) => status.tasks[0]?.state === 'FAILED');
  expect(tasks[0]?.trace).toMatch(
    /^org\.apache\.kafka\.common\.config\.ConfigException: .*No field insertion configured/,
  );
  expect(tasks[0]?.trace).toContain('at org.apache.kafka.connect.transforms.InsertField.configure');
}, 120_000);
