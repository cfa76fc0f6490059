/** Metrics of Kafka clients, from the thread that counts to the text of a scrape. */
import { ClientMeter, clientFigures, OpenClients, type ClientAnnouncement } from '../../src/metrics/open-clients';
import {
  CONSUMER,
  CONSUMER_COORDINATOR,
  FETCH_MANAGER,
  MAX_PARTITION_SERIES,
  PRODUCER,
} from '../../src/metrics/client-groups';
import { SINK_LAG } from '../../src/metrics/sink-lag-groups';
import { metricName, type Group, type Sample } from '../../src/metrics/attribute';
import { DEFAULT_SAMPLE_WINDOWS } from '../../src/metrics/task-metrics';

const NOW = Date.now();

function setUp(): { meter: ClientMeter; open: OpenClients } {
  const open = new OpenClients();
  // As between two threads: everything but the shared memory is copied.
  const accept = (announcement: ClientAnnouncement): void => open.accept(structuredClone(announcement));
  return { meter: new ClientMeter(DEFAULT_SAMPLE_WINDOWS, accept), open };
}

function samples<T>(group: Group<T>, all: readonly T[], name: string): Sample[] {
  const attribute = group.attributes.find((known) => metricName(group, known) === name);
  if (attribute === undefined) throw new Error(`no ${name}`);
  return all.flatMap((of) =>
    attribute.samples(of, NOW).map(({ labels, value }) => ({ labels: { ...group.labels(of), ...labels }, value })),
  );
}

test('connect-runtime §9: a producer of a task has the labels of its client and its task', () => {
  const { meter, open } = setUp();
  const metrics = meter.producer('connector-producer-c-0');
  metrics.bufferBytes.set(1000);
  metrics.bufferedBytes.set(400);
  metrics.batchSent(200, 5, NOW);
  metrics.batchSent(100, 3, NOW);
  metrics.requestSent(10, NOW);
  metrics.retry(10);
  metrics.requestSent(10, NOW);
  metrics.failure(4);
  metrics.network.sent(350);
  const { producers } = clientFigures({ clients: [], tasks: [{ connector: 'c', task: 0, clients: open.all() }] }, NOW);
  const labels = { client_id: 'connector-producer-c-0', connector: 'c', task: '0' };
  const figure = (name: string): Sample[] => samples(PRODUCER, producers, `kafka_producer_producer_metrics_${name}`);
  expect(figure('record_send_total')).toEqual([{ labels, value: 20 }]);
  expect(figure('record_retry_total')).toEqual([{ labels, value: 10 }]);
  expect(figure('record_error_total')).toEqual([{ labels, value: 4 }]);
  expect(figure('buffer_available_bytes')).toEqual([{ labels, value: 600 }]);
  expect(figure('batch_size_avg')).toEqual([{ labels, value: 150 }]);
  expect(figure('record_queue_time_max')).toEqual([{ labels, value: 5 }]);
  expect(figure('requests_in_flight')).toEqual([{ labels, value: 2 }]);
  expect(figure('outgoing_byte_total')).toEqual([{ labels, value: 350 }]);
});

test('a client of the worker has its client id only, and a closed one is not reported', () => {
  const { meter, open } = setUp();
  const metrics = meter.consumer('g-offsets');
  metrics.consumed(3, 90);
  const { consumers } = clientFigures({ clients: open.all(), tasks: [] }, NOW);
  expect(
    samples(FETCH_MANAGER, consumers, 'kafka_consumer_consumer_fetch_manager_metrics_bytes_consumed_total'),
  ).toEqual([{ labels: { client_id: 'g-offsets' }, value: 90 }]);
  expect(samples(CONSUMER, consumers, 'kafka_consumer_consumer_metrics_last_poll_seconds_ago')).toEqual([
    { labels: { client_id: 'g-offsets' }, value: -1 },
  ]);
  metrics.closed.set(1);
  expect(open.all()).toEqual([]);
});

test('connect-runtime §9: group figures of a consumer are read from the memory, times since included', () => {
  const { meter, open } = setUp();
  const { group } = meter.consumer('c');
  group.heartbeats.record(4, NOW - 2500);
  const { consumers } = clientFigures({ clients: open.all(), tasks: [] }, NOW);
  const figure = (name: string): number | undefined =>
    samples(CONSUMER_COORDINATOR, consumers, `kafka_consumer_consumer_coordinator_metrics_${name}`)[0]?.value;
  expect(figure('heartbeat_total')).toBe(1);
  expect(figure('last_heartbeat_seconds_ago')).toBe(2);
  expect(figure('last_rebalance_seconds_ago')).toBe(-1);
});

test('of two clients of a task with the same id, the later one is reported', () => {
  const { meter, open } = setUp();
  meter.producer('p').batchSent(100, 3, NOW);
  meter.producer('p').batchSent(200, 5, NOW);
  const { producers } = clientFigures({ clients: open.all(), tasks: [] }, NOW);
  expect(samples(PRODUCER, producers, 'kafka_producer_producer_metrics_batch_size_max')).toEqual([
    { labels: { client_id: 'p' }, value: 200 },
  ]);
});

test('the series of partitions are bounded, and the maximum covers the others', async () => {
  const { meter, open } = setUp();
  const { lags } = meter.consumer('connector-consumer-c-0');
  lags?.trackProcessing();
  for (let partition = 0; partition <= MAX_PARTITION_SERIES; partition++) {
    const lag = lags?.of({ topic: 't', partition });
    lag?.assign();
    lag?.sought(0, NOW);
    lag?.ended(partition, NOW - 1000);
  }
  await Promise.resolve();
  const { consumers } = clientFigures({ clients: [], tasks: [{ connector: 'c', task: 3, clients: open.all() }] }, NOW);
  for (const [figure, value] of [
    ['records', 7],
    ['seconds', 1],
  ] as const) {
    const each = samples(SINK_LAG, consumers, `millrace_sink_lag_${figure}`);
    expect(each).toHaveLength(MAX_PARTITION_SERIES);
    expect(each[7]).toEqual({ labels: { connector: 'c', task: '3', topic: 't', partition: '7' }, value });
  }
  const labels = { connector: 'c', task: '3' };
  expect(samples(SINK_LAG, consumers, 'millrace_sink_lag_records_max')).toEqual([
    { labels, value: MAX_PARTITION_SERIES },
  ]);
  expect(samples(SINK_LAG, consumers, 'millrace_sink_lag_seconds_max')).toEqual([{ labels, value: 1 }]);
});
