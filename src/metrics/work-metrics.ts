/**
 * The metrics of the connectors and tasks assigned to this worker, from their start until they are revoked or
 * restarted. Those that failed keep their metrics. Source: connect-runtime §9.
 */
import { OpenClients, type ClientAnnouncement } from './open-clients';
import type { PublishedSeries } from './published-series';
import { StartCounts } from './start-counts';
import { type TaskCondition, UNKNOWN_CONDITION } from './task-condition';
import { TaskMetrics, type TaskMetricsMemory } from './task-metrics';
import { TimeInStates, type MeasuredState } from './time-in-states';
import type { SampleWindows } from './sampled-stat';

/** A connector instance (task null) or a task. */
export interface InstanceId {
  readonly connector: string;
  readonly task: number | null;
}

export interface Measured {
  readonly instance: InstanceId;
  readonly states: TimeInStates;
  /** Null for connectors, and for tasks that failed before they reached a task host. */
  readonly metrics: TaskMetrics | null;
  /** The plugin's own metrics by key, while the task runs. */
  readonly published: Map<string, PublishedSeries>;
  /** Of the task, while it runs. */
  readonly clients: OpenClients;
  /** Of the task, while it runs or is paused. */
  condition: TaskCondition;
  /** The start was already counted as a success or a failure. */
  started: boolean;
}

export class WorkMetrics {
  readonly connectorStarts: StartCounts;
  readonly taskStarts: StartCounts;
  private readonly known = new Map<string, Measured>();

  constructor(private readonly windows: SampleWindows) {
    this.connectorStarts = StartCounts.create(windows);
    this.taskStarts = StartCounts.create(windows);
  }

  all(): readonly Measured[] {
    return [...this.known.values()];
  }

  /** Memory for a task that is about to start. */
  open(connector: string, task: number, type: 'source' | 'sink'): TaskMetricsMemory {
    const memory = TaskMetrics.allocate(type, this.windows);
    // Earlier metrics belong to an earlier start.
    const instance = { connector, task };
    this.known.set(keyOf(instance), {
      instance,
      states: new TimeInStates(),
      metrics: TaskMetrics.in(memory),
      published: new Map(),
      clients: new OpenClients(),
      condition: UNKNOWN_CONDITION,
      started: false,
    });
    return memory;
  }

  /** Replaces those of an earlier run that have the same key. */
  publish(instance: InstanceId, series: readonly PublishedSeries[]): void {
    const { published } = this.measured(instance);
    for (const one of series) published.set(one.key, one);
  }

  /** Returns the condition before. */
  conditionChanged(instance: InstanceId, condition: TaskCondition): TaskCondition {
    const measured = this.measured(instance);
    const before = measured.condition;
    measured.condition = condition;
    return before;
  }

  accept(instance: InstanceId, announcement: ClientAnnouncement): void {
    this.measured(instance).clients.accept(announcement);
  }

  /** Source: Java counts a start as failed only when it never ran. */
  changed(instance: InstanceId, state: Uppercase<MeasuredState>): void {
    if (state !== 'RUNNING' && state !== 'PAUSED') {
      const ended = this.known.get(keyOf(instance));
      ended?.published.clear();
      ended?.clients.clear();
      if (ended) ended.condition = UNKNOWN_CONDITION;
    }
    // Reported on the way out, possibly after `forget`: it must not create a new entry.
    if (state === 'UNASSIGNED') return;
    const measured = this.measured(instance);
    measured.states.change(state.toLowerCase() as MeasuredState);
    if (measured.started || (state !== 'RUNNING' && state !== 'FAILED')) return;
    measured.started = true;
    (instance.task === null ? this.connectorStarts : this.taskStarts).record(state === 'RUNNING');
  }

  forget(instance: InstanceId): void {
    this.known.delete(keyOf(instance));
  }

  private measured(instance: InstanceId): Measured {
    const key = keyOf(instance);
    const measured = this.known.get(key) ?? newlyMeasured(instance);
    this.known.set(key, measured);
    return measured;
  }
}

function keyOf({ connector, task }: InstanceId): string {
  return `${task ?? ''} ${connector}`;
}

function newlyMeasured(instance: InstanceId): Measured {
  return {
    instance,
    states: new TimeInStates(),
    metrics: null,
    published: new Map(),
    clients: new OpenClients(),
    condition: UNKNOWN_CONDITION,
    started: false,
  };
}
