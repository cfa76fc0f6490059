/** Writes the statuses of connectors and tasks. Sources: connect-runtime §1.6.3, §3.11. */
import type { ConnectorTaskId } from '../../connector-task-id';
import type { ClientAnnouncement } from '../../metrics/open-clients';
import type { PublishedSeries } from '../../metrics/published-series';
import type { TaskCondition, TaskProblem } from '../../metrics/task-condition';
import { about } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import type { InstanceId, WorkMetrics } from '../../metrics/work-metrics';
import { automatically, type Cause, type Restart } from '../../storage/log/cause';
import { statusKey, type EntityStatus, type State } from '../../storage/status/status-records';
import type { StatusStore, WorkEntity } from '../../storage/status/status-store';
import type { TaskListener } from '../../tasks/host';
import { taskName } from '../../tasks/task-id';
import { formatTrace, isWorthRestarting } from '../../tasks/trace';

/** Tasks move to another thread when theirs ends. */
const MOVED = automatically('its thread ended');

/** Observes which connectors and tasks run and fail. */
export interface InstanceObserver {
  running(instance: InstanceId): void;
  /** Returns an addition to the trace: empty, or ends with a line feed. */
  failed(instance: InstanceId, worthRestarting: boolean, stuckMs?: number): string;
  forget(instance: InstanceId): void;
}

export interface StatusReporterOptions {
  readonly statuses: StatusStore;
  readonly workerId: string;
  /** The group's current generation. */
  readonly generation: () => number;
  /** Version of the connector's plugin; null when unknown. */
  readonly version: (connector: string) => string | null;
  readonly topicTracking: boolean;
  readonly observer: InstanceObserver;
  readonly metrics: WorkMetrics;
  /** A task was disconnected, or is connected again. */
  readonly onConnection: (id: ConnectorTaskId, problem: TaskProblem | null) => void;
  /** False: the connector has been deleted. */
  readonly exists: (connector: string) => boolean;
  readonly logger: Logger;
  readonly now?: () => number;
}

export class StatusReporter implements TaskListener {
  /** Restarts whose statuses have not been read back yet, by key of the status. */
  private readonly lastRestarts = new Map<string, Restart>();

  constructor(private readonly options: StatusReporterOptions) {}

  connectorState(connector: string, state: Exclude<State, 'FAILED'>): void {
    const entity = { kind: 'connector', connector } as const;
    const status = this.entered({ connector, task: null }, state, null);
    this.options.logger.info(`Connector ${connector} ${this.change(connector, state)}`, about({ connector }));
    if (state === 'RUNNING') this.options.observer.running({ connector, task: null });
    else if (state !== 'RESTARTING') this.options.observer.forget({ connector, task: null });
    // Only UNASSIGNED yields to the status of a newer owner.
    const restart = this.restart(entity);
    if (state === 'UNASSIGNED') this.options.statuses.putSafe(entity, status, restart);
    else this.options.statuses.put(entity, status, restart);
  }

  /** The instance is about to be restarted: its statuses say so from now on. */
  restarts(instance: InstanceId, cause: Cause): void {
    const { now = Date.now } = this.options;
    this.lastRestarts.set(statusKey(entityOf(instance)), { at: now(), cause });
  }

  connectorFailed(connector: string, error: unknown): void {
    const note = this.options.observer.failed({ connector, task: null }, isWorthRestarting(error));
    const status = this.entered({ connector, task: null }, 'FAILED', formatTrace(error, connector) + note);
    const entity = { kind: 'connector', connector } as const;
    this.options.statuses.putSafe(entity, status, this.restart(entity));
  }

  taskRestarting(id: ConnectorTaskId): void {
    this.put(id, 'RESTARTING');
  }

  /** Failed before the host accepted it. */
  taskFailed(id: ConnectorTaskId, error: unknown): void {
    this.onFailed(id, formatTrace(error, id.connector), isWorthRestarting(error));
  }

