/** Every metric that `GET /metrics` can have, from the code that exports them. */
import { LAG_UNITS, type MetricOptions, type PluginMetrics } from '@millrace/sdk';
import { SinkMetrics } from '../../connectors/analytics/src/sink-metrics';
import { EventCounts } from '../../connectors/postgres/src/metrics/event-counts';
import { Delivery } from '../../connectors/postgres/src/metrics/delivery';
import { MetricGroup } from '../../connectors/postgres/src/metrics/metric-group';
import { addSlotMetrics } from '../../connectors/postgres/src/metrics/slot-watch';
import { addConnectedMetric } from '../../connectors/postgres/src/metrics/task-metrics';
import { addSnapshotMetrics } from '../../connectors/postgres/src/metrics/snapshot-metrics';
import { addLagMetrics, addStreamingMetrics } from '../../connectors/postgres/src/metrics/streaming-metrics';
import { exposition, type Figures } from '../../src/metrics/exposition';
import { GroupMetrics } from '../../src/metrics/group-metrics';
import type { JvmFigures } from '../../src/metrics/jvm-groups';
import { ClientMeter, OpenClients } from '../../src/metrics/open-clients';
import type { ProcessFigures } from '../../src/metrics/process-groups';
import { RestMetrics } from '../../src/metrics/rest-metrics';
import { DEFAULT_SAMPLE_WINDOWS, TaskMetrics } from '../../src/metrics/task-metrics';
import { TimeInStates } from '../../src/metrics/time-in-states';
import { WorkMetrics } from '../../src/metrics/work-metrics';

export interface ExportedMetric {
  readonly name: string;
  readonly type: string;
  /** Names, in the order of export. */
  readonly labels: readonly string[];
  readonly help: string;
}

/** In the order of export: of the worker, its clients, the process, the PostgreSQL source, the analytics sink. */
export async function exportedMetrics(): Promise<ExportedMetric[]> {
  const process = async (): Promise<ProcessFigures> => await Promise.resolve(processFigures());
  const own = parsed(String(await exposition(await sampleFigures(), Date.now(), process)));
  return [...own, ...postgresMetrics(), ...analyticsMetrics()];
}

