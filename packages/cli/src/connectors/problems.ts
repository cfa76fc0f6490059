/** What is wrong with a connector: its failures, and the other reasons of its health. Pure. */
import { type Connector, failuresOf } from './connectors';
import { type HealthAction, type HealthReason, isOfHealth, isOfWorker, NOT_IN_GROUP } from './health';

export interface Problem {
  readonly label: 'FAILED' | 'DEGRADED' | 'UNKNOWN';
  /** `connector` or `task 0`; empty: of several. */
  readonly part: string;
  /** Empty: unknown. */
  readonly worker: string;
  /** With the code. */
  readonly reason: string;
  /** Null: the reason says it, or nothing is known to do. */
  readonly cure: string | null;
  /** Milliseconds since the epoch, as `nextTryAt`; null: unknown. */
  readonly since: number | null;
  readonly nextTryAt: number | null;
  readonly actions: readonly HealthAction[];
}

const COMMAND = /`millrace [^`]*`/g;

/** Failures first. That the worker that answers is not in its group is a problem of the worker. */
export function problemsOf({ name, status, health }: Connector): readonly Problem[] {
  const reasons = health?.reasons ?? [];
  const failures = failuresOf(status).map(({ part, worker, reason }): Problem => {
    const known = reasons.find((one) => !isOfHealth(one) && partOf(one) === part);
    const { since = null, nextTryAt = null, actions = [] } = known ?? {};
    const cure = known?.cure != null && !reason.includes(known.cure) ? cureOf(known.cure, name) : null;
    return { label: 'FAILED', part, worker, reason, cure, since, nextTryAt, actions };
  });
  const others = reasons
    .filter((reason) => isOfHealth(reason) && reason.code !== NOT_IN_GROUP)
    .map((reason): Problem => {
      const { code, message, cure, since, worker, nextTryAt, actions } = reason;
      return {
        ...{
          label: isOfWorker(reason) ? 'UNKNOWN' : 'DEGRADED',
          part: reason.task === null ? '' : partOf(reason),
          worker,
        },
        ...{
          reason: `${message} (${code})`,
          cure: cure === null ? null : cureOf(cure, name),
          since,
          nextTryAt,
          actions,
        },
      };
    });
  return [...failures, ...others];
}

function partOf({ task }: HealthReason): string {
  return task === null ? 'connector' : `task ${task}`;
}

/** Commands in it name the connector. */
export function cureOf(cure: string, name: string): string {
  return cure.replace(COMMAND, (command) => command.replace(/\bNAME\b/, () => name));
}
