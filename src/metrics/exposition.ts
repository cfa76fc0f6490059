/** The text of `GET /metrics`. It is written in slices, because that of a thousand tasks takes long. */
import { setImmediate } from 'node:timers/promises';
import { metricName, type Group } from './attribute';
import { CONSUMER, CONSUMER_COORDINATOR, FETCH_MANAGER, PRODUCER } from './client-groups';
import { clientFigures, type OpenClient } from './open-clients';
import { JVM, type JvmFigures } from './jvm-groups';
import { NODEJS, PROCESS, type ProcessFigures } from './process-groups';
import { ProcessMonitor } from './process-monitor';
import { REST, type RestMetrics } from './rest-metrics';
import { SINK_LAG } from './sink-lag-groups';
import { PublishedFamilies, valueOf } from './published-series';
import { familyHeader, labelText, sampleLine } from './text-format';
import { COORDINATOR, APP, CONNECTOR, CONNECTOR_TASKS, GROUP_MEMBER, REBALANCE, WORKER } from './worker-groups';
import type { AppFigures, ConnectorFigures, MembershipFigures, TaskStateCounts, WorkerFigures } from './worker-groups';
import {
  CONNECTOR_TASK,
  SINK_TASK,
  SOURCE_TASK,
  TASK_ERRORS,
  TASK_HEALTH,
  TASK_LAG,
  TASK_WATCHDOG,
} from './task-groups';
import type { TaskFigures } from './task-groups';

/** Heartbeats and requests wait for no longer than about this. */
const SLICE_MS = 10;
/** Characters that are encoded at once. */
const PIECE = 256 * 1024;

/** A worker's measurements at one moment. */
export interface Figures {
  readonly connectors: readonly ConnectorFigures[];
  readonly tasks: readonly TaskFigures[];
  readonly taskStates: readonly TaskStateCounts[];
  readonly worker: WorkerFigures;
  readonly membership: MembershipFigures;
  readonly app: AppFigures;
  readonly rest: RestMetrics;
  /** Of plugins in jars. (Default: none) */
  readonly jvms?: readonly JvmFigures[];
  /** Kafka clients of the worker itself. */
  readonly clients: readonly OpenClient[];
}

let monitor: ProcessMonitor | null = null;

/** Measurement starts with the first scrape: for an idle worker that is never scraped, it would double the CPU time. */
const readProcess = async (): Promise<ProcessFigures> => await (monitor ??= new ProcessMonitor()).read();

/** `figures` null: the worker has no metrics yet; the process metrics are still returned. */
export async function exposition(figures: Figures | null, now = Date.now(), ofProcess = readProcess): Promise<Buffer> {
  const text = new SlicedText();
  const written = new Set<string>();
  const add = async <T>(group: Group<T>, all: readonly T[]): Promise<void> =>
    await addGroup(text, written, group, all, now);
  if (figures !== null) await addFigures(add, figures, now);
  const process = [await ofProcess()];
  await add(PROCESS, process);
  await add(NODEJS, process);
  if (figures !== null) await addPublished(text, written, figures, now);
  return text.end();
}

type Add = <T>(group: Group<T>, all: readonly T[]) => Promise<void>;

async function addFigures(add: Add, figures: Figures, now: number): Promise<void> {
  const { tasks, membership } = figures;
  await add(CONNECTOR, figures.connectors);
  await add(CONNECTOR_TASK, tasks);
  await add(SOURCE_TASK, ofType(tasks, 'source'));
  await add(SINK_TASK, ofType(tasks, 'sink'));
  await add(TASK_ERRORS, ofAll(tasks));
  await add(TASK_WATCHDOG, tasks);
  await add(TASK_LAG, tasks);
  await add(TASK_HEALTH, tasks);
  await add(WORKER, [figures.worker]);
  await add(CONNECTOR_TASKS, figures.taskStates);
  await add(REBALANCE, [membership]);
  await add(GROUP_MEMBER, [membership]);
  await add(COORDINATOR, [membership]);
  await add(APP, [figures.app]);
  await add(REST, [figures.rest]);
  await add(JVM, figures.jvms ?? []);
  const { producers, consumers } = clientFigures(figures, now);
  await add(PRODUCER, producers);
  await add(CONSUMER, consumers);
  await add(FETCH_MANAGER, consumers);
  await add(
    CONSUMER_COORDINATOR,
    consumers.filter(({ metrics }) => metrics.inGroup.value === 1),
  );
  await add(SINK_LAG, consumers);
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
      for (const { suffix = '', labels: own, value } of attribute.samples(of, now)) {
        if (!written.has(name)) text.add(familyHeader(name, attribute.help, attribute.type));
        written.add(name);
        text.add(sampleLine(name + suffix, labels[i] as string, labelText(own), value));
      }
      if (text.isDue) await text.pause();
    }
  }
}

/** A metric that a plugin calls like one of the worker's is left out: a name may occur once only. */
async function addPublished(
  text: SlicedText,
  written: ReadonlySet<string>,
  { tasks, jvms = [] }: Figures,
  now: number,
): Promise<void> {
  const families = new PublishedFamilies();
  for (const task of tasks) {
    if (task.condition.isConnected !== false) families.add(task);
    else families.add({ ...task, published: task.published.filter(({ lag }) => lag === undefined) });
    if (text.isDue) await text.pause();
  }
  for (const jvm of jvms) {
    families.addRead(jvm.series);
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

/** Collects a long text and lets other work of the thread run meanwhile. */
class SlicedText {
  private readonly pieces: Buffer[] = [];
  private text = '';
  private began = performance.now();

  add(line: string): void {
    this.text += line;
    if (this.text.length >= PIECE) this.encode();
  }

  /** True when it is time to call `pause`. A look at the clock costs less than a line. */
  get isDue(): boolean {
    return performance.now() - this.began >= SLICE_MS;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.began = performance.now();
  }

  end(): Buffer {
    this.encode();
    return Buffer.concat(this.pieces);
  }

  private encode(): void {
    this.pieces.push(Buffer.from(this.text));
    this.text = '';
  }
}
