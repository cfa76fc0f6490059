/** The broker restarts repeatedly while workers rebalance and offsets are stored: nothing fails, nothing is lost. */
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker } from '../../dev/services/broker';
import type { RunningKafka } from '../../dev/services/kafka';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients, readToEnd, valuesOf } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const TOPIC = 'restarts';

let broker: RunningKafka;
let folder: string;
const workers: StartedWorker[] = [];
const group = uniqueName('restarts');

const logs = (): string => workers.map(({ process }) => process.log().slice(-5000)).join('\n===\n');

async function started(): Promise<StartedWorker> {
  const worker = await startWorker({
    bootstrapServers: broker.bootstrapServers,
    group,
    settings: {
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '1000',
      'scheduled.rebalance.max.delay.ms': '1000',
      'offset.flush.interval.ms': '200',
      'consumer.session.timeout.ms': '6000',
      // A failed task stays FAILED, so the test would see it.
      'errors.restart.max': '0',
    },
  });
  workers.push(worker);
  return worker;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-restarts-'));
  // A restarted Kafka waits until the session of its predecessor expires.
  broker = await startBroker({
    settings: { 'broker.session.timeout.ms': '3000', 'broker.heartbeat.interval.ms': '500' },
  });
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await broker?.stop();
  await rm(folder, { recursive: true, force: true });
});

let written = 0;
const write = async (lines: number): Promise<void> => {
  const from = written;
  written += lines;
  await appendFile(join(folder, 'in'), Array.from({ length: lines }, (_, i) => `line ${from + i}\n`).join(''));
};
/** Every line so far has arrived in the output. */
async function arrived(): Promise<void> {
  const wanted = written;
  let found = new Set<string>();
  await waitFor(
    `${wanted} lines`,
    async () =>
      (found = new Set(
        (await readFile(join(folder, 'out'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
      )).size >= wanted,
    // The whole file is read each time.
    { timeoutMs: 120_000, everyMs: 500, detail: () => `${found.size} lines\n${logs()}` },
  );
}
/** All states that were ever reported. */
async function statuses(): Promise<string[]> {
  const clients = new Clients({ 'bootstrap.servers': broker.bootstrapServers });
  const seen: string[] = [];
  try {
    const consumer = await clients.assigned();
    for (let partition = 0; partition < 5; partition++) {
      const tp = { topic: `${group}-status`, partition };
      const [end] = await clients.admin.listOffsets([tp], 'latest');
      consumer.assign([tp]);
      await consumer.seekToBeginning([tp]);
      seen.push(...valuesOf(await readToEnd(consumer, tp, end?.offset ?? 0)));
    }
  } finally {
    await clients.close();
  }
  return seen.map((value) => /"state":"(\w+)"/.exec(value)?.[1] ?? '');
}
async function allRun(): Promise<void> {
  for (const name of ['in', 'out']) await (workers[0] as StartedWorker).running(name);
}
async function restartBroker(): Promise<void> {
  await broker.crash();
  await broker.restart();
}

test('connect-runtime 110: the broker restarts during offset commits, a rebalance, a config change and the death of a worker', async () => {
  const first = await started();
  await first.ready();
  await write(100);
  const json = { 'value.converter': 'org.apache.kafka.connect.storage.StringConverter' };
  const source = { 'connector.class': 'FileStreamSource', file: join(folder, 'in'), topic: TOPIC, ...json };
  const sink = fileSinkConfig(TOPIC, join(folder, 'out'));
  await first.register({ name: 'in', config: source });
  await first.register({ name: 'out', config: sink });
  await allRun();
  await arrived();

  const flow = setInterval(() => void write(5), 20);
  try {
    await restartBroker();
    await arrived();

    const second = await started();
    await restartBroker();
    await second.ready();
    await allRun();
    await arrived();

    const changed = waitFor(
      'the configuration to be taken',
      async () =>
        (await second.request('PUT', '/connectors/in/config', { ...source, 'batch.size': '100' }).catch(() => null))
          ?.status === 200,
      { timeoutMs: 120_000, everyMs: 500, detail: logs },
    );
    await restartBroker();
    await changed;
    await allRun();
    await arrived();

    await second.crash();
    workers.pop();
    await restartBroker();
    await first.statusWhen('in', ({ tasks }) => tasks.every(({ worker_id }) => worker_id === new URL(first.url).host));
    await allRun();
  } finally {
    clearInterval(flow);
  }
  await arrived();
  expect(await statuses()).toContain('RUNNING');
  expect(await statuses()).not.toContain('FAILED');
}, 600_000);
