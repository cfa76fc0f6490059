/** The metric groups of Kafka clients, with the names of Java's clients. Source: connect-runtime §9. */
import { counter, gauge, type Attribute, type Group } from './attribute';
import { coordinatorAttributes } from './coordinator-attributes';
import type { Figure } from './cells';
import type { NetworkMetrics } from './network-metrics';
import type { ConsumerFigures, ProducerFigures } from './open-clients';
import type { ConsumerMetrics } from './consumer-metrics';
import type { ProducerMetrics } from './producer-metrics';
import type { SampledStat } from './sampled-stat';

/** Partitions of one consumer with series of their own; maxima cover all. */
export const MAX_PARTITION_SERIES = 1_000;

interface Of<M> {
  readonly metrics: M;
}

/** Java has the label `client-id` only; `connector` and `task` are those of a task's client. */
const labels = ({ clientId, owner }: ConsumerFigures | ProducerFigures): Record<string, string> => ({
  client_id: clientId,
  ...(owner !== null && { connector: owner.connector, task: String(owner.task) }),
});

/** Average and maximum; `-avg` and `-max` are appended to the name. */
function spread<M>(name: string, what: string, read: (metrics: M) => SampledStat): Attribute<Of<M>>[] {
  return [
    gauge(`${name}-avg`, `Average ${what}.`, ({ metrics }, now) => read(metrics).average(now)),
    gauge(`${name}-max`, `Maximum ${what}.`, ({ metrics }, now) => read(metrics).maximum(now)),
  ];
}

/** Rate per second of the recorded values, and their total; `-rate` and `-total` are appended to the name. */
function meter<M>(
  name: string,
  what: string,
  rate: (metrics: M, now: number) => number,
  total: (metrics: M) => Figure,
): Attribute<Of<M>>[] {
  return [
    gauge(`${name}-rate`, `${what} per second.`, ({ metrics }, now) => rate(metrics, now)),
    counter(`${name}-total`, `${what}.`, ({ metrics }) => total(metrics).value),
  ];
}

/** What a client sends and receives. */
function networkAttributes<T>(networkOf: (of: T) => NetworkMetrics): Attribute<T>[] {
  return [
    gauge('request-rate', 'Requests sent per second.', (of, now) => networkOf(of).requestSizes.frequency(now)),
    counter('request-total', 'Requests sent.', (of) => networkOf(of).requests.value),
    gauge('request-size-avg', 'Average size of a request, in bytes.', (of, now) =>
      networkOf(of).requestSizes.average(now),
    ),
    gauge('request-size-max', 'Size of the largest request, in bytes.', (of, now) =>
      networkOf(of).requestSizes.maximum(now),
    ),
    gauge('outgoing-byte-rate', 'Bytes sent per second.', (of, now) => networkOf(of).requestSizes.rate(now)),
    counter('outgoing-byte-total', 'Bytes sent.', (of) => networkOf(of).outgoingBytes.value),
    gauge('response-rate', 'Responses received per second.', (of, now) => networkOf(of).responseSizes.frequency(now)),
    counter('response-total', 'Responses received.', (of) => networkOf(of).responses.value),
    gauge('incoming-byte-rate', 'Bytes received per second.', (of, now) => networkOf(of).responseSizes.rate(now)),
    counter('incoming-byte-total', 'Bytes received.', (of) => networkOf(of).incomingBytes.value),
  ];
}

type Producing = Of<ProducerMetrics>;
const inNs = (name: string, what: string, read: (metrics: ProducerMetrics) => Figure): Attribute<Producing> =>
  counter(`${name}-time-ns-total`, `Total time of ${what}, in nanoseconds.`, ({ metrics }) => read(metrics).value);

