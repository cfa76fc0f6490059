/** The Grafana dashboard of deploy/grafana/millrace.json. */
import {
  about,
  type Alert,
  connect,
  CONNECTOR,
  consumer,
  critical,
  graph,
  type Panel,
  perSecond,
  producer,
  query,
  type Row,
  stat,
  TASK,
  warning,
  WORKER,
} from './dashboard-panels';
import { JVMS } from './dashboard-jvms';

const ROWS: readonly Row[] = [
  {
    title: 'Overview',
    panels: [
      about({ ...critical('MillraceNoWorkers', 1), below: true }, stat('Workers up', 'none', 'sum(up{job=~"$job"})')),
      about(
        critical('MillraceWorkerNotInGroup', 1),
        stat('Workers not in the group', 'none', `count(millrace_worker_in_group{${WORKER}} == 0) or vector(0)`),
      ),
      stat('Connectors', 'none', `sum(${connect('connect_worker_metrics_connector_count')})`),
      stat('Tasks running', 'none', `sum(${connect('connector_task_metrics_status', `${WORKER},status="running"`)})`),
      about(
        critical('MillraceTaskFailed', 1),
        stat('Tasks failed', 'none', `sum(${connect('connector_task_metrics_status', `${WORKER},status="failed"`)})`),
      ),
      about(
        critical('MillraceTaskDisconnected', 1),
        stat('Tasks disconnected', 'none', `count(millrace_task_connected{${CONNECTOR}} == 0) or vector(0)`),
      ),
      about(
        warning('MillraceSinkBehind', 300),
        stat('Largest lag of a sink', 's', `max(millrace_sink_lag_seconds_max{${CONNECTOR}})`),
      ),
      about(
        warning('MillraceTaskBehind', 300),
        stat('Largest lag of a source', 's', `max(millrace_task_lag_seconds{${CONNECTOR}})`),
      ),
      graph(
        'Records',
        'ops',
        query(`sum(${perSecond(connect('source_task_metrics_source_record_write_total', CONNECTOR))})`, 'written'),
        query(`sum(${perSecond(connect('sink_task_metrics_sink_record_send_total', CONNECTOR))})`, 'put'),
      ),
      about(
        warning('MillraceRebalanceStorm', 3),
        graph(
          'Rebalances',
          'none',
          query(
            `increase(${connect('connect_worker_rebalance_metrics_completed_rebalances_total')}[$__rate_interval])`,
            '{{instance}}',
          ),
        ),
      ),
      graph('Tasks of each worker', 'none', query(connect('connect_worker_metrics_task_count'), '{{instance}}')),
    ],
  },
  {
    title: 'Connectors and tasks',
    panels: [
      graph(
        'Source: records polled and written',
        'ops',
        query(perSecond(connect('source_task_metrics_source_record_poll_total', CONNECTOR)), `${TASK} polled`),
        query(perSecond(connect('source_task_metrics_source_record_write_total', CONNECTOR)), `${TASK} written`),
      ),
      graph(
        'Source: records not acknowledged',
        'short',
        query(connect('source_task_metrics_source_record_active_count', CONNECTOR), TASK),
      ),
      graph(
        'Exactly-once source: records of a transaction',
        'short',
        query(connect('source_task_metrics_transaction_size_avg', CONNECTOR), TASK),
      ),
      about(
        warning('MillraceTaskBehind', 300),
        graph('Source: lag in time', 's', query(`millrace_task_lag_seconds{${CONNECTOR}}`, TASK)),
      ),
      about(
        { ...critical('MillraceTaskDisconnected', 1), below: true },
        graph('Connected to the external system', 'none', query(`millrace_task_connected{${CONNECTOR}}`, TASK)),
      ),
      graph(
        'Sink: records put',
        'ops',
        query(perSecond(connect('sink_task_metrics_sink_record_send_total', CONNECTOR)), TASK),
      ),
      graph(
        'Sink: time of put',
        'ms',
        query(connect('sink_task_metrics_put_batch_avg_time_ms', CONNECTOR), `${TASK} average`),
        query(connect('sink_task_metrics_put_batch_max_time_ms', CONNECTOR), `${TASK} maximum`),
      ),
      about(
        warning('MillraceSinkBehind', 300),
        graph('Sink: lag in time', 's', query(`millrace_sink_lag_seconds_max{${CONNECTOR}}`, TASK)),
      ),
      about(
        warning('MillraceSinkLagGrows', 1000),
        graph('Sink: lag in records', 'short', query(`millrace_sink_lag_records_max{${CONNECTOR}}`, TASK)),
      ),
      about(
        warning('MillraceFailedRecords', 0),
        graph(
          'Failed records',
          'ops',
          query(perSecond(`millrace_task_failed_records_total{${CONNECTOR}}`), `${TASK} given up`),
          query(
            perSecond(connect('task_error_metrics_deadletterqueue_produce_requests', CONNECTOR)),
            `${TASK} dead letters`,
          ),
        ),
      ),
      about(
        critical('MillraceTaskStuck', 0),
        graph('Stuck tasks', 's', query(`millrace_task_stuck_seconds{${CONNECTOR}} > 0`, `${TASK} {{call}}`)),
      ),
      graph(
        'Time of offset commits',
        'ms',
        query(connect('connector_task_metrics_offset_commit_avg_time_ms', CONNECTOR), TASK),
      ),
      about(
        warning('MillraceOffsetCommitsFail', 0),
        graph(
          'Offset commits that fail',
          'percentunit',
          query(connect('connector_task_metrics_offset_commit_failure_percentage', CONNECTOR), TASK),
        ),
      ),
    ],
  },
  {
    title: 'PostgreSQL source',
    panels: [
      about(
        warning('MillracePostgresBehind', 300),
        graph('Behind the WAL, in time', 's', query(`millrace_postgres_wal_lag_seconds{${CONNECTOR}}`, TASK)),
      ),
      graph('Behind the WAL, in bytes', 'bytes', query(`millrace_postgres_replay_lag_bytes{${CONNECTOR}}`, TASK)),
      graph(
        'Age of a change when it is read',
        'ms',
        query(`debezium_metrics_MilliSecondsBehindSource{${CONNECTOR},context="streaming"}`, TASK),
        query(`debezium_metrics_MilliSecondsBehindSourceP99{${CONNECTOR},context="streaming"}`, `${TASK} p99`),
      ),
      graph(
        'Events',
        'ops',
        query(`deriv(debezium_metrics_TotalNumberOfEventsSeen{${CONNECTOR}}[1m])`, `${TASK} {{context}}`),
      ),
      graph('Connected', 'none', query(`debezium_metrics_Connected{${CONNECTOR},context="streaming"}`, TASK)),
      graph(
        'Queue',
        'bytes',
        query(`debezium_metrics_CurrentQueueSizeInBytes{${CONNECTOR},context="streaming"}`, TASK),
      ),
      about(
        warning('MillracePostgresSlotGrows', 1_073_741_824),
        graph(
          'WAL retained by the slot',
          'bytes',
          query(`millrace_postgres_slot_retained_wal_bytes{${CONNECTOR}}`, '{{slot}}'),
          query(`millrace_postgres_slot_wal_limit_bytes{${CONNECTOR}}`, '{{slot}} limit'),
        ),
      ),
      graph(
        'Snapshot: rows read',
        'short',
        query(`sum by (connector, task) (debezium_metrics_RowsScanned{${CONNECTOR}})`, TASK),
      ),
      graph(
        'Snapshot: tables left',
        'none',
        query(`debezium_metrics_RemainingTableCount{${CONNECTOR},context="snapshot"}`, TASK),
      ),
    ],
  },
  {
    title: 'Kafka clients',
    panels: [
      graph(
        'Producers: latency of requests',
        'ms',
        query(producer('request_latency_avg'), '{{client_id}}'),
        query(producer('request_latency_max'), '{{client_id}} maximum'),
      ),
      about(
        critical('MillraceProducerErrors', 0),
        graph(
          'Producers: errors and retries',
          'ops',
          query(perSecond(producer('record_error_total')), '{{client_id}} errors'),
          query(perSecond(producer('record_retry_total')), '{{client_id}} retries'),
        ),
      ),
      graph('Producers: bytes sent', 'Bps', query(perSecond(producer('outgoing_byte_total')), '{{client_id}}')),
      graph('Producers: free buffer', 'bytes', query(producer('buffer_available_bytes'), '{{client_id}}')),
      graph('Producers: size of batches', 'bytes', query(producer('batch_size_avg'), '{{client_id}}')),
      graph(
        'Producers: waiting for the buffer',
        'percentunit',
        query(producer('bufferpool_wait_ratio'), '{{client_id}}'),
      ),
      graph(
        'Producers: time in commits of transactions',
        'percentunit',
        query(`${perSecond(producer('txn_commit_time_ns_total'))} / 1e9`, '{{client_id}}'),
      ),
      graph(
        'Consumers: records',
        'ops',
        query(perSecond(consumer('fetch_manager_metrics_records_consumed_total')), '{{client_id}}'),
      ),
      graph(
        'Consumers: records not read',
        'short',
        query(consumer('fetch_manager_metrics_records_lag'), '{{topic}}-{{partition}}'),
      ),
      graph(
        'Consumers: latency of fetches',
        'ms',
        query(consumer('fetch_manager_metrics_fetch_latency_avg'), '{{client_id}}'),
      ),
      graph(
        'Consumers: latency of commits',
        'ms',
        query(consumer('coordinator_metrics_commit_latency_avg'), '{{client_id}}'),
      ),
      graph(
        'Consumers: rebalances per hour',
        'none',
        query(consumer('coordinator_metrics_rebalance_rate_per_hour'), '{{client_id}}'),
      ),
      about(
        warning('MillraceThrottled', 100),
        graph(
          'Throttled by quotas',
          'ms',
          query(producer('produce_throttle_time_avg'), '{{client_id}}'),
          query(consumer('fetch_manager_metrics_fetch_throttle_time_avg'), '{{client_id}}'),
        ),
      ),
    ],
  },
  JVMS,
  {
    title: 'Process',
    panels: [
      graph('CPU cores', 'short', query(perSecond(`process_cpu_seconds_total{${WORKER}}`), '{{instance}}')),
      graph('Memory', 'bytes', query(`process_resident_memory_bytes{${WORKER}}`, '{{instance}}')),
      graph(
        'Heap of the main thread',
        'bytes',
        query(`nodejs_heap_size_used_bytes{${WORKER}}`, '{{instance}} used'),
        query(`nodejs_heap_size_total_bytes{${WORKER}}`, '{{instance}} total'),
      ),
      about(
        warning('MillraceEventLoopBlocked', 1),
        graph(
          'Delay of the event loop',
          's',
          query(`nodejs_eventloop_lag_p99_seconds{${WORKER}}`, '{{instance}} p99'),
          query(`nodejs_eventloop_lag_max_seconds{${WORKER}}`, '{{instance}} maximum'),
        ),
      ),
      graph('Open files', 'none', query(`process_open_fds{${WORKER}}`, '{{instance}}')),
      graph(
        'Garbage collection',
        'percentunit',
        query(`sum by (instance) (${perSecond(`nodejs_gc_duration_seconds_sum{${WORKER}}`)})`, '{{instance}}'),
      ),
    ],
  },
];

