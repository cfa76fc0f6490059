/** The text of `GET /metrics`. prom-client formats it and measures the process. */
import type * as PromClientModule from 'prom-client';
import type { Counter, Registry } from 'prom-client';
import { metricName, type Group } from './attribute';
import { CONSUMER, CONSUMER_COORDINATOR, FETCH_MANAGER, PRODUCER } from './client-groups';
import { clientFigures, type OpenClient } from './open-clients';
import { SINK_LAG } from './sink-lag-groups';
import { publishedFamilies, type PublishedFamily } from './published-series';
import { COORDINATOR, APP, CONNECTOR, CONNECTOR_TASKS, REBALANCE, WORKER } from './worker-groups';
import type { AppFigures, ConnectorFigures, MembershipFigures, TaskStateCounts, WorkerFigures } from './worker-groups';
import { CONNECTOR_TASK, SINK_TASK, SOURCE_TASK, TASK_ERRORS, TASK_WATCHDOG, type TaskFigures } from './task-groups';

type PromClient = typeof PromClientModule;

/** A worker's measurements at one moment. */
export interface Figures {
  readonly connectors: readonly ConnectorFigures[];
  readonly tasks: readonly TaskFigures[];
  readonly taskStates: readonly TaskStateCounts[];
  readonly worker: WorkerFigures;
  readonly membership: MembershipFigures;
  readonly app: AppFigures;
  /** Kafka clients of the worker itself. */
  readonly clients: readonly OpenClient[];
}

let loading: ReturnType<typeof load> | null = null;

/**
 * Loads prom-client once the worker has started, so that the first scrape does not wait for it. Collection starts with
 * the first scrape: for an idle worker that is never scraped, it would double the CPU time.
 */
export async function prepareExposition(): Promise<void> {
  await import('prom-client');
}

/** `figures` null: the worker has no metrics yet; the process metrics are still returned. */
export async function exposition(figures: Figures | null, now = Date.now()): Promise<string> {
  const { client, process } = await (loading ??= load());
  // Created for every scrape, so that removed connectors and tasks leave no series behind.
  const registry = new client.Registry();
  if (figures !== null) {
    const add = <T>(group: Group<T>, all: readonly T[]): void => addGroup(client, registry, group, all, now);
    const { tasks, membership } = figures;
    add(CONNECTOR, figures.connectors);
    add(CONNECTOR_TASK, tasks);
    add(SOURCE_TASK, ofType(tasks, 'source'));
    add(SINK_TASK, ofType(tasks, 'sink'));
    add(TASK_ERRORS, ofAll(tasks));
    add(TASK_WATCHDOG, tasks);
    add(WORKER, [figures.worker]);
    add(CONNECTOR_TASKS, figures.taskStates);
    add(REBALANCE, [membership]);
    add(COORDINATOR, [membership]);
    add(APP, [figures.app]);
    const { producers, consumers } = clientFigures(figures, now);
    add(PRODUCER, producers);
    add(CONSUMER, consumers);
    add(FETCH_MANAGER, consumers);
    add(
      CONSUMER_COORDINATOR,
      consumers.filter(({ metrics }) => metrics.inGroup.value === 1),
    );
    add(SINK_LAG, consumers);
    for (const family of publishedFamilies(tasks, now)) addMetric(client, registry, family);
  }
  return (await registry.metrics()) + withoutEmptyDelays(await process.metrics());
}

const DELAYS = /^(?:# (?:HELP|TYPE) )?nodejs_eventloop_lag_(?:min|max|mean|stddev|p\d+)_seconds .*\n/gm;

/**
 * Before the first event-loop delay since the last scrape is measured, prom-client reports a minimum of 2^63 ns and
 * stale values for the others.
 */
function withoutEmptyDelays(text: string): string {
  return /^nodejs_eventloop_lag_mean_seconds nan$/im.test(text) ? text.replaceAll(DELAYS, '') : text;
}

const ofAll = (tasks: readonly TaskFigures[]) =>
  tasks.map(({ connector, task, metrics }) => ({
    connector,
    task,
    errors: metrics.errors,
    source: metrics.source,
    sink: metrics.sink,
  }));
const ofType = (tasks: readonly TaskFigures[], type: 'source' | 'sink') =>
  ofAll(tasks.filter(({ metrics }) => metrics.type === type));

async function load(): Promise<{ readonly client: PromClient; readonly process: Registry }> {
  const client = await import('prom-client');
  const registry = new client.Registry();
  const { user, system } = process.cpuUsage();
  client.collectDefaultMetrics({ register: registry });
  // prom-client's counters start at 0 now, but the process has used CPU before.
  for (const [name, microseconds] of [
    ['process_cpu_user_seconds_total', user],
    ['process_cpu_system_seconds_total', system],
    ['process_cpu_seconds_total', user + system],
  ] as const)
    (registry.getSingleMetric(name) as Counter).inc(microseconds / 1e6);
  return { client, process: registry };
}

function addGroup<T>(client: PromClient, registry: Registry, group: Group<T>, all: readonly T[], now: number): void {
  for (const attribute of group.attributes) {
    const samples = all.flatMap((of) => {
      const labels = group.labels(of);
      return attribute.samples(of, now).map(({ labels: own, value }) => ({ labels: { ...labels, ...own }, value }));
    });
    if (samples.length === 0) continue;
    addMetric(client, registry, {
      name: metricName(group, attribute),
      help: attribute.help,
      type: attribute.type,
      // Clients of tasks have more labels than those of the worker.
      labelNames: [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))],
      samples,
    });
  }
}

function addMetric(
  { Counter, Gauge }: PromClient,
  registry: Registry,
  { type, samples, ...options }: PublishedFamily,
): void {
  if (type === 'counter') {
    // A new counter starts at 0, so the total is its increment.
    const metric = new Counter({ ...options, registers: [registry] });
    for (const { labels, value } of samples) metric.inc(labels, value);
  } else {
    const metric = new Gauge({ ...options, registers: [registry] });
    for (const { labels, value } of samples) metric.set(labels, value);
  }
}
