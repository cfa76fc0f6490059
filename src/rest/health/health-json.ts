/** Health of a connector as the public routes answer it: members in the style of Connect's. Pure. */
import type { ConnectorRow } from '@millrace/console';

export function healthJson({ name, summary, reasons, tasks }: ConnectorRow): unknown {
  return {
    name,
    health: summary,
    reasons: reasons.map(({ code, message, cure, since, task, worker, nextTryAt, actions }) => ({
      ...{ code, message, cure, since, task, worker_id: worker, next_try_at: nextTryAt, actions },
    })),
    tasks: tasks.map(({ id, state, worker, isConnected, rate, lag, errors, errorRate, lastErrorAt }) => ({
      ...{ id, state, worker_id: worker, connected: isConnected, rate, lag },
      ...{ errors, errors_per_second: errorRate, last_error_at: lastErrorAt },
    })),
  };
}
