/** The metric groups of tasks, in the order of connect-runtime §9. */
import { counter, gauge, oneOf, text, type Attribute, type Group } from './attribute';
import type { ErrorMetrics } from './error-metrics';
import type { OpenClient } from './open-clients';
import { publishedLag, type LagUnit, type PublishedSeries } from './published-series';
import type { SinkMetrics } from './sink-metrics';
import type { SourceMetrics } from './source-metrics';
import type { TaskCondition } from './task-condition';
import type { TaskMetrics } from './task-metrics';
import { STATES, type TimeInStates } from './time-in-states';
import type { NamedPlugin } from './worker-groups';

interface Task {
  readonly connector: string;
  readonly task: number;
}
export interface TaskFigures extends Task {
  readonly states: TimeInStates;
  readonly connectorType: string;
  /** The task's plugins by kind: see `PLUGINS`. */
  readonly plugins: ReadonlyMap<string, NamedPlugin>;
  readonly metrics: TaskMetrics;
  readonly watch: WatchFigures['watch'];
  /** Number of its thread; null: none of its own. */
  readonly thread: number | null;
  /** The plugin's own. */
  readonly published: readonly PublishedSeries[];
  readonly clients: readonly OpenClient[];
  readonly condition: TaskCondition;
}
/** What the watchdog knows about a task. */
export interface WatchFigures extends Task {
  readonly watch: {
    readonly stuck: readonly { readonly call: string; readonly ms: number }[];
    readonly restarts: number;
  };
}
export interface SourceFigures extends Task {
  readonly source: SourceMetrics;
}
export interface SinkFigures extends Task {
  readonly sink: SinkMetrics;
}
export interface ErrorFigures extends Task {
  readonly errors: ErrorMetrics;
}

const labels = ({ connector, task }: Task): Record<string, string> => ({ connector, task: String(task) });

/** Kinds of plugins that a task uses, and their names in help texts. */
const PLUGINS = [
  ['connector', 'connector'],
  ['task', 'task'],
  ['key-converter', 'key converter'],
  ['value-converter', 'value converter'],
  ['header-converter', 'header converter'],
] as const;

export const CONNECTOR_TASK: Group<TaskFigures> = {
  name: 'connector-task-metrics',
  labels,
  attributes: [
    oneOf('status', 'State of the task: 1 for the one it is in.', STATES, ({ states }) => states.state),
    gauge('running-ratio', 'Fraction of time the task has spent in the running state.', ({ states }, now) =>
      states.share('running', now),
    ),
    gauge('pause-ratio', 'Fraction of time the task has spent in the paused state.', ({ states }, now) =>
      states.share('paused', now),
    ),
    gauge('offset-commit-max-time-ms', 'Longest time of an offset commit.', ({ metrics }, now) =>
      metrics.commitTimes.maximum(now),
    ),
    gauge('offset-commit-avg-time-ms', 'Average time of an offset commit.', ({ metrics }, now) =>
      metrics.commitTimes.average(now),
    ),
    gauge('batch-size-max', 'Number of records in the largest batch.', ({ metrics }, now) =>
      metrics.batches.maximum(now),
    ),
    gauge('batch-size-avg', 'Average number of records in a batch.', ({ metrics }, now) =>
      metrics.batches.average(now),
    ),
    gauge('offset-commit-failure-percentage', 'Fraction of offset commits that failed.', ({ metrics }, now) =>
      metrics.commitOutcomes.failures(now),
    ),
    gauge('offset-commit-success-percentage', 'Fraction of offset commits that succeeded.', ({ metrics }, now) =>
      metrics.commitOutcomes.successes(now),
    ),
    text('connector-type', 'Whether the connector is a source or a sink.', ({ connectorType }) => connectorType),
    ...PLUGINS.flatMap(([kind, what]) => [
      text(`${kind}-class`, `Class of the ${what}.`, ({ plugins }: TaskFigures) => plugins.get(kind)?.class ?? null),
      text(
        `${kind}-version`,
        `Version of the ${what}.`,
        ({ plugins }: TaskFigures) => plugins.get(kind)?.version ?? null,
      ),
    ]),
  ],
};

