/** The text of docs/metrics.md. */
import type { ExportedMetric } from './exported-metrics';

interface Section {
  readonly title: string;
  readonly text: string;
  readonly prefixes: readonly string[];
}

const SECTIONS: readonly Section[] = [
  {
    title: 'Worker',
    text: 'Java’s groups `connect-worker-metrics`, `connect-worker-rebalance-metrics`, `connect-coordinator-metrics` and `app-info`.',
    prefixes: [
      'kafka_connect_connect_worker_metrics_',
      'kafka_connect_connect_worker_rebalance_metrics_',
      'kafka_connect_connect_coordinator_metrics_',
      'kafka_connect_app_info_',
    ],
  },
  {
    title: 'REST',
    text: 'Connections to all listeners of the worker, and requests with wrong credentials.',
    prefixes: ['millrace_rest_'],
  },
  {
    title: 'Connectors and tasks',
    text: 'Java’s groups `connector-metrics`, `connector-task-metrics`, `source-task-metrics`, `sink-task-metrics` and `task-error-metrics`.',
    prefixes: [
      'kafka_connect_connector_metrics_',
      'kafka_connect_connector_task_metrics_',
      'kafka_connect_source_task_metrics_',
      'kafka_connect_sink_task_metrics_',
      'kafka_connect_task_error_metrics_',
      'millrace_task_',
    ],
  },
  {
    title: 'Lag of sinks',
    text: 'What a sink task has not processed: of each partition, and the maximum of all.\nThe end of a partition is that of the last response to a fetch; with `isolation.level=read_committed` it is the last stable offset.\nThe age is that of the oldest record not processed; while the record is not read yet, that of the last record before it, or the time since the response that showed it.\nIt grows while `put` does not return, while a batch is redelivered and while the task is paused with records in hand.\nA paused task fetches nothing, so it does not see records that are written meanwhile.\nA task exports the first 1,000 partitions; the maxima cover 10,000.',
    prefixes: ['millrace_sink_'],
  },
  {
    title: 'Producers',
    text: 'Java’s group `producer-metrics`.\nClients of tasks have the labels `connector` and `task`, those of the worker have only `client_id`: `<group.id>-offsets`, `-configs` and `-statuses` write the storage topics.',
    prefixes: ['kafka_producer_'],
  },
  {
    title: 'Consumers',
    text: 'Java’s groups `consumer-metrics`, `consumer-fetch-manager-metrics` and `consumer-coordinator-metrics`, with the labels of producers.\n`records_lag` counts what the consumer has not read.',
    prefixes: ['kafka_consumer_'],
  },
  {
    title: 'PostgreSQL source: Debezium’s',
    text: 'Names are those that the usual rule of the JMX exporter gives Debezium’s beans, so Debezium’s dashboards work.\nThe label `context` is `streaming` or `snapshot`; `custom.metric.tags` are labels, too.\nLags compare the clocks of the server and the worker, as Debezium’s do.',
    prefixes: ['debezium_metrics_'],
  },
  {
    title: 'PostgreSQL source: its own',
    text: 'Lags that grow while nothing is delivered, whatever the server’s clock shows, and the state of the replication slot.\nThat state is read every 10 s. While the server does not answer (`millrace_postgres_connected` is 0), it and the lags are unknown, so that they are not exported.',
    prefixes: ['millrace_postgres_'],
  },
  {
    title: 'Analytics sink',
    text: 'The first six are the counters of the Java sink’s bean `KustoSinkMetrics`, which counts all tasks of a JVM together.\nThe lag of the sink, above, ends when a record is written into a file of the worker; `millrace_analytics_oldest_undelivered_seconds` is the age of what the service does not have.',
    prefixes: ['millrace_analytics_'],
  },
  {
    title: 'JVMs of plugins in jars',
    text: 'Of each folder of jars whose JVM runs, and of each connector that has one of its own.\nThe numbers of their MBeans are exported, too, under the names that Java’s JMX exporter gives them: those of Debezium (`debezium.*`) by its usual rule, as above; all others by its default, e.g. `kafka_connect_mirror_MirrorSourceConnector_record_count` with the other properties as labels.\nMembers of composite data are part of the name (`…_HeapMemoryUsage_used`); rows of tables and entries of maps have labels: in Debezium’s maps `table`, e.g. `debezium_metrics_RowsScanned{table="shop.orders"}`, in others the index, e.g. `key`. Of a map there are at most 1,000 entries, of a JVM 5,000 series. Texts are not exported, also not those in maps such as `SourceEventPosition`.\n`jvm.metrics.domains` selects them. They are read every 10 s while metrics are scraped, so the first scrape has none; while a JVM does not answer, they are unknown, so that they are not exported.',
    prefixes: ['millrace_jvm_'],
  },
  {
    title: 'Process',
    text: 'Of the worker’s process; `nodejs_` ones are those of the main thread, which runs heartbeats and REST.',
    prefixes: ['process_', 'nodejs_', 'millrace_'],
  },
];

export function metricsPage(metrics: readonly ExportedMetric[]): string {
  const left = new Set(metrics);
  const sections = SECTIONS.map(({ title, text, prefixes }) => {
    const own = [...left].filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)));
    for (const metric of own) left.delete(metric);
    return `## ${title}\n\n${text}\n\n| metric | type | labels | meaning |\n|---|---|---|---|\n${own.map(row).join('')}`;
  });
  if (left.size > 0) throw new Error(`No section for ${[...left].map(({ name }) => name).join(', ')}`);
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

function row({ name, type, labels, help }: ExportedMetric): string {
  const names = labels.map((label) => `\`${label}\``).join(', ');
  return `| \`${name}\` | ${type} | ${names} | ${help.replaceAll('|', '\\|')} |\n`;
}

const INTRODUCTION = `# Metrics

<!-- Written by \`npm run metrics\` from the code that exports them; a test compares. -->

\`GET /metrics\` returns these in Prometheus' text format.
[operations.md](operations.md#metrics) describes how to scrape them and which to watch; [deploy/](../deploy) has alert rules and a dashboard.
Rates, averages and maxima cover the last \`metrics.num.samples\` times \`metrics.sample.window.ms\`; without activity in that time, averages and maxima are NaN.
`;