/** Of the format 0.0.4, which the exposition writes. */
function parsed(text: string): ExportedMetric[] {
  const found: ExportedMetric[] = [];
  for (const block of text.split(/^(?=# HELP )/m)) {
    const [, name = '', help = ''] = /^# HELP (\S+) (.*)$/m.exec(block) ?? [];
    const [, type = ''] = /^# TYPE \S+ (\S+)$/m.exec(block) ?? [];
    const labels = new Set([...block.matchAll(/(?<=[{,])(\w+)="/g)].map(([, label = '']) => label));
    // The bound of a histogram's bucket.
    labels.delete('le');
    if (name !== '') found.push({ name, type, labels: [...labels], help });
  }
  return found;
}

/** A plugin's lag in each unit. Not exported itself, because the worker has metrics of these names. */
const LAGS = LAG_UNITS.map((lag) => {
  const series = { key: lag, name: `millrace_task_lag_${lag}`, help: '', type: 'gauge', labels: {}, cell: 0 } as const;
  return { ...series, memory: new SharedArrayBuffer(8), lag };
});

/** A worker with a source, a sink and all that they can report. */
async function sampleFigures(): Promise<Figures> {
  const work = new WorkMetrics(DEFAULT_SAMPLE_WINDOWS);
  const plugin = { class: 'c', version: '1' };
  const plugins = new Map(
    ['connector', 'task', 'key-converter', 'value-converter', 'header-converter'].map((kind) => [kind, plugin]),
  );
  const clients = new OpenClients();
  const meter = new ClientMeter(DEFAULT_SAMPLE_WINDOWS, (announcement) => clients.accept(announcement));
  meter.producer('p');
  const consumer = meter.consumer('c');
  consumer.inGroup.set(1);
  consumer.lags?.trackProcessing();
  const lag = consumer.lags?.of({ topic: 't', partition: 0 });
  lag?.assign();
  lag?.sought(0, Date.now());
  lag?.ended(0, Date.now());
  // Partitions are announced together.
  await Promise.resolve();
  const task = (type: 'source' | 'sink', metrics = memory(type)): Figures['tasks'][number] => ({
    ...{
      connector: type,
      task: 0,
      states: new TimeInStates(),
      connectorType: type,
      plugins,
      published: LAGS,
      thread: null,
      condition: { isConnected: true, problem: null },
    },
    metrics,
    clients: clients.all(),
    watch: { stuck: [], restarts: 0 },
  });
  const exactlyOnce = memory('source');
  exactlyOnce.source.transactional.set(1);
  return {
    connectors: [{ connector: 'sink', states: new TimeInStates(), type: 'sink', ...plugin }],
    tasks: [task('source', exactlyOnce), task('sink')],
    taskStates: [{ connector: 'sink', states: ['running'] }],
    worker: { connectors: 1, tasks: 2, connectorStarts: work.connectorStarts, taskStarts: work.taskStarts },
    membership: {
      ...{ clientId: 'w', protocol: 'SESSIONED', leaderUrl: 'http://w/', isMember: true, generation: 1 },
      ...{ assignedConnectors: 1, assignedTasks: 2, group: GroupMetrics.create(DEFAULT_SAMPLE_WINDOWS) },
    },
    app: { clientId: 'w', version: '1', commit: 'x', startedAt: 1 },
    rest: new RestMetrics(),
    clients: [],
    jvms: [sampleJvm],
  };
}

const sampleJvm: JvmFigures = {
  ...{ folder: 'f', connector: 'c', pid: 1, isUp: true, sessions: 1, restarts: 0, series: [] },
  ...{ hungThreads: 0, silentMs: 0 },
  memory: { heapUsed: 1, heapMax: 1, nonHeapUsed: 1, threads: 1, gcMs: 1 },
  usage: { cpuSeconds: 1, residentBytes: 1 },
};

const memory = (type: 'source' | 'sink'): TaskMetrics =>
  TaskMetrics.in(TaskMetrics.allocate(type, DEFAULT_SAMPLE_WINDOWS));

/** A process of which everything can be measured. */
function processFigures(): ProcessFigures {
  const counts = new Map([['t', 1]]);
  return {
    ...{ cpu: { user: 1, system: 1 }, startTime: 1, openFiles: 1, maxFiles: 1, lag: 0, version: 'v24.0.0' },
    memory: { resident: 1, virtual: 1, data: 1 },
    delays: { min: 1, max: 1, mean: 1, stddev: 1, p50: 1, p90: 1, p99: 1 },
    active: { resources: counts, handles: counts, requests: counts },
    heap: { total: 1, used: 1, external: 1 },
    heapSpaces: [{ space: 'new', total: 1, used: 1, available: 1 }],
    collections: new Map([['major', { buckets: [], sum: 1, count: 1 }]]),
  };
}

function analyticsMetrics(): ExportedMetric[] {
  const { found, metrics } = collected();
  new SinkMetrics(metrics, { openFiles: () => 0, filesInFlight: () => 0, oldestUndelivered: () => 0 });
  return [...found.values()];
}

/** What a plugin exports through `metrics`. */
function collected(): { readonly found: Map<string, ExportedMetric>; readonly metrics: PluginMetrics } {
  const found = new Map<string, ExportedMetric>();
  const add = (type: string, name: string, { help, labels = {} }: MetricOptions): void => {
    const names = [...(found.get(name)?.labels ?? []), ...Object.keys(labels), 'connector', 'task'];
    found.set(name, { name, type, labels: [...new Set(names)], help: found.get(name)?.help ?? help });
  };
  const metrics: PluginMetrics = {
    counter: (name, options) => {
      add('counter', name, options);
      return { add: () => undefined };
    },
    gauge: (name, options, read) => {
      add('gauge', name, options);
      // Those of a table are added when the first event is counted.
      read?.();
      return { set: () => undefined };
    },
  };
  return { found, metrics };
}

function postgresMetrics(): ExportedMetric[] {
  const { found, metrics } = collected();
  const counts = new EventCounts();
  const table = counts.of('public.t');
  for (const op of ['c', 'u', 'd', 't']) counts.event(table, op, 1);
  const limits = { maxMessages: 1, maxBytes: 1, skipUnchanged: true, statistics: true };
  const labels = { name: 'n' };
  const debezium = (context: string): MetricGroup =>
    new MetricGroup(metrics, 'debezium_metrics_', { context, plugin: 'postgres', ...labels });
  const figures = {
    ...{
      counts,
      delivery: new Delivery(),
      stream: () => null,
      storedLsn: () => 0,
      walEnd: () => null,
      clockAheadMs: () => 0,
      isDown: () => false,
    },
  };
  const own = new MetricGroup(metrics, 'millrace_postgres_', labels);
  const ofSlot = new MetricGroup(metrics, 'millrace_postgres_', { ...labels, slot: 's' });
  addSnapshotMetrics(debezium('snapshot'), own, snapshotFigures, counts, limits);
  addStreamingMetrics(debezium('streaming'), figures, limits);
  addLagMetrics(ofSlot, figures);
  addConnectedMetric(ofSlot, { isDown: false });
  addSlotMetrics(ofSlot, { measured: null });
  return [...found.values()];
}

const snapshotFigures = {
  ...{ snapshotRunning: false, snapshotPaused: false, snapshotCompleted: true, snapshotAborted: false },
  ...{ snapshotSkipped: false, snapshotDurationInSeconds: 0, snapshotPausedDurationInSeconds: 0 },
  ...{ totalTableCount: 1, remainingTableCount: 0 },
  tables: [{ name: 'public.t', rowsScanned: 1, chunks: 1, chunksCompleted: 1, percentage: 100 }],
};