/** As in Java, tasks that are not exactly-once have no such attribute. */
function transactionSize(
  name: string,
  help: string,
  read: (of: SourceFigures, now: number) => number,
): Attribute<SourceFigures> {
  const size = gauge(name, help, read);
  return { ...size, samples: (of, now) => (of.source.transactional.value === 1 ? size.samples(of, now) : []) };
}

export const SOURCE_TASK: Group<SourceFigures> = {
  name: 'source-task-metrics',
  labels,
  attributes: [
    gauge('source-record-poll-rate', 'Records polled per second, before transformations.', ({ source }, now) =>
      source.polls.rate(now),
    ),
    counter('source-record-poll-total', 'Records polled, before transformations.', ({ source }) => source.polled.value),
    gauge('source-record-write-rate', 'Records written to Kafka per second.', ({ source }, now) =>
      source.writes.rate(now),
    ),
    counter(
      'source-record-write-total',
      'Records written to Kafka, excluding filtered and failed ones.',
      ({ source }) => source.written.value,
    ),
    gauge('poll-batch-max-time-ms', 'Longest time to poll a batch.', ({ source }, now) =>
      source.pollTimes.maximum(now),
    ),
    gauge('poll-batch-avg-time-ms', 'Average time to poll a batch.', ({ source }, now) =>
      source.pollTimes.average(now),
    ),
    gauge('source-record-active-count', 'Records polled and not yet written.', ({ source }) => source.active.value),
    gauge(
      'source-record-active-count-max',
      'Maximum number of records polled and not yet written.',
      ({ source }, now) => source.actives.maximum(now),
    ),
    gauge(
      'source-record-active-count-avg',
      'Average number of records polled and not yet written.',
      ({ source }, now) => source.actives.average(now),
    ),
    transactionSize('transaction-size-min', 'Records in the smallest transaction.', ({ source }, now) =>
      source.transactions.minimum(now),
    ),
    transactionSize('transaction-size-max', 'Records in the largest transaction.', ({ source }, now) =>
      source.transactions.maximum(now),
    ),
    transactionSize('transaction-size-avg', 'Average number of records in a transaction.', ({ source }, now) =>
      source.transactions.average(now),
    ),
  ],
};

export const SINK_TASK: Group<SinkFigures> = {
  name: 'sink-task-metrics',
  labels,
  attributes: [
    gauge('sink-record-read-rate', 'Records read from Kafka per second, before transformations.', ({ sink }, now) =>
      sink.reads.rate(now),
    ),
    counter(
      'sink-record-read-total',
      'Records read from Kafka, before transformations.',
      ({ sink }) => sink.read.value,
    ),
    gauge('sink-record-send-rate', 'Records delivered to the task per second.', ({ sink }, now) =>
      sink.sends.rate(now),
    ),
    counter('sink-record-send-total', 'Records delivered to the task.', ({ sink }) => sink.sent.value),
    gauge('partition-count', 'Partitions assigned to the task.', ({ sink }) => sink.partitions.value),
    gauge('offset-commit-seq-no', 'Sequence number of the last offset commit.', ({ sink }) => sink.commits.value),
    gauge('offset-commit-completion-rate', 'Offset commits completed per second.', ({ sink }, now) =>
      sink.completions.rate(now),
    ),
    counter('offset-commit-completion-total', 'Offset commits completed.', ({ sink }) => sink.commitsCompleted.value),
    gauge('offset-commit-skip-rate', 'Offset commits per second whose response came too late.', ({ sink }, now) =>
      sink.skips.rate(now),
    ),
    counter(
      'offset-commit-skip-total',
      'Offset commits whose response came too late.',
      ({ sink }) => sink.commitsSkipped.value,
    ),
    gauge('put-batch-max-time-ms', 'Longest time to put a batch.', ({ sink }, now) => sink.putTimes.maximum(now)),
    gauge('put-batch-avg-time-ms', 'Average time to put a batch.', ({ sink }, now) => sink.putTimes.average(now)),
    gauge('sink-record-active-count', 'Records read and not yet committed.', ({ sink }) => sink.active.value),
    gauge('sink-record-active-count-max', 'Maximum number of records read and not yet committed.', ({ sink }, now) =>
      sink.actives.maximum(now),
    ),
    gauge('sink-record-active-count-avg', 'Average number of records read and not yet committed.', ({ sink }, now) =>
      sink.actives.average(now),
    ),
  ],
};