const COLUMNS = 24;
const PANEL = { w: 8, h: 7 };
const STAT = { w: 3, h: 4 };
/** As in alerts.yaml; operators replace it. */
const RUNBOOK = 'https://millrace.example/docs/how-to/alerts.html';
const COLORS = { warning: 'orange', critical: 'red' } as const;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** In Grafana's format, for version 9 and later. */
export function dashboard(): object {
  const panels: object[] = [];
  let y = 0;
  let id = 1;
  for (const { title, panels: own } of ROWS) {
    panels.push({ id: id++, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: COLUMNS, h: 1 }, panels: [] });
    y++;
    let x = 0;
    let height = 0;
    for (const panel of own) {
      const { w, h } = panel.kind === 'stat' ? STAT : PANEL;
      if (x + w > COLUMNS) {
        x = 0;
        y += height;
        height = 0;
      }
      panels.push(panelOf(panel, id++, { x, y, w, h }));
      x += w;
      height = Math.max(height, h);
    }
    y += height;
  }
  return {
    ...{ uid: 'millrace', title: 'Millrace', tags: ['kafka-connect'], timezone: 'browser', schemaVersion: 37 },
    ...{ editable: true, refresh: '30s', time: { from: 'now-1h', to: 'now' } },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        textVariable('console', 'Address of the console', 'http://localhost:8083/ui'),
        variable('job', 'label_values(kafka_connect_connect_worker_metrics_task_count, job)'),
        variable('instance', 'label_values(kafka_connect_connect_worker_metrics_task_count{job=~"$job"}, instance)'),
        variable(
          'connector',
          'label_values(kafka_connect_connector_task_metrics_running_ratio{job=~"$job"}, connector)',
        ),
      ],
    },
    links: [
      { type: 'link', title: 'Console', url: '${console}', icon: 'external link', targetBlank: true },
      { type: 'link', title: 'What to do about an alert', url: RUNBOOK, icon: 'doc', targetBlank: true },
    ],
    panels,
  };
}

