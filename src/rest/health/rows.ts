/** The rows of the console's lists, from the configs and statuses of one moment and the workers' figures. Pure. */
import type { ConnectorRow, Failure, Lag, TaskRow, WorkerRow } from '@millrace/console';
import { most, sum, taskKey } from '@millrace/texts/worker-rates';
import type { Absence, ConnectorRecord, ConnectorState } from '../../cluster/entities';
import type { GroupReport, WorkerView } from '../reports/group-reports';
import { reasonsOf, type SilentWorkers } from './reasons';
import { summaryOf } from './summary';
import type { TaskReport } from '../reports/worker-report';

/** States that need a worker: a connector that is STOPPED, for instance, loses nothing with the one that stopped it. */
const NEED_A_WORKER: ReadonlySet<string> = new Set(['RUNNING', 'PAUSED', 'FAILED', 'RESTARTING']);
const NO_STATUS: ConnectorState = { state: 'UNASSIGNED', worker_id: '' };

/** What the rows have in common. */
export interface Group {
  readonly members: ReadonlySet<string>;
  readonly isWhole: boolean;
  /** Of the worker that answers. */
  readonly absence: Absence | null;
  readonly silent: SilentWorkers;
  /** By `taskKey`. */
  readonly tasks: ReadonlyMap<string, TaskReport>;
}

export function groupOf({ workers, isWhole }: GroupReport, absence: Absence | null): Group {
  return {
    absence,
    silent: new Map(workers.flatMap(({ id, problem }) => (problem === null ? [] : [[id, problem] as const]))),
    members: new Set(workers.map(({ id }) => id)),
    isWhole,
    tasks: new Map(
      workers.flatMap(({ id, tasks }) => [...tasks].map(([key, task]) => [`${id}\n${key}`, task] as const)),
    ),
  };
}

