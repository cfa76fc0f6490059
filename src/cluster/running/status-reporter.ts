/** Writes the statuses of connectors and tasks. Sources: connect-runtime §1.6.3, §3.11. */
import type { ConnectorTaskId } from '../../connector-task-id';
import type { ClientAnnouncement } from '../../metrics/open-clients';
import type { PublishedSeries } from '../../metrics/published-series';
import type { Logger } from '../../logging/logger';
import type { InstanceId, WorkMetrics } from '../../metrics/work-metrics';
import type { EntityStatus, StatusState } from '../../storage/status/status-records';
import type { StatusStore } from '../../storage/status/status-store';
import type { TaskListener } from '../../tasks/host';
import { taskName } from '../../tasks/task-id';
import { formatTrace, isWorthRestarting } from '../../tasks/trace';

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
  /** False: the connector has been deleted. */
  readonly exists: (connector: string) => boolean;
  readonly logger: Logger;
  readonly now?: () => number;
}

export class StatusReporter implements TaskListener {
  constructor(private readonly options: StatusReporterOptions) {}

  connectorState(connector: string, state: Exclude<StatusState, 'FAILED'>): void {
    const entity = { kind: 'connector', connector } as const;
    const status = this.entered({ connector, task: null }, state, null);
    this.options.logger.info(`Connector ${connector} ${this.change(connector, state)}`);
    if (state === 'RUNNING') this.options.observer.running({ connector, task: null });
    else if (state !== 'RESTARTING') this.options.observer.forget({ connector, task: null });
    // Only UNASSIGNED yields to the status of a newer owner.
    if (state === 'UNASSIGNED') this.options.statuses.putSafe(entity, status);
    else this.options.statuses.put(entity, status);
  }

  connectorFailed(connector: string, error: unknown): void {
    const note = this.options.observer.failed({ connector, task: null }, isWorthRestarting(error));
    const status = this.entered({ connector, task: null }, 'FAILED', formatTrace(error) + note);
    this.options.statuses.putSafe({ kind: 'connector', connector }, status);
  }

  taskRestarting(id: ConnectorTaskId): void {
    this.put(id, 'RESTARTING');
  }

  /** Failed before the host accepted it. */
  taskFailed(id: ConnectorTaskId, error: unknown): void {
    this.onFailed(id, formatTrace(error), isWorthRestarting(error));
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
    this.taskRestarting(id);
  }
  onFailed({ connector, task }: ConnectorTaskId, trace: string, worthRestarting: boolean, stuckMs = 0): void {
    const status = this.entered(
      { connector, task },
      'FAILED',
      trace + this.options.observer.failed({ connector, task }, worthRestarting, stuckMs),
    );
    this.options.statuses.putSafe({ kind: 'task', connector, task }, status);
  }
  onStopped({ connector, task }: ConnectorTaskId): void {
    const status = this.entered({ connector, task }, 'UNASSIGNED', null);
    this.options.logger.debug(`Task ${taskName({ connector, task })} has ended`);
    this.options.statuses.putSafe({ kind: 'task', connector, task }, status);
  }

  onTopicActive({ connector, task }: ConnectorTaskId, topic: string): void {
    const { statuses, topicTracking, now = Date.now } = this.options;
    if (!topicTracking || statuses.cache.topic(connector, topic) !== null) return;
    statuses.putTopic({ topic, connector, task, discoveredAt: now() });
  }

  onMetrics({ connector, task }: ConnectorTaskId, series: readonly PublishedSeries[]): void {
    this.options.metrics.publish({ connector, task }, series);
  }

  onClient({ connector, task }: ConnectorTaskId, announcement: ClientAnnouncement): void {
    this.options.metrics.accept({ connector, task }, announcement);
  }

  /** For people, who also see these states in the REST API. */
  private change(connector: string, state: StatusState): string {
    if (state !== 'UNASSIGNED') return `is ${state}`;
    return this.options.exists(connector) ? 'has ended on this worker' : 'was deleted and has ended';
  }

  private put({ connector, task }: ConnectorTaskId, state: StatusState): void {
    this.options.logger.debug(`Task ${taskName({ connector, task })} is ${state}`);
    this.options.statuses.put({ kind: 'task', connector, task }, this.entered({ connector, task }, state, null));
  }

  /** Measures the new state and returns its status. */
  private entered(instance: InstanceId, state: StatusState, trace: string | null): EntityStatus {
    const { workerId, generation, version, metrics } = this.options;
    metrics.changed(instance, state);
    return { state, trace, workerId, generation: generation(), version: version(instance.connector) };
  }
}