export const PRODUCER: Group<ProducerFigures> = {
  domain: 'kafka_producer',
  name: 'producer-metrics',
  labels,
  attributes: [
    ...meter<ProducerMetrics>(
      'record-send',
      'Records sent, including those sent again',
      ({ requestRecords }, now) => requestRecords.rate(now),
      ({ sent }) => sent,
    ),
    ...meter<ProducerMetrics>(
      'record-error',
      'Records that could not be sent',
      ({ errors }, now) => errors.rate(now),
      ({ failed }) => failed,
    ),
    ...meter<ProducerMetrics>(
      'record-retry',
      'Records that are sent again',
      ({ retries }, now) => retries.rate(now),
      ({ retried }) => retried,
    ),
    gauge('records-per-request-avg', 'Average number of records of a request.', ({ metrics }: Producing, now) =>
      metrics.requestRecords.average(now),
    ),
    ...spread<ProducerMetrics>('batch-size', 'size of a batch, in bytes', ({ batchSizes }) => batchSizes),
    ...meter<ProducerMetrics>(
      'batch-split',
      'Batches that were too large and were split',
      ({ splits }, now) => splits.rate(now),
      ({ split }) => split,
    ),
    ...spread<ProducerMetrics>(
      'record-queue-time',
      'time of a batch from its first record until it was sent, in milliseconds',
      ({ queueTimes }) => queueTimes,
    ),
    ...spread<ProducerMetrics>(
      'request-latency',
      'time from a Produce request to its response, in milliseconds',
      ({ latencies }) => latencies,
    ),
    ...spread<ProducerMetrics>(
      'produce-throttle-time',
      'time that a broker delayed a response because of a quota, in milliseconds',
      ({ throttleTimes }) => throttleTimes,
    ),
    gauge(
      'requests-in-flight',
      'Produce requests without a response.',
      ({ metrics }: Producing) => metrics.inFlight.value,
    ),
    gauge(
      'buffer-total-bytes',
      'Size of the buffer (buffer.memory), in bytes.',
      ({ metrics }: Producing) => metrics.bufferBytes.value,
    ),
    gauge('buffer-available-bytes', 'Free bytes of the buffer.', ({ metrics }: Producing) =>
      Math.max(0, metrics.bufferBytes.value - metrics.bufferedBytes.value),
    ),
    gauge(
      'bufferpool-wait-ratio',
      'Fraction of time that records waited for room in the buffer.',
      ({ metrics }: Producing, now) => metrics.bufferWaits.rate(now, 1),
    ),
    inNs('bufferpool-wait', 'waits for room in the buffer', ({ bufferWaitNs }) => bufferWaitNs),
    inNs('flush', 'flushes', ({ flushNs }) => flushNs),
    inNs('txn-init', 'initTransactions', ({ initNs }) => initNs),
    inNs('txn-begin', 'beginTransaction', ({ beginNs }) => beginNs),
    inNs('txn-send-offsets', 'sendOffsetsToTransaction', ({ sendOffsetsNs }) => sendOffsetsNs),
    inNs('txn-commit', 'commitTransaction', ({ commitNs }) => commitNs),
    inNs('txn-abort', 'abortTransaction', ({ abortNs }) => abortNs),
    ...networkAttributes<Producing>(({ metrics }) => metrics.network),
  ],
};

export const CONSUMER: Group<ConsumerFigures> = {
  domain: 'kafka_consumer',
  name: 'consumer-metrics',
  labels,
  attributes: [
    gauge('last-poll-seconds-ago', 'Time since the last poll; -1 before the first.', ({ metrics }, now) => {
      const at = metrics.lastPollAt.value;
      return at === 0 ? -1 : Math.max(0, Math.floor((now - at) / 1000));
    }),
    ...spread<ConsumerMetrics>(
      'time-between-poll',
      'time between two polls, in milliseconds',
      (of) => of.pollIntervals,
    ),
    ...networkAttributes<Of<ConsumerMetrics>>(({ metrics }) => metrics.network),
  ],
};

export const FETCH_MANAGER: Group<ConsumerFigures> = {
  domain: 'kafka_consumer',
  name: 'consumer-fetch-manager-metrics',
  labels,
  attributes: [
    {
      name: 'records-lag',
      help: "Records between the consumer's position and the end of a partition.",
      type: 'gauge',
      samples: ({ partitions }) =>
        partitions
          .slice(0, MAX_PARTITION_SERIES)
          .flatMap(({ topic, partition, fetchLag }) =>
            fetchLag === null ? [] : [{ labels: { topic, partition: String(partition) }, value: fetchLag }],
          ),
    },
    gauge('records-lag-max', 'Maximum lag of any partition, in records.', ({ metrics }, now) =>
      metrics.lagsSeen.maximum(now),
    ),
    ...meter<ConsumerMetrics>(
      'records-consumed',
      'Records consumed',
      ({ consumedRecords }, now) => consumedRecords.rate(now),
      ({ records }) => records,
    ),
    ...meter<ConsumerMetrics>(
      'bytes-consumed',
      'Bytes of records consumed',
      ({ consumedBytes }, now) => consumedBytes.rate(now),
      ({ bytes }) => bytes,
    ),
    ...meter<ConsumerMetrics>(
      'fetch',
      'Fetch requests',
      ({ fetchTimes }, now) => fetchTimes.frequency(now),
      ({ fetches }) => fetches,
    ),
    ...spread<ConsumerMetrics>('fetch-latency', 'time of a Fetch request, in milliseconds', (of) => of.fetchTimes),
    ...spread<ConsumerMetrics>('fetch-size', 'size of the records of a response, in bytes', (of) => of.fetchSizes),
    ...spread<ConsumerMetrics>(
      'fetch-throttle-time',
      'time that a broker delayed a response because of a quota, in milliseconds',
      (of) => of.throttleTimes,
    ),
  ],
};

export const CONSUMER_COORDINATOR: Group<ConsumerFigures> = {
  domain: 'kafka_consumer',
  name: 'consumer-coordinator-metrics',
  labels,
  attributes: [
    gauge('assigned-partitions', 'Partitions assigned to this consumer.', ({ metrics }) => metrics.assigned.value),
    ...spread<ConsumerMetrics>('commit-latency', 'time of an offset commit, in milliseconds', (of) => of.commitTimes),
    ...meter<ConsumerMetrics>(
      'commit',
      'Offset commits',
      ({ commitTimes }, now) => commitTimes.frequency(now),
      ({ commits }) => commits,
    ),
    ...coordinatorAttributes<Of<ConsumerMetrics>>(({ metrics }) => metrics.group),
  ],
};
