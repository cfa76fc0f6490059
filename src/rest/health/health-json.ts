/** Health of a connector as the public routes answer it: members in the style of Connect's. Pure. */
import type { ConnectorRow } from '@millrace/console';
import type { ConnectorRuntime } from './runtime';

export function healthJson(
  { name, summary, reasons, tasks }: ConnectorRow,
  { plugin, jvms }: ConnectorRuntime,
): unknown {
  return {
    name,
    health: summary,
    reasons: reasons.map(({ code, message, cure, since, task, worker, nextTryAt, actions }) => ({
      ...{ code, message, cure, since, task, worker_id: worker, next_try_at: nextTryAt, actions },
    })),
    plugin: plugin && {
      ...{ class: plugin.class, version: plugin.version, location: plugin.location, runs_in: plugin.runsIn },
    },
    jvms: jvms.map((jvm) => ({
      ...{ worker_id: jvm.worker, state: jvm.state, own: jvm.isOwn, pid: jvm.pid },
      ...{ heap_used_bytes: jvm.heapUsed, heap_max_bytes: jvm.heapMax, memory_bytes: jvm.residentBytes },
      ...{ restarts: jvm.restarts, hung_threads: jvm.hungThreads, silent_seconds: jvm.silentSeconds },
    })),
    tasks: tasks.map(({ id, state, worker, isConnected, rate, lag, errors, errorRate, lastErrorAt }) => ({
      ...{ id, state, worker_id: worker, connected: isConnected, rate, lag },
      ...{ errors, errors_per_second: errorRate, last_error_at: lastErrorAt },
    })),
  };
}