export interface RowFacts {
  /** Of its failed parts, the newest first. */
  readonly failures: readonly Failure[];
  /** Null: none is configured. */
  readonly deadLetterTopic: string | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function connectorRow(record: ConnectorRecord, group: Group, facts: RowFacts): ConnectorRow {
  const { name, config, type, target, status } = record;
  const connector = status?.connector ?? NO_STATUS;
  const isGone = isWorkerGone(connector, group);
  const tasks = [...(status?.tasks ?? [])].sort((a, b) => a.id - b.id).map((task) => taskRow(name, task, group));
  const parts = [{ worker: connector.worker_id, isWorkerGone: isGone }, ...tasks];
  const reasons = reasonsOf({
    ...{ type, tasks, ...facts },
    goneWorkers: [...new Set(parts.flatMap((part) => (part.isWorkerGone ? [part.worker] : [])))],
    absence: connector.state === 'STOPPED' ? null : group.absence,
    silent: group.silent,
  });
  return {
    name,
    type,
    className: config['connector.class'] ?? '',
    version: versionOf(connector),
    state: connector.state,
    target,
    summary: summaryOf({ state: connector.state, isWorkerGone: isGone }, tasks, record.tasks, reasons),
    reasons,
    worker: connector.worker_id,
    isWorkerGone: isGone,
    since: connector.since ?? null,
    tasks,
    tasksMax: tasksMaxOf(config['tasks.max']),
    rate: sum(tasks.map(({ rate }) => rate)),
    errors: sum(tasks.map(({ errors }) => errors)),
    errorRate: sum(tasks.map(({ errorRate }) => errorRate)),
    lag: lagOf(tasks.map(({ lag }) => lag)),
    failure: facts.failures[0] ?? null,
  };
}

function taskRow(connector: string, task: ConnectorState & { readonly id: number }, group: Group): TaskRow {
  // Figures of the worker that the status names: another one may still report a task that it has lost.
  const report = group.tasks.get(`${task.worker_id}\n${taskKey(connector, task.id)}`);
  return {
    id: task.id,
    state: task.state,
    worker: task.worker_id,
    isWorkerGone: isWorkerGone(task, group),
    since: task.since ?? null,
    rate: report?.rate ?? null,
    lag: {
      records: report?.lagRecords ?? null,
      bytes: report?.lagBytes ?? null,
      seconds: report?.lagSeconds ?? null,
    },
    errors: report?.failed ?? null,
    errorRate: report?.failedRate ?? null,
    lastErrorAt: report?.lastFailedAt ?? null,
    isConnected: report?.isConnected ?? null,
    problem: report?.problem ?? null,
    thread: report?.thread ?? null,
  };
}

function isWorkerGone({ state, worker_id: worker }: ConnectorState, { members, isWhole }: Group): boolean {
  return isWhole && NEED_A_WORKER.has(state) && worker !== '' && !members.has(worker);
}

/** Java's worker writes the text for a plugin without a version. */
function versionOf({ version }: ConnectorState): string | null {
  return version === undefined || version === 'undefined' ? null : version;
}

/** Null: not a number, for instance a placeholder. */
function tasksMaxOf(text = '1'): number | null {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : null;
}

/** Of the part that is most behind. */
function lagOf(lags: readonly Lag[]): Lag {
  return {
    records: most(lags.map(({ records }) => records)),
    bytes: most(lags.map(({ bytes }) => bytes)),
    seconds: most(lags.map(({ seconds }) => seconds)),
  };
}

/** Members first, in the order of their ids; then workers that statuses name, but that are not members. */
export function workerRows(
  connectors: readonly ConnectorRow[],
  { workers }: GroupReport,
  leaderUrl: string | null,
): readonly WorkerRow[] {
  const work = workOf(connectors);
  const rows = workers.map((view) => workerRow(view, work.get(view.id) ?? NO_WORK, view.url === leaderUrl));
  const gone = [...work].filter(([, { isGone }]) => isGone).map(([id, counts]) => goneRow(id, counts));
  const byId = (a: WorkerRow, b: WorkerRow): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  return [...rows.sort(byId), ...gone.sort(byId)];
}

interface Work {
  readonly connectors: number;
  readonly tasks: number;
  readonly isGone: boolean;
}

const NO_WORK: Work = { connectors: 0, tasks: 0, isGone: false };

/** Counts by worker id. */
function workOf(connectors: readonly ConnectorRow[]): ReadonlyMap<string, Work> {
  const work = new Map<string, Work>();
  const add = (id: string, kind: 'connectors' | 'tasks', isGone: boolean): void => {
    const found = work.get(id) ?? NO_WORK;
    work.set(id, { ...found, [kind]: found[kind] + 1, isGone: found.isGone || isGone });
  };
  for (const { worker, state, isWorkerGone: isGone, tasks } of connectors) {
    if (NEED_A_WORKER.has(state)) add(worker, 'connectors', isGone);
    for (const task of tasks) if (NEED_A_WORKER.has(task.state)) add(task.worker, 'tasks', task.isWorkerGone);
  }
  return work;
}

function workerRow(view: WorkerView, { connectors, tasks }: Work, isLeader: boolean): WorkerRow {
  const { id, url, state, problem, isThis, report, cpu } = view;
  const start = report?.startSeconds;
  return {
    id,
    url: url || null,
    ...{ state, problem, isLeader, isThis, connectors, tasks, cpu },
    version: report?.version ?? null,
    memoryBytes: report?.memoryBytes ?? null,
    rate: sum([...view.tasks.values()].map(({ rate = null }) => rate)),
    startedAt: start === undefined ? null : start * 1000,
    health: report?.health ?? null,
  };
}

function goneRow(id: string, { connectors, tasks }: Work): WorkerRow {
  const unknown = { url: null, problem: null, version: null, cpu: null, memoryBytes: null, rate: null };
  return {
    ...unknown,
    startedAt: null,
    health: null,
    id,
    state: 'gone',
    isLeader: false,
    isThis: false,
    connectors,
    tasks,
  };
}
