/**
 * Attributes of a member of a group, a worker or a consumer. Source: connect-runtime §9 "connect-coordinator-metrics".
 */
import { counter, gauge, type Attribute } from './attribute';
import { HOUR_MS, type GroupMetrics, type TimedEvents } from './group-metrics';

type Read = (group: GroupMetrics) => TimedEvents;

export function coordinatorAttributes<T>(groupOf: (of: T) => GroupMetrics): Attribute<T>[] {
  /** Rate and count of requests of one kind. */
  const requests = (kind: string, many: string, read: Read): Attribute<T>[] => [
    gauge(`${kind}-rate`, `${many} per second.`, (of, now) => read(groupOf(of)).times.frequency(now)),
    counter(`${kind}-total`, `${many}.`, (of) => read(groupOf(of)).total.value),
  ];
  /** Average and maximum duration of requests of one kind. */
  const durations = (kind: string, what: string, read: Read): Attribute<T>[] => [
    gauge(`${kind}-avg`, `Average time of ${what}, in milliseconds.`, (of, now) =>
      read(groupOf(of)).times.average(now),
    ),
    gauge(`${kind}-max`, `Longest time of ${what}, in milliseconds.`, (of, now) =>
      read(groupOf(of)).times.maximum(now),
    ),
  ];
  const perHour = (name: string, help: string, read: Read): Attribute<T> =>
    gauge(name, help, (of, now) => read(groupOf(of)).lastHours.frequency(now, HOUR_MS));
  return [
    gauge('heartbeat-response-time-max', 'Longest time of a heartbeat, in milliseconds.', (of, now) =>
      groupOf(of).heartbeats.times.maximum(now),
    ),
    ...requests('heartbeat', 'Heartbeats', ({ heartbeats }) => heartbeats),
    ...durations('join-time', 'a JoinGroup request', ({ joins }) => joins),
    ...requests('join', 'JoinGroup requests', ({ joins }) => joins),
    ...durations('sync-time', 'a SyncGroup request', ({ syncs }) => syncs),
    ...requests('sync', 'SyncGroup requests', ({ syncs }) => syncs),
    ...durations('rebalance-latency', 'a rebalance', ({ rebalances }) => rebalances),
    counter(
      'rebalance-latency-total',
      'Total time of rebalances, in milliseconds.',
      (of) => groupOf(of).rebalances.totalMs.value,
    ),
    counter('rebalance-total', 'Rebalances that succeeded.', (of) => groupOf(of).rebalances.total.value),
    perHour('rebalance-rate-per-hour', 'Successful rebalances per hour.', ({ rebalances }) => rebalances),
    counter('failed-rebalance-total', 'Rebalances that failed.', (of) => groupOf(of).failedRebalances.total.value),
    perHour('failed-rebalance-rate-per-hour', 'Failed rebalances per hour.', (group) => group.failedRebalances),
    gauge('last-rebalance-seconds-ago', 'Time since the last rebalance; -1 before the first.', (of, now) =>
      secondsAgo(groupOf(of).rebalances, now),
    ),
    gauge('last-heartbeat-seconds-ago', 'Time since the last heartbeat; -1 before the first.', (of, now) =>
      secondsAgo(groupOf(of).heartbeats, now),
    ),
  ];
}

/** Whole seconds, as in Java. */
function secondsAgo(timed: TimedEvents, now: number): number {
  const ms = timed.since(now);
  return Number.isFinite(ms) ? Math.floor(ms / 1000) : -1;
}