  onRunning(id: ConnectorTaskId): void {
    this.options.observer.running(id);
    this.put(id, 'RUNNING');
  }
  onPaused(id: ConnectorTaskId): void {
    this.put(id, 'PAUSED');
  }
  onResumed(id: ConnectorTaskId): void {
    this.put(id, 'RUNNING');
  }
  onRestarting(id: ConnectorTaskId): void {
    this.restarts(id, MOVED);
    this.taskRestarting(id);
  }
  onFailed({ connector, task }: ConnectorTaskId, trace: string, worthRestarting: boolean, stuckMs = 0): void {
    const status = this.entered(
      { connector, task },
      'FAILED',
      trace + this.options.observer.failed({ connector, task }, worthRestarting, stuckMs),
    );
    const entity = { kind: 'task', connector, task } as const;
    this.options.statuses.putSafe(entity, status, this.restart(entity));
  }
  onStopped({ connector, task }: ConnectorTaskId): void {
    const status = this.entered({ connector, task }, 'UNASSIGNED', null);
    this.options.logger.debug(`Task ${taskName({ connector, task })} has ended`, about({ connector, task }));
    const entity = { kind: 'task', connector, task } as const;
    this.options.statuses.putSafe(entity, status, this.restart(entity));
  }

  onTopicActive({ connector, task }: ConnectorTaskId, topic: string): void {
    const { statuses, topicTracking, now = Date.now } = this.options;
    if (!topicTracking || statuses.cache.topic(connector, topic) !== null) return;
    statuses.putTopic({ topic, connector, task, discoveredAt: now() });
  }

  onMetrics({ connector, task }: ConnectorTaskId, series: readonly PublishedSeries[]): void {
    this.options.metrics.publish({ connector, task }, series);
  }

  onCondition(id: ConnectorTaskId, condition: TaskCondition): void {
    const before = this.options.metrics.conditionChanged(id, condition);
    const wasDown = before.problem?.kind === 'disconnected';
    const isDown = condition.problem?.kind === 'disconnected';
    if (wasDown !== isDown) this.options.onConnection(id, isDown ? condition.problem : null);
  }

  onClient({ connector, task }: ConnectorTaskId, announcement: ClientAnnouncement): void {
    this.options.metrics.accept({ connector, task }, announcement);
  }

  /** For people, who also see these states in the REST API. */
  private change(connector: string, state: State): string {
    if (state !== 'UNASSIGNED') return `is ${state}`;
    return this.options.exists(connector) ? 'has ended on this worker' : 'was deleted and has ended';
  }

  private put({ connector, task }: ConnectorTaskId, state: State): void {
    this.options.logger.debug(`Task ${taskName({ connector, task })} is ${state}`, about({ connector, task }));
    const entity = { kind: 'task', connector, task } as const;
    this.options.statuses.put(entity, this.entered({ connector, task }, state, null), this.restart(entity));
  }

  /** The last restart that this worker knows of; null for a deleted connector, whose name may be used again. */
  private restart(entity: WorkEntity): Restart | null {
    const { statuses, exists } = this.options;
    const key = statusKey(entity);
    const own = this.lastRestarts.get(key) ?? null;
    const read = statuses.lastRestart(entity);
    if (!exists(entity.connector)) {
      this.lastRestarts.delete(key);
      return null;
    }
    if (own === null || read === null || read.at < own.at) return own ?? read;
    this.lastRestarts.delete(key);
    return read;
  }

  /** Measures the new state and returns its status. */
  private entered(instance: InstanceId, state: State, trace: string | null): EntityStatus {
    const { workerId, generation, version, metrics } = this.options;
    metrics.changed(instance, state);
    return { state, trace, workerId, generation: generation(), version: version(instance.connector) };
  }
}

function entityOf({ connector, task }: InstanceId): WorkEntity {
  return task === null ? { kind: 'connector', connector } : { kind: 'task', connector, task };
}
