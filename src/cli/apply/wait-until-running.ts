/** Waits until connectors and their tasks run, or fail. */
import { isConnectError, sleep } from '@millrace/sdk';
import { isFailed, readStatuses, type Status } from '../connectors/connectors';
import { failuresOf } from '../connectors/failure';
import { printable } from '../output/printable';
import type { ConnectClient } from '../rest/connect-client';

/** A name, and undefined if it runs, otherwise the reason why it does not. */
export type OnSettled = (name: string, reason: string | undefined) => void;

const POLL_MS = 500;
/** After a change, a worker may return the former status for this time. */
const FORMER_MS = 10_000;
const SETTLED = new Set(['RUNNING', 'PAUSED', 'STOPPED']);

/** @param before statuses before the change */
export async function waitUntilRunning(
  client: ConnectClient,
  names: readonly string[],
  { before, timeoutMs, onSettled }: { before: ReadonlyMap<string, Status>; timeoutMs: number; onSettled: OnSettled },
): Promise<void> {
  const start = Date.now();
  const waiting = new Set(names);
  const seen = new Map<string, string>();
  while (waiting.size > 0) {
    const statuses = await readStatuses(client).catch(unlessUnreachable);
    const passed = Date.now() - start;
    for (const name of waiting) {
      if (statuses instanceof Error) {
        if (passed < timeoutMs) break;
        waiting.delete(name);
        onSettled(name, statuses.message);
        continue;
      }
      const status = statuses.get(name);
      const former = before.get(name);
      const text = JSON.stringify(status);
      // A change restarts the connector: what was read once may be the status before.
      const isStable = former === undefined || seen.get(name) === text;
      const isFormer = former !== undefined && isFailed(former) && JSON.stringify(former) === text;
      seen.set(name, text);
      const reason = whyNot(status);
      const isDone = status && (isFailed(status) ? !isFormer || passed > FORMER_MS : reason === undefined);
      if (!(isDone && isStable) && passed < timeoutMs) continue;
      waiting.delete(name);
      onSettled(name, reason);
    }
    if (waiting.size > 0) await sleep(POLL_MS);
  }
}

/** Undefined if nothing is missing. */
function whyNot(status: Status | undefined): string | undefined {
  if (!status || (status.state === 'UNASSIGNED' && status.worker === ''))
    return 'no worker has reported a status yet; check that the workers of the group are up';
  const { state, tasks } = status;
  const [failure] = failuresOf(status);
  if (failure) {
    const part = failure.part === 'connector' ? 'the connector' : failure.part;
    return printable(`${part} is FAILED: ${failure.reason} (on ${failure.worker})`);
  }
  if (!SETTLED.has(state)) return `the connector is ${printable(state)}`;
  if (state === 'STOPPED') return undefined;
  if (tasks.length === 0) return `the connector is ${state}, but has no tasks`;
  const other = tasks.find((task) => !SETTLED.has(task.state));
  return other && `task ${other.id} is ${printable(other.state)}`;
}

/** A worker that restarts is waited for. */
function unlessUnreachable(error: unknown): Error {
  if (isConnectError(error) && error.code === 'REST_UNREACHABLE') return error;
  throw error;
}
