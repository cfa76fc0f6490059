/** Turns what happens to connectors and tasks into statuses. Sources: connect-runtime §1.6.3, §3.11. */
import type { ConnectorTaskId } from '../../connector-task-id';
import type { WorkMetrics } from '../../metrics/work-metrics';
import type { EntityStatus, StatusState } from '../../storage/status-records';
import type { StatusStore } from '../../storage/status-store';
import type { TaskListener } from '../../tasks/host';
import { formatTrace, isWorthRestarting } from '../../tasks/trace';

/** Hears what runs and what fails. `task` null: the connector instance. */
export interface LifeObserver {
  running(instance: { readonly connector: string; readonly task: number | null }): void;
  /** Answers what is added to the trace: empty, or ended by a line feed. */
  failed(instance: { readonly connector: string; readonly task: number | null }, worthRestarting: boolean): string;
  forget(instance: { readonly connector: string; readonly task: number | null }): void;
}

export interface StatusReporterOptions {
  readonly statuses: StatusStore;
  readonly workerId: string;
  /** Of the group. */
  readonly generation: () => number;
  /** Of the connector's plug-in; null when unknown. */
  readonly version: (connector: string) => string | null;
  readonly topicTracking: boolean;
  readonly life: LifeObserver;
  readonly metrics: WorkMetrics;
  readonly now?: () => number;
}

export class StatusReporter implements TaskListener {
  constructor(private readonly options: StatusReporterOptions) {}

  connectorState(connector: string, state: Exclude<StatusState, 'FAILED'>): void {
    const entity = { kind: 'connector', connector } as const;
    const status = this.entered({ connector, task: null }, state, null);
    if (state === 'RUNNING') this.options.life.running({ connector, task: null });
    else if (state !== 'RESTARTING') this.options.life.forget({ connector, task: null });
    // Only a goodbye gives way to what a newer owner has said.
    if (state === 'UNASSIGNED') this.options.statuses.putSafe(entity, status);
    else this.options.statuses.put(entity, status);
  }

  connectorFailed(connector: string, error: unknown): void {
    const note = this.options.life.failed({ connector, task: null }, isWorthRestarting(error));
    const status = this.entered({ connector, task: null }, 'FAILED', formatTrace(error) + note);
    this.options.statuses.putSafe({ kind: 'connector', connector }, status);
  }

  taskRestarting(id: ConnectorTaskId): void {
    this.put(id, 'RESTARTING');
  }

  /** Failed before it could be handed to the host. */
  taskFailed(id: ConnectorTaskId, error: unknown): void {
    this.onFailed(id, formatTrace(error), isWorthRestarting(error));
  }

  onRunning(id: ConnectorTaskId): void {
    this.options.life.running(id);
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
  onFailed({ connector, task }: ConnectorTaskId, trace: string, worthRestarting: boolean): void {
    const status = this.entered(
      { connector, task },
      'FAILED',
      trace + this.options.life.failed({ connector, task }, worthRestarting),
    );
    this.options.statuses.putSafe({ kind: 'task', connector, task }, status);
  }
  onStopped({ connector, task }: ConnectorTaskId): void {
    const status = this.entered({ connector, task }, 'UNASSIGNED', null);
    this.options.statuses.putSafe({ kind: 'task', connector, task }, status);
  }

  onTopicActive({ connector, task }: ConnectorTaskId, topic: string): void {
    const { statuses, topicTracking, now = Date.now } = this.options;
    if (!topicTracking || statuses.cache.topic(connector, topic) !== null) return;
    statuses.putTopic({ topic, connector, task, discoveredAt: now() });
  }

  private put({ connector, task }: ConnectorTaskId, state: StatusState): void {
    this.options.statuses.put({ kind: 'task', connector, task }, this.entered({ connector, task }, state, null));
  }

  /** Notes the state that something has come into; answers the status that tells so. */
  private entered(
    instance: { readonly connector: string; readonly task: number | null },
    state: StatusState,
    trace: string | null,
  ): EntityStatus {
    const { workerId, generation, version, metrics } = this.options;
    metrics.changed(instance, state);
    return { state, trace, workerId, generation: generation(), version: version(instance.connector) };
  }
}