function panelOf({ title, unit, queries, kind = 'timeseries', alert }: Panel, id: number, gridPos: object): object {
  const links = queries.some(({ legend }) => legend.includes('{{connector}}')) ? [CONNECTOR_LINK] : [];
  const limits = alert && {
    thresholds: { mode: 'absolute', steps: stepsOf(alert) },
    ...(kind === 'stat'
      ? { color: { mode: 'thresholds' } }
      : { custom: { thresholdsStyle: { mode: alert.limit === 0 ? 'off' : 'dashed' } } }),
  };
  return {
    ...{ id, type: kind, title, gridPos, datasource: DATASOURCE },
    ...(alert && {
      links: [{ title: `What to do: ${alert.name}`, url: `${RUNBOOK}#${alert.name.toLowerCase()}`, targetBlank: true }],
    }),
    fieldConfig: { defaults: { unit, min: 0, ...limits, links }, overrides: [] },
    options: kind === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { tooltip: { mode: 'multi' } },
    targets: queries.map(({ expr, legend }, i) => ({
      refId: String.fromCharCode(65 + i),
      ...{ datasource: DATASOURCE, expr, legendFormat: legend },
    })),
  };
}

/** Of a series of a connector: its page in the console. */
const CONNECTOR_LINK = {
  title: '${__field.labels.connector} in the console',
  url: '${console}/#/connectors/${__field.labels.connector}',
  targetBlank: true,
};

/** The first step is of all lower values. */
function stepsOf({ limit, below, severity }: Alert): object[] {
  const [low, high] = below ? [COLORS[severity], 'green'] : ['green', COLORS[severity]];
  return [
    { color: low, value: null },
    { color: high, value: limit },
  ];
}

function variable(name: string, expr: string): object {
  return {
    ...{ name, type: 'query', datasource: DATASOURCE, query: { query: expr, refId: name }, refresh: 2 },
    ...{ multi: true, includeAll: true, allValue: '.*', current: { text: 'All', value: '$__all' } },
  };
}

function textVariable(name: string, label: string, value: string): object {
  return { name, label, type: 'textbox', query: value, current: { text: value, value } };
}
