/** The metric groups of a worker and its connectors. Source: connect-runtime §9. */
import { counter, gauge, oneOf, text, type Group } from './attribute';
import { coordinatorAttributes } from './coordinator-attributes';
import type { GroupMetrics } from './group-metrics';
import type { StartCounts } from './start-counts';
import { STATES, type TimeInStates } from './time-in-states';

export interface NamedPlugin {
  readonly class: string;
  /** Null if it is not installed. */
  readonly version: string | null;
}

export interface ConnectorFigures extends NamedPlugin {
  readonly connector: string;
  readonly states: TimeInStates;
  readonly type: string;
}

/** A connector's tasks on this worker. */
export interface TaskStateCounts {
  readonly connector: string;
  /** In lower case. */
  readonly states: readonly string[];
}

export interface WorkerFigures {
  readonly connectors: number;
  readonly tasks: number;
  readonly connectorStarts: StartCounts;
  readonly taskStarts: StartCounts;
}

export interface MembershipFigures {
  readonly clientId: string;
  /** Java's name, e.g. `SESSIONED`; null before the worker has joined the group. */
  readonly protocol: string | null;
  readonly leaderUrl: string | null;
  readonly generation: number;
  readonly isMember: boolean;
  readonly assignedConnectors: number;
  readonly assignedTasks: number;
  readonly group: GroupMetrics;
}

export interface AppFigures {
  readonly clientId: string;
  readonly version: string;
  readonly commit: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export const CONNECTOR: Group<ConnectorFigures> = {
  name: 'connector-metrics',
  labels: ({ connector }) => ({ connector }),
  attributes: [
    oneOf('status', 'State of the connector: 1 for the one it is in.', STATES, ({ states }) => states.state),
    text('connector-type', 'Whether the connector is a source or a sink.', ({ type }) => type),
    text('connector-class', 'Class of the connector.', (connector) => connector.class),
    text('connector-version', "Version of the connector's plugin.", ({ version }) => version),
  ],
};

const STARTS = [
  ['connector', 'connectors', (of: WorkerFigures) => of.connectorStarts],
  ['task', 'tasks', (of: WorkerFigures) => of.taskStarts],
] as const;

export const WORKER: Group<WorkerFigures> = {
  name: 'connect-worker-metrics',
  labels: () => ({}),
  attributes: [
    gauge('connector-count', 'Connectors that this worker runs.', ({ connectors }) => connectors),
    gauge('task-count', 'Tasks that this worker runs.', ({ tasks }) => tasks),
    ...STARTS.flatMap(([kind, many, starts]) => [
      counter(`${kind}-startup-attempts-total`, `Starts of ${many}.`, (of: WorkerFigures) => starts(of).attempts),
      counter(
        `${kind}-startup-success-total`,
        `Starts of ${many} that succeeded.`,
        (of: WorkerFigures) => starts(of).succeeded.value,
      ),
      gauge(
        `${kind}-startup-success-percentage`,
        `Fraction of the starts of ${many} that succeeded.`,
        (of: WorkerFigures, now) => starts(of).outcomes.successes(now),
      ),
      counter(
        `${kind}-startup-failure-total`,
        `Starts of ${many} that failed.`,
        (of: WorkerFigures) => starts(of).failed.value,
      ),
      gauge(
        `${kind}-startup-failure-percentage`,
        `Fraction of the starts of ${many} that failed.`,
        (of: WorkerFigures, now) => starts(of).outcomes.failures(now),
      ),
    ]),
  ],
};

export const CONNECTOR_TASKS: Group<TaskStateCounts> = {
  name: 'connect-worker-metrics',
  labels: ({ connector }) => ({ connector }),
  attributes: [
    gauge('connector-total-task-count', "The connector's tasks on this worker.", ({ states }) => states.length),
    ...['running', 'paused', 'failed', 'unassigned', 'destroyed', 'restarting'].map((state) =>
      gauge(
        `connector-${state}-task-count`,
        `The connector's tasks on this worker that are ${state}.`,
        ({ states }: TaskStateCounts) => states.filter((found) => found === state).length,
      ),
    ),
  ],
};

export const REBALANCE: Group<MembershipFigures> = {
  name: 'connect-worker-rebalance-metrics',
  labels: () => ({}),
  attributes: [
    text('connect-protocol', 'Protocol of the group.', ({ protocol }) => protocol),
    text('leader-name', "URL of the group's leader.", ({ leaderUrl }) => leaderUrl),
    gauge('epoch', 'Generation of the group.', ({ generation }) => generation),
    counter(
      'completed-rebalances-total',
      'Rebalances that this worker has completed.',
      ({ group }) => group.workerRebalances.total.value,
    ),
    gauge('rebalancing', '1 while this worker rebalances, 0 otherwise.', ({ group }) => (group.rebalancing ? 1 : 0)),
    gauge('rebalance-max-time-ms', 'Longest time of a rebalance.', ({ group }, now) =>
      group.workerRebalances.times.maximum(now),
    ),
    gauge('rebalance-avg-time-ms', 'Average time of a rebalance.', ({ group }, now) =>
      group.workerRebalances.times.average(now),
    ),
    gauge(
      'time-since-last-rebalance-ms',
      'Time since the last rebalance; infinite before the first.',
      ({ group }, now) => group.workerRebalances.since(now),
    ),
  ],
};

/** Millrace only. */
export const GROUP_MEMBER: Group<MembershipFigures> = {
  domain: 'millrace',
  name: 'worker',
  labels: () => ({}),
  attributes: [
    gauge('in-group', '1 while this worker is a member of its group; 0: its tasks are stopped.', ({ isMember }) =>
      isMember ? 1 : 0,
    ),
  ],
};

export const COORDINATOR: Group<MembershipFigures> = {
  name: 'connect-coordinator-metrics',
  labels: ({ clientId }) => ({ client_id: clientId }),
  attributes: [
    gauge('assigned-connectors', 'Connectors assigned to this worker.', ({ assignedConnectors }) => assignedConnectors),
    gauge('assigned-tasks', 'Tasks assigned to this worker.', ({ assignedTasks }) => assignedTasks),
    ...coordinatorAttributes<MembershipFigures>(({ group }) => group),
  ],
};

export const APP: Group<AppFigures> = {
  name: 'app-info',
  labels: ({ clientId }) => ({ client_id: clientId }),
  attributes: [
    text('version', 'The Kafka Connect version that this worker reports.', ({ version }) => version),
    text('commit-id', "This worker's own version.", ({ commit }) => commit),
    gauge('start-time-ms', 'Start time of this worker, in milliseconds since the epoch.', ({ startedAt }) => startedAt),
  ],
};
