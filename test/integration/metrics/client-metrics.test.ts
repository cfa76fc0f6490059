/** Metrics of Kafka clients and lags of sinks, scraped from a worker while its tasks work and while one is stuck. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { parsePrometheus, valueIn, type Family } from '../../helpers/prometheus';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const LINES = 1000;
const group = uniqueName('client-metrics');
const clients = new Clients();
let folder: string;
let worker: StartedWorker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-client-metrics-'));
  const settings = {
    'offset.flush.interval.ms': '200',
    'plugin.path': join(__dirname, 'fixtures', 'plugins'),
    'scheduled.rebalance.max.delay.ms': '0',
  };
  worker = await startWorker({ group, settings });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

type Scrape = (name: string, labels?: Record<string, string>) => number | undefined;

async function scrape(): Promise<Scrape> {
  const found: ReadonlyMap<string, Family> = parsePrometheus((await worker.request('GET', '/metrics')).body);
  return (name, labels = {}) => valueIn(found, name, labels);
}

async function figure(name: string, labels: Record<string, string>, fits: (value: number) => boolean): Promise<void> {
  let last: number | undefined;
  await waitFor(`${name}`, async () => fits((last = (await scrape())(name, labels)) ?? NaN), {
    detail: () => `it is ${last}`,
  });
}

async function send(topic: string, values: readonly string[], timestamp: number | null = null): Promise<void> {
  const producer = await clients.producer(topic);
  for (const value of values) producer.send({ topic, key: null, value: Buffer.from(value), headers: null, timestamp });
  await producer.flush();
}

test('connect-runtime §9: each record of a source and of a sink is counted by its client', async () => {
  const topic = await clients.topic();
  const [source, sink] = [uniqueName('source'), uniqueName('sink')];
  const file = join(folder, 'input');
  await writeFile(file, Array.from({ length: LINES }, (_, n) => `line ${n}\n`).join(''));
  const config = {
    'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
    ...{ topic, file, 'value.converter': 'org.apache.kafka.connect.storage.StringConverter' },
  };
  await worker.register({ name: source, config });
  await worker.register({ name: sink, config: fileSinkConfig(topic, join(folder, 'output')) });
  const from = { connector: source, task: '0', client_id: `connector-producer-${source}-0` };
  const to = { connector: sink, task: '0', client_id: `connector-consumer-${sink}-0` };
  const fetching = 'kafka_consumer_consumer_fetch_manager_metrics_';
  await figure(`${fetching}records_consumed_total`, to, (value) => value === LINES);
  await figure('kafka_consumer_consumer_coordinator_metrics_commit_total', to, (value) => value > 0);
  await figure('millrace_sink_lag_records_max', { connector: sink, task: '0' }, (value) => value === 0);
  const at = await scrape();
  const producer = (name: string): number => at(`kafka_producer_producer_metrics_${name}`, from) ?? NaN;
  expect(producer('record_send_total')).toBe(LINES);
  expect(producer('record_error_total')).toBe(0);
  expect(producer('record_retry_total')).toBe(0);
  expect(producer('buffer_available_bytes')).toBe(producer('buffer_total_bytes'));
  expect(producer('buffer_total_bytes')).toBe(8_388_608);
  expect(producer('requests_in_flight')).toBe(0);
  expect(producer('batch_size_avg')).toBeGreaterThan(61);
  expect(producer('request_latency_max')).toBeGreaterThanOrEqual(producer('request_latency_avg'));
  expect(producer('outgoing_byte_total')).toBeGreaterThan(LINES * 'line 0'.length);
  const partition = { ...to, topic, partition: '0' };
  expect(at(`${fetching}records_lag`, partition)).toBe(0);
  expect(at(`${fetching}records_lag_max`, to)).toBeGreaterThanOrEqual(0);
  expect(at(`${fetching}bytes_consumed_total`, to)).toBeGreaterThan(LINES * 'line 0'.length);
  expect(at(`${fetching}fetch_total`, to)).toBeGreaterThan(0);
  expect(at('kafka_consumer_consumer_coordinator_metrics_assigned_partitions', to)).toBe(1);
  expect(at('kafka_consumer_consumer_coordinator_metrics_rebalance_total', to)).toBe(1);
  const lag = { connector: sink, task: '0', topic, partition: '0' };
  expect(at('millrace_sink_lag_records', lag)).toBe(0);
  expect(at('millrace_sink_lag_seconds', lag)).toBe(0);
  expect((await worker.request('DELETE', `/connectors/${sink}`)).status).toBe(204);
  await waitFor(
    'the series of its consumer to go',
    async () => (await scrape())(`${fetching}fetch_total`, to) === undefined,
  );
});

test('connect-runtime §9: the clients of the storage topics are counted, too', async () => {
  const at = await scrape();
  for (const kind of ['offsets', 'configs', 'statuses']) {
    const client = { client_id: `${group}-${kind}` };
    expect(at('kafka_consumer_consumer_fetch_manager_metrics_fetch_total', client)).toBeGreaterThan(0);
    expect(at('kafka_producer_producer_metrics_record_error_total', client)).toBe(0);
  }
  expect(at('kafka_producer_producer_metrics_record_send_total', { client_id: `${group}-configs` })).toBeGreaterThan(0);
});

test('the lag of a sink grows while its thread is stuck in put, and is 0 when it has caught up', async () => {
  const topic = await clients.topic();
  const [name, held] = [uniqueName('held'), join(folder, 'held')];
  const config = {
    'connector.class': 'test.HeldSinkConnector',
    'task.isolation': 'dedicated',
    ...{ topics: topic, held, 'value.converter': 'org.apache.kafka.connect.storage.StringConverter' },
  };
  await worker.register({ name, config });
  await worker.running(name);
  const labels = { connector: name, task: '0' };
  await figure('millrace_sink_lag_seconds_max', labels, (value) => value === 0);
  await writeFile(held, '');
  await send(topic, ['a', 'b', 'c'], Date.now() - 60_000);
  await figure('millrace_sink_lag_records_max', labels, (value) => value === 3);
  let before = 0;
  await figure('millrace_sink_lag_seconds_max', labels, (value) => (before = value) >= 60);
  await figure('millrace_sink_lag_seconds_max', labels, (value) => value > before);
  expect((await scrape())('kafka_consumer_consumer_fetch_manager_metrics_records_lag', labels)).toBe(0);
  await rm(held);
  await figure('millrace_sink_lag_seconds_max', labels, (value) => value === 0);
  expect((await scrape())('millrace_sink_lag_records_max', labels)).toBe(0);
});
