/** A worker as a user starts it, scraped as Prometheus does, while a source, a sink and failing tasks run in it. */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { parsePrometheus, valueIn, type Family } from '../../helpers/prometheus';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const LINES = 1000;
const group = uniqueName('metrics');
const clients = new Clients();
const settings = {
  'offset.flush.interval.ms': '200',
  'plugin.path': join(__dirname, '..', 'cluster', 'fixtures', 'plugins'),
  'offset.flush.timeout.ms': '60000',
  'session.timeout.ms': '30000',
  'heartbeat.interval.ms': '200',
  'scheduled.rebalance.max.delay.ms': '0',
  'errors.restart.max': '0',
  'task.shutdown.graceful.timeout.ms': '500',
};
let folder: string;
let worker: StartedWorker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-metrics-'));
  worker = await startWorker({ group, settings });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

type Scrape = (group: string, labels?: Record<string, string>) => number | undefined;

async function scrape(of = worker): Promise<Scrape> {
  const { status, body } = await of.request('GET', '/metrics');
  expect(status).toBe(200);
  const found: ReadonlyMap<string, Family> = parsePrometheus(body);
  return (name, labels = {}) => valueIn(found, `kafka_connect_${name}`, labels);
}

/** Scrapes until the figure has the expected value. */
async function figure(name: string, labels: Record<string, string>, expected: number, of = worker): Promise<void> {
  let last: number | undefined;
  await waitFor(`${name} to be ${expected}`, async () => (last = (await scrape(of))(name, labels)) === expected, {
    detail: () => `it is ${last}\n${of.process.log().slice(-3000)}`,
  });
}

const fileSource = (topic: string, file: string): Record<string, string> => ({
  'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
  topic,
  file,
  'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
});

test('connect-runtime §9: each record of a source and of a sink is counted once, its commits too', async () => {
  const topic = await clients.topic();
  const [source, sink] = [uniqueName('source'), uniqueName('sink')];
  const input = join(folder, 'input');
  await writeFile(input, Array.from({ length: LINES }, (_, n) => `line ${n}\n`).join(''));
  await worker.register({ name: source, config: fileSource(topic, input) });
  await worker.register({ name: sink, config: fileSinkConfig(topic, join(folder, 'output')) });
  const from = { connector: source, task: '0' };
  const to = { connector: sink, task: '0' };
  await figure('sink_task_metrics_sink_record_send_total', to, LINES);
  await figure('sink_task_metrics_sink_record_active_count', to, 0);
  await figure('source_task_metrics_source_record_write_total', from, LINES);
  await figure('source_task_metrics_source_record_active_count', from, 0);
  // According to the status topic.
  for (const { connector } of [from, to])
    await figure('connect_worker_metrics_connector_running_task_count', { connector }, 1);
  const at = await scrape();
  expect(at('source_task_metrics_source_record_poll_total', from)).toBe(LINES);
  expect(at('source_task_metrics_source_record_active_count_max', from)).toBeGreaterThan(0);
  expect(at('source_task_metrics_source_record_poll_rate', from)).toBeGreaterThan(0);
  expect(at('source_task_metrics_poll_batch_avg_time_ms', from)).toBeGreaterThanOrEqual(0);
  expect(at('sink_task_metrics_sink_record_read_total', to)).toBe(LINES);
  expect(at('sink_task_metrics_partition_count', to)).toBe(1);
  expect(at('sink_task_metrics_offset_commit_completion_total', to)).toBeGreaterThan(0);
  expect(at('sink_task_metrics_offset_commit_skip_total', to)).toBe(0);
  for (const labels of [from, to]) {
    expect(at('connector_task_metrics_status', { ...labels, status: 'running' })).toBe(1);
    expect(at('connector_task_metrics_running_ratio', labels)).toBeGreaterThan(0);
    expect(at('connector_task_metrics_batch_size_max', labels)).toBeGreaterThan(0);
    expect(at('connector_task_metrics_offset_commit_failure_percentage', labels)).toBe(0);
    expect(at('task_error_metrics_total_record_failures', labels)).toBe(0);
    expect(at('connector_metrics_status', { connector: labels.connector, status: 'running' })).toBe(1);
  }
  const names = { connector_class: 'org.apache.kafka.connect.file.FileStreamSinkConnector' };
  expect(at('connector_metrics_connector_class', { connector: sink, ...names })).toBe(1);
  expect(at('connector_metrics_connector_type', { connector: sink, connector_type: 'sink' })).toBe(1);
  await figure('connector_task_metrics_offset_commit_success_percentage', from, 1);
  // More of them: totals continue.
  await appendFile(input, 'one more\n');
  await figure('sink_task_metrics_sink_record_send_total', to, LINES + 1);
  await figure('source_task_metrics_source_record_write_total', from, LINES + 1);
});

