/** The text of `GET /metrics`. prom-client writes it, and measures the process. */
import type * as PromClientModule from 'prom-client';
import type { Counter, Registry } from 'prom-client';
import { underscored, type Attribute, type Group, type Sample } from './attribute';
import { COORDINATOR, APP, CONNECTOR, CONNECTOR_TASKS, REBALANCE, WORKER } from './worker-groups';
import type { AppFigures, ConnectorFigures, MembershipFigures, TaskStateCounts, WorkerFigures } from './worker-groups';
import { CONNECTOR_TASK, SINK_TASK, SOURCE_TASK, TASK_ERRORS, type TaskFigures } from './task-groups';

type PromClient = typeof PromClientModule;

/** What a worker has measured, at one moment. */
export interface Figures {
  readonly connectors: readonly ConnectorFigures[];
  readonly tasks: readonly TaskFigures[];
  readonly taskStates: readonly TaskStateCounts[];
  readonly worker: WorkerFigures;
  readonly membership: MembershipFigures;
  readonly app: AppFigures;
}

let loading: ReturnType<typeof load> | null = null;

/**
 * Loads prom-client, which takes a while on a busy machine: once a worker has started, rather than while a scraper
 * waits. It watches nothing yet: that costs a worker whom nobody scrapes as much CPU as all the rest of its idle life.
 */
export async function prepareExposition(): Promise<void> {
  await import('prom-client');
}

/** `figures` null: the worker has none yet, but its process can be looked at. */
export async function exposition(figures: Figures | null, now = Date.now()): Promise<string> {
  const { client, process } = await (loading ??= load());
  // New with every scrape: what is gone leaves nothing behind.
  const registry = new client.Registry();
  if (figures !== null) {
    const add = <T>(group: Group<T>, all: readonly T[]): void => addGroup(client, registry, group, all, now);
    const { tasks, membership } = figures;
    add(CONNECTOR, figures.connectors);
    add(CONNECTOR_TASK, tasks);
    add(SOURCE_TASK, ofType(tasks, 'source'));
    add(SINK_TASK, ofType(tasks, 'sink'));
    add(TASK_ERRORS, ofAll(tasks));
    add(WORKER, [figures.worker]);
    add(CONNECTOR_TASKS, figures.taskStates);
    add(REBALANCE, [membership]);
    add(COORDINATOR, [membership]);
    add(APP, [figures.app]);
  }
  return (await registry.metrics()) + withoutEmptyDelays(await process.metrics());
}

const DELAYS = /^(?:# (?:HELP|TYPE) )?nodejs_eventloop_lag_(?:min|max|mean|stddev|p\d+)_seconds .*\n/gm;

/**
 * Of the loop's delays since the last scrape, when there are none yet, prom-client shows 2^63 ns as the least and
 * remnants as the others.
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
  // Its counters begin now; the process began before.
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
    if (samples.length > 0) addMetric(client, registry, group.name, attribute, samples);
  }
}

function addMetric<T>(
  { Counter, Gauge }: PromClient,
  registry: Registry,
  group: string,
  { name, help, type }: Attribute<T>,
  samples: readonly Sample[],
): void {
  const options = {
    name: `kafka_connect_${underscored(group)}_${underscored(name)}`,
    help,
    labelNames: Object.keys(samples[0]?.labels ?? {}),
    registers: [registry],
  };
  if (type === 'counter') {
    // Its own counts begin at 0 here, since it is new.
    const metric = new Counter(options);
    for (const { labels, value } of samples) metric.inc(labels, value);
  } else {
    const metric = new Gauge(options);
    for (const { labels, value } of samples) metric.set(labels, value);
  }
}
