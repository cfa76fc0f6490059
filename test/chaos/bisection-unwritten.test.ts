/**
 * The dead letter of a batch that a sink rejects is not written when the worker is killed: the record stays before the
 * committed offset, and is a dead letter of the worker that follows.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useEmbeddedBroker } from '@millrace/embedded';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { Clients, readToEnd, valuesOf } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const RECORDS = 300;
const BAD = 77;
const VALUES = Array.from({ length: RECORDS }, (_, i) => (i === BAD ? 'bad' : `v${i}`));
const GOOD = VALUES.filter((value) => value !== 'bad');

const broker = useEmbeddedBroker();
const folder = mkdtempSync(join(tmpdir(), 'millrace-unwritten-'));
let clients: Clients | undefined;
let worker: StartedWorker | undefined;
// While the broker still runs.
afterEach(async () => {
  await worker?.stop();
  await clients?.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function startOne(group: string): Promise<StartedWorker> {
  const started = await startWorker({
    bootstrapServers: broker.bootstrapServers,
    group,
    settings: {
      'plugin.path': join(__dirname, 'fixtures', 'plugins'),
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '1000',
      'consumer.session.timeout.ms': '6000',
      'offset.flush.interval.ms': '100',
    },
  });
  await started.ready();
  return started;
}

test('killed while a dead letter is not written: one record costs log2(n) + 1 further calls, and none is lost', async () => {
  const kafka = (clients = new Clients({ 'bootstrap.servers': broker.bootstrapServers }));
  const group = uniqueName('unwritten');
  const topic = await kafka.topic();
  const dead = await kafka.topic();
  const table = join(folder, 'table');
  const puts = join(folder, 'puts');
  await kafka.send(topic, VALUES);
  const resume = broker.faults.pausePartition(dead, 0);
  worker = await startOne(group);
  await worker.register({
    name: group,
    config: {
      'connector.class': 'test.TableSinkConnector',
      topics: topic,
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': dead,
      table,
      puts,
      killed: `${table}-killed`,
    },
  });
  const written = (): string[] => (existsSync(table) ? readFileSync(table, 'utf8').trim().split(/[,\n]/) : []);
  const committed = async (): Promise<number> =>
    (await worker?.request('GET', `/connectors/${group}/offsets`))?.json?.offsets?.[0]?.offset?.kafka_offset ?? 0;
  await waitFor('the other records', () => written().length === GOOD.length);
  expect(written()).toEqual(GOOD);
  const sizes = readFileSync(puts, 'utf8').trim().split('\n').map(Number);
  expect(sizes[0]).toBe(RECORDS);
  expect(sizes.length - 1).toBeLessThanOrEqual(Math.ceil(Math.log2(RECORDS)) + 1);
  await waitFor('a commit up to the record', async () => (await committed()) === BAD);
  await worker.crash();
  resume();
  worker = await startOne(group);
  await waitFor('all offsets to be committed', async () => (await committed()) === RECORDS, {
    detail: () => worker?.process.log() ?? '',
  });
  expect([...new Set(written())]).toEqual(GOOD);
  const end = (await kafka.admin.listOffsets([{ topic: dead, partition: 0 }], 'latest'))[0]?.offset ?? 0;
  const reader = await kafka.assigned();
  reader.assign([{ topic: dead, partition: 0 }]);
  const letters = valuesOf(await readToEnd(reader, { topic: dead, partition: 0 }, end));
  expect([...new Set(letters)]).toEqual(['bad']);
});
