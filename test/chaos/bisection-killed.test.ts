/**
 * A worker is killed while it looks for the records of a batch that a sink rejects: no record is lost, and only the
 * rejected ones are in the dead letter topic.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { Clients, readToEnd, valuesOf } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const RECORDS = 300;
const BAD = [0, 77, 78, 299];
const VALUES = Array.from({ length: RECORDS }, (_, i) => (BAD.includes(i) ? `bad${i}` : `v${i}`));
const GOOD = VALUES.filter((value) => value.startsWith('v'));

const clients = new Clients();
const folder = mkdtempSync(join(tmpdir(), 'millrace-bisection-'));
afterAll(async () => {
  await clients.close();
  rmSync(folder, { recursive: true, force: true });
});

const startOne = async (group: string): Promise<StartedWorker> => {
  const worker = await startWorker({
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
  await worker.ready();
  return worker;
};

test.each([
  ['before a part is written', 3, false],
  ['after a part is written', 9, true],
])('killed %s: every record is delivered or a dead letter', async (_when, at, after) => {
  const group = uniqueName('bisection');
  const topic = await clients.topic();
  const dead = await clients.topic();
  const table = join(folder, group);
  await clients.send(topic, VALUES);
  let worker = await startOne(group);
  try {
    await worker.register({
      name: group,
      config: {
        'connector.class': 'test.TableSinkConnector',
        topics: topic,
        'errors.tolerance': 'all',
        'errors.deadletterqueue.topic.name': dead,
        table,
        killed: `${table}-killed`,
        'kill.at': String(at),
        'kill.after': String(after),
      },
    });
    await worker.exited();
    expect(existsSync(`${table}-killed`)).toBe(true);
    await worker.stop();
    worker = await startOne(group);
    const committed = async (): Promise<number> =>
      (await worker.request('GET', `/connectors/${group}/offsets`)).json?.offsets?.[0]?.offset?.kafka_offset ?? 0;
    await waitFor('all offsets to be committed', async () => (await committed()) === RECORDS, {
      detail: () => worker.process.log(),
    });
    const written = readFileSync(table, 'utf8').trim().split(/[,\n]/);
    expect([...new Set(written)]).toEqual(GOOD);
    const end = (await clients.admin.listOffsets([{ topic: dead, partition: 0 }], 'latest'))[0]?.offset ?? 0;
    const reader = await clients.assigned();
    reader.assign([{ topic: dead, partition: 0 }]);
    const letters = valuesOf(await readToEnd(reader, { topic: dead, partition: 0 }, end));
    expect([...new Set(letters)].sort()).toEqual(BAD.map((i) => `bad${i}`).sort());
    const state = (await worker.status(group)).tasks[0]?.state;
    expect(state).toBe('RUNNING');
  } finally {
    await worker.stop();
  }
});
