/**
 * The text of `GET /metrics`. It is written in slices, because that of a thousand tasks takes long. prom-client
 * measures the process.
 */
import type { Counter, Registry } from 'prom-client';
import { metricName, type Group } from './attribute';
import { CONSUMER, CONSUMER_COORDINATOR, FETCH_MANAGER, PRODUCER } from './client-groups';
import { clientFigures, type OpenClient } from './open-clients';
import { SINK_LAG } from './sink-lag-groups';
import { PublishedFamilies, valueOf } from './published-series';
import { SlicedText } from './sliced-text';
import { familyHeader, labelText, sampleLine } from './text-format';
import { COORDINATOR, APP, CONNECTOR, CONNECTOR_TASKS, REBALANCE, WORKER } from './worker-groups';
import type { AppFigures, ConnectorFigures, MembershipFigures, TaskStateCounts, WorkerFigures } from './worker-groups';
import { CONNECTOR_TASK, SINK_TASK, SOURCE_TASK, TASK_ERRORS, TASK_WATCHDOG, type TaskFigures } from './task-groups';

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
export async function exposition(figures: Figures | null, now = Date.now()): Promise<Buffer> {
  const process = await (loading ??= load());
  const text = new SlicedText();
  if (figures !== null) await addFigures(text, figures, now);
  text.add(withoutEmptyDelays(await process.metrics()));
  return text.end();
}

async function addFigures(text: SlicedText, figures: Figures, now: number): Promise<void> {
  const written = new Set<string>();
  const add = async <T>(group: Group<T>, all: readonly T[]): Promise<void> =>
    await addGroup(text, written, group, all, now);
  const { tasks, membership } = figures;
  await add(CONNECTOR, figures.connectors);
  await add(CONNECTOR_TASK, tasks);
  await add(SOURCE_TASK, ofType(tasks, 'source'));
  await add(SINK_TASK, ofType(tasks, 'sink'));
  await add(TASK_ERRORS, ofAll(tasks));
  await add(TASK_WATCHDOG, tasks);
  await add(WORKER, [figures.worker]);
  await add(CONNECTOR_TASKS, figures.taskStates);
  await add(REBALANCE, [membership]);
  await add(COORDINATOR, [membership]);
  await add(APP, [figures.app]);
  const { producers, consumers } = clientFigures(figures, now);
  await add(PRODUCER, producers);
  await add(CONSUMER, consumers);
  await add(FETCH_MANAGER, consumers);
  await add(
    CONSUMER_COORDINATOR,
    consumers.filter(({ metrics }) => metrics.inGroup.value === 1),
  );
  await add(SINK_LAG, consumers);
  await addPublished(text, written, tasks, now);
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

async function load(): Promise<Registry> {
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
  return registry;
}

async function addGroup<T>(
  text: SlicedText,
  written: Set<string>,
  group: Group<T>,
  all: readonly T[],
  now: number,
): Promise<void> {
  const labels = all.map((of) => labelText(group.labels(of)));
  for (const attribute of group.attributes) {
    const name = metricName(group, attribute);
    for (const [i, of] of all.entries()) {
      for (const { labels: own, value } of attribute.samples(of, now)) {
        if (!written.has(name)) text.add(familyHeader(name, attribute.help, attribute.type));
        written.add(name);
        text.add(sampleLine(name, labels[i] as string, labelText(own), value));
      }
      if (text.isDue) await text.pause();
    }
  }
}

/** A metric that a plugin calls like one of the worker's is left out: a name may occur once only. */
async function addPublished(
  text: SlicedText,
  written: ReadonlySet<string>,
  tasks: readonly TaskFigures[],
  now: number,
): Promise<void> {
  const families = new PublishedFamilies();
  for (const task of tasks) {
    families.add(task);
    if (text.isDue) await text.pause();
  }
  for (const { name, help, type, series } of families.all()) {
    if (written.has(name)) continue;
    let isFirst = true;
    for (const { owner, one } of series) {
      const value = valueOf(one, now);
      if (Number.isNaN(value)) continue;
      if (isFirst) text.add(familyHeader(name, help, type));
      isFirst = false;
      text.add(sampleLine(name, labelText(one.labels), owner, value));
      if (text.isDue) await text.pause();
    }
  }
}