test('connect-runtime §9: the worker, its group and its coordinator', async () => {
  await figure('connect_coordinator_metrics_last_heartbeat_seconds_ago', {}, 0);
  const at = await scrape();
  expect(at('connect_worker_metrics_connector_startup_failure_total')).toBe(0);
  expect(at('connect_worker_metrics_connector_startup_attempts_total')).toBeGreaterThanOrEqual(2);
  expect(at('connect_worker_rebalance_metrics_connect_protocol', { connect_protocol: 'SESSIONED' })).toBe(1);
  expect(at('connect_worker_rebalance_metrics_leader_name', { leader_name: `${worker.url}/` })).toBe(1);
  expect(at('connect_worker_rebalance_metrics_completed_rebalances_total')).toBeGreaterThan(0);
  expect(at('connect_worker_rebalance_metrics_rebalancing')).toBe(0);
  expect(at('connect_worker_rebalance_metrics_epoch')).toBeGreaterThan(0);
  expect(at('connect_coordinator_metrics_assigned_tasks')).toBe(2);
  expect(at('connect_coordinator_metrics_join_total')).toBeGreaterThan(0);
  expect(at('connect_coordinator_metrics_sync_total')).toBeGreaterThan(0);
  expect(at('connect_coordinator_metrics_heartbeat_total')).toBeGreaterThan(0);
  expect(at('app_info_version', { version: '4.3.1' })).toBe(1);
});

test('connect-runtime §9: tolerated failures count as failures, errors, skips, log lines and dead letters', async () => {
  const [topic, dead] = [await clients.topic(), await clients.topic()];
  const name = uniqueName('tolerant');
  const producer = await clients.producer(topic);
  for (const value of ['{"good":1}', 'bad', '{"good":2}', 'worse'])
    producer.send({ topic, key: null, value: Buffer.from(value), headers: null, timestamp: null });
  await producer.flush();
  const config = fileSinkConfig(topic, join(folder, 'tolerant'), {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.schemas.enable': 'false',
    'errors.tolerance': 'all',
    'errors.log.enable': 'true',
    'errors.deadletterqueue.topic.name': dead,
    'errors.deadletterqueue.topic.replication.factor': '1',
  });
  const began = Date.now();
  await worker.register({ name, config });
  const labels = { connector: name, task: '0' };
  await figure('sink_task_metrics_sink_record_send_total', labels, 2);
  const at = await scrape();
  const errors = (attribute: string): number | undefined => at(`task_error_metrics_${attribute}`, labels);
  expect(at('sink_task_metrics_sink_record_read_total', labels)).toBe(4);
  expect(['failures', 'errors'].map((kind) => errors(`total_record_${kind}`))).toEqual([2, 2]);
  expect(errors('total_records_skipped')).toBe(2);
  expect(errors('total_retries')).toBe(0);
  expect(errors('total_errors_logged')).toBe(2);
  expect(errors('deadletterqueue_produce_requests')).toBe(2);
  expect(errors('deadletterqueue_produce_failures')).toBe(0);
  expect(errors('last_error_timestamp')).toBeGreaterThanOrEqual(began);
});

