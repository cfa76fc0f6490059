/** The groups of metrics that a worker and its connectors have. Source: connect-runtime §9. */
import { counter, gauge, oneOf, text, type Attribute, type Group } from './attribute';
import { HOUR_MS, type GroupMetrics, type Timed } from './group-metrics';
import type { StartCounts } from './start-counts';
import { STATES, type TimeInStates } from './time-in-states';

export interface NamedPlugin {
  readonly class: string;
  /** Null: it is not installed. */
  readonly version: string | null;
}

export interface ConnectorFigures extends NamedPlugin {
  readonly connector: string;
  readonly states: TimeInStates;
  readonly type: string;
}

/** A connector's tasks that are this worker's. */
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
  /** As Java has it, e.g. `SESSIONED`; null: not in the group yet. */
  readonly protocol: string | null;
  readonly leaderUrl: string | null;
  readonly generation: number;
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
    text('connector-version', "Version of the connector's plug-in.", ({ version }) => version),
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
        `Starts of ${many} that went well.`,
        (of: WorkerFigures) => starts(of).succeeded.value,
      ),
      gauge(
        `${kind}-startup-success-percentage`,
        `Part of the starts of ${many} that went well.`,
        (of: WorkerFigures, now) => starts(of).outcomes.successes(now),
      ),
      counter(
        `${kind}-startup-failure-total`,
        `Starts of ${many} that failed.`,
        (of: WorkerFigures) => starts(of).failed.value,
      ),
      gauge(
        `${kind}-startup-failure-percentage`,
        `Part of the starts of ${many} that failed.`,
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
    text('connect-protocol', 'Protocol that the group speaks.', ({ protocol }) => protocol),
    text('leader-name', "URL of the group's leader.", ({ leaderUrl }) => leaderUrl),
    gauge('epoch', "The group's generation.", ({ generation }) => generation),
    counter(
      'completed-rebalances-total',
      'Rebalances that this worker has completed.',
      ({ group }) => group.workerRebalances.total.value,
    ),
    gauge('rebalancing', '1 while this worker rebalances, or else 0.', ({ group }) => (group.rebalancing ? 1 : 0)),
    gauge('rebalance-max-time-ms', 'Longest time a rebalance took.', ({ group }, now) =>
      group.workerRebalances.times.maximum(now),
    ),
    gauge('rebalance-avg-time-ms', 'Average time a rebalance took.', ({ group }, now) =>
      group.workerRebalances.times.average(now),
    ),
    gauge(
      'time-since-last-rebalance-ms',
      'Time since the last rebalance; infinite before the first.',
      ({ group }, now) => group.workerRebalances.since(now),
    ),
  ],
};

/** Rate and count of requests of one kind. */
function requests(kind: string, many: string, read: (group: GroupMetrics) => Timed): Attribute<MembershipFigures>[] {
  return [
    gauge(`${kind}-rate`, `${many} a second.`, ({ group }, now) => read(group).times.frequency(now)),
    counter(`${kind}-total`, `${many}.`, ({ group }) => read(group).total.value),
  ];
}

/** Average and longest time of them. */
function durations(kind: string, what: string, read: (group: GroupMetrics) => Timed): Attribute<MembershipFigures>[] {
  return [
    gauge(`${kind}-avg`, `Average milliseconds ${what} took.`, ({ group }, now) => read(group).times.average(now)),
    gauge(`${kind}-max`, `Most milliseconds ${what} took.`, ({ group }, now) => read(group).times.maximum(now)),
  ];
}

export const COORDINATOR: Group<MembershipFigures> = {
  name: 'connect-coordinator-metrics',
  labels: ({ clientId }) => ({ client_id: clientId }),
  attributes: [
    gauge('assigned-connectors', 'Connectors assigned to this worker.', ({ assignedConnectors }) => assignedConnectors),
    gauge('assigned-tasks', 'Tasks assigned to this worker.', ({ assignedTasks }) => assignedTasks),
    gauge('heartbeat-response-time-max', 'Most milliseconds a heartbeat took.', ({ group }, now) =>
      group.heartbeats.times.maximum(now),
    ),
    ...requests('heartbeat', 'Heartbeats', ({ heartbeats }) => heartbeats),
    ...durations('join-time', 'joining the group', ({ joins }) => joins),
    ...requests('join', 'Requests to join the group', ({ joins }) => joins),
    ...durations('sync-time', 'asking for the assignment', ({ syncs }) => syncs),
    ...requests('sync', 'Requests for the assignment', ({ syncs }) => syncs),
    ...durations('rebalance-latency', 'a rebalance', ({ rebalances }) => rebalances),
    counter(
      'rebalance-latency-total',
      'Milliseconds that rebalances took, all together.',
      ({ group }) => group.rebalances.totalMs.value,
    ),
    counter('rebalance-total', 'Rebalances that succeeded.', ({ group }) => group.rebalances.total.value),
    gauge('rebalance-rate-per-hour', 'Rebalances that succeeded, an hour.', ({ group }, now) =>
      group.rebalances.lastHours.frequency(now, HOUR_MS),
    ),
    counter('failed-rebalance-total', 'Rebalances that failed.', ({ group }) => group.failedRebalances.total.value),
    gauge('failed-rebalance-rate-per-hour', 'Rebalances that failed, an hour.', ({ group }, now) =>
      group.failedRebalances.lastHours.frequency(now, HOUR_MS),
    ),
    gauge('last-rebalance-seconds-ago', 'Time since the last rebalance; -1 before the first.', ({ group }, now) =>
      secondsAgo(group.rebalances, now),
    ),
    gauge('last-heartbeat-seconds-ago', 'Time since the last heartbeat; -1 before the first.', ({ group }, now) =>
      secondsAgo(group.heartbeats, now),
    ),
  ],
};

/** As in Java, in whole seconds. */
function secondsAgo(timed: Timed, now: number): number {
  const ms = timed.since(now);
  return Number.isFinite(ms) ? Math.floor(ms / 1000) : -1;
}

export const APP: Group<AppFigures> = {
  name: 'app-info',
  labels: ({ clientId }) => ({ client_id: clientId }),
  attributes: [
    text('version', 'The Kafka Connect that clients take this worker for.', ({ version }) => version),
    text('commit-id', "This worker's own version.", ({ commit }) => commit),
    gauge('start-time-ms', 'When this worker started, milliseconds since the epoch.', ({ startedAt }) => startedAt),
  ],
};