export const TASK_ERRORS: Group<ErrorFigures> = {
  name: 'task-error-metrics',
  labels,
  attributes: [
    counter('total-record-failures', 'Failed attempts to process a record.', ({ errors }) => errors.failures.value),
    counter('total-record-errors', 'Records whose processing finally failed.', ({ errors }) => errors.errors.value),
    counter('total-records-skipped', 'Records skipped because they failed.', ({ errors }) => errors.skipped.value),
    counter('total-retries', 'Operations retried.', ({ errors }) => errors.retries.value),
    counter('total-errors-logged', 'Failed records that were logged.', ({ errors }) => errors.logged.value),
    counter(
      'deadletterqueue-produce-requests',
      'Writes to the dead letter queue.',
      ({ errors }) => errors.deadLetterRequests.value,
    ),
    counter(
      'deadletterqueue-produce-failures',
      'Failed writes to the dead letter queue.',
      ({ errors }) => errors.deadLetterFailures.value,
    ),
    gauge(
      'last-error-timestamp',
      'Time of the last failed record, in milliseconds since the epoch; 0: never.',
      ({ errors }) => errors.lastErrorAt.value,
    ),
  ],
};

/** Millrace only. */
export const TASK_WATCHDOG: Group<WatchFigures> = {
  domain: 'millrace',
  name: 'task',
  labels,
  attributes: [
    {
      name: 'stuck-seconds',
      help: 'How long a call or request that exceeds watchdog.task.ms has lasted; 0 without one.',
      type: 'gauge',
      samples: ({ watch: { stuck } }) =>
        stuck.length === 0
          ? [{ labels: { call: '' }, value: 0 }]
          : stuck.map(({ call, ms }) => ({ labels: { call }, value: ms / 1000 })),
    },
    counter(
      'watchdog-restarts-total',
      'Restarts because of a call that did not return.',
      ({ watch }) => watch.restarts,
    ),
  ],
};

const lag = (unit: LagUnit): Attribute<TaskFigures> =>
  gauge(
    `lag-${unit}`,
    `Largest lag that the task's plugin publishes in ${unit}; unknown while the task is disconnected.`,
    ({ published, condition }, now) => (condition.isConnected === false ? null : publishedLag(published, unit, now)),
  );

/** Millrace only. */
export const TASK_HEALTH: Group<TaskFigures> = {
  domain: 'millrace',
  name: 'task',
  labels,
  attributes: [
    gauge(
      'connected',
      "1 while the task's plugin says that it is connected to its external system, 0 while it is not.",
      ({ condition: { isConnected } }) => (isConnected === null ? null : Number(isConnected)),
    ),
    gauge(
      'disconnected-seconds',
      'For how long the task has been disconnected, or has repeated a call that fails; 0 if it does neither.',
      ({ condition: { problem } }, now) => (problem === null ? 0 : Math.max(0, now - problem.since) / 1000),
    ),
    counter(
      'failed-records-total',
      'Records that were given up: dead letters, skipped records, and those that failed the task.',
      ({ metrics }) => metrics.errors.failedRecords.value,
    ),
  ],
};

/** Millrace only. Sinks have `SINK_LAG`, from their consumers. */
export const TASK_LAG: Group<TaskFigures> = {
  domain: 'millrace',
  name: 'task',
  labels,
  attributes: [lag('records'), lag('bytes'), lag('seconds')],
};