test('connect-runtime §9: a failed task keeps its figures until it restarts; a deleted connector has none', async () => {
  const topic = await clients.topic();
  const name = uniqueName('failing');
  const producer = await clients.producer(topic);
  const send = async (value: string): Promise<void> => {
    producer.send({ topic, key: null, value: Buffer.from(value), headers: null, timestamp: null });
    await producer.flush();
  };
  const config = fileSinkConfig(topic, join(folder, 'failing'), {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.schemas.enable': 'false',
  });
  await worker.register({ name, config });
  const labels = { connector: name, task: '0' };
  await send('1');
  await figure('sink_task_metrics_sink_record_send_total', labels, 1);
  await send('bad');
  await figure('connector_task_metrics_status', { ...labels, status: 'failed' }, 1);
  await figure('connect_worker_metrics_connector_failed_task_count', { connector: name }, 1);
  let at = await scrape();
  expect(at('sink_task_metrics_sink_record_send_total', labels)).toBe(1);
  expect(at('task_error_metrics_total_record_errors', labels)).toBe(1);
  expect(at('task_error_metrics_total_records_skipped', labels)).toBe(0);
  const starts = at('connect_worker_metrics_task_startup_attempts_total') ?? NaN;
  expect((await worker.request('POST', `/connectors/${name}/tasks/0/restart`)).status).toBe(204);
  await figure('connect_worker_metrics_task_startup_attempts_total', {}, starts + 1);
  await figure('connector_task_metrics_status', { ...labels, status: 'failed' }, 1);
  at = await scrape();
  expect(at('sink_task_metrics_sink_record_send_total', labels)).toBe(0);
  expect((await worker.request('DELETE', `/connectors/${name}`)).status).toBe(204);
  await figure('connect_worker_metrics_task_count', {}, 3);
  await waitFor('the last of its series to go', async () => {
    const { body } = await worker.request('GET', '/metrics');
    return !body.includes(name);
  });
});

test('connect-runtime §9: a task that never ran is a failed start', async () => {
  const name = uniqueName('unstarted');
  const before = (await scrape())('connect_worker_metrics_task_startup_failure_total') ?? NaN;
  await worker.register({ name, config: fileSinkConfig(await clients.topic(), folder) });
  await worker.statusWhen(name, ({ tasks }) => tasks[0]?.state === 'FAILED');
  await figure('connect_worker_metrics_task_startup_failure_total', {}, before + 1);
  await worker.request('DELETE', `/connectors/${name}`);
});

test('a stuck thread does not delay a scrape, and its figures are exported', async () => {
  const name = uniqueName('hung');
  const config = {
    'connector.class': 'test.UnrulySourceConnector',
    'task.isolation': 'dedicated',
    journal: join(folder, 'hung'),
    misbehave: 'hang',
    times: '1',
  };
  await worker.register({ name, config });
  await worker.running(name);
  const at = await scrape();
  expect(at('connector_task_metrics_status', { connector: name, task: '0', status: 'running' })).toBe(1);
  expect(at('source_task_metrics_source_record_poll_total', { connector: name, task: '0' })).toBe(0);
  expect((await worker.request('DELETE', `/connectors/${name}`)).status).toBe(204);
});

test('connect-runtime §9: each of two workers has only the series of its own tasks', async () => {
  const other = await startWorker({ group, settings });
  try {
    await other.ready();
    const names = [1, 2, 3].map(() => uniqueName('shared'));
    const topic = await clients.topic();
    for (const name of names) await worker.register({ name, config: fileSinkConfig(topic, join(folder, name)) });
    for (const name of names) await worker.running(name);
    await waitFor('each task to have figures at its worker alone', async () => {
      const scrapes = await Promise.all([worker, other].map((of) => scrape(of)));
      const owners = await Promise.all(names.map(async (name) => (await worker.status(name)).tasks[0]?.worker_id));
      const seen = names.map((connector) =>
        scrapes.map((at) => at('connector_task_metrics_running_ratio', { connector, task: '0' }) !== undefined),
      );
      const expected = owners.map((owner) => [worker, other].map(({ url }) => url.endsWith(`/${owner}`)));
      const counts = scrapes.map((at) => at('connect_worker_metrics_task_count') ?? 0);
      return JSON.stringify(seen) === JSON.stringify(expected) && counts.every((count) => count > 0);
    });
  } finally {
    await other.stop();
  }
});
