/** Waits until connectors and their tasks run, or fail. */
import { isConnectError, sleep, monotonicNow } from '@millrace/sdk';
import { failuresOf, isFailed, readStatuses, type Status } from '../connectors/connectors';
import { printable } from '../output/printable';
import { waitingText, type ShowProgress } from '../output/progress-line';
import { type ConnectClient, path } from '../rest/connect-client';

export interface Outcome {
  /** It and its tasks run, or are PAUSED or STOPPED as requested. */
  readonly isReached: boolean;
  /** Its state in lower case, or the reason why it does not run. */
  readonly text: string;
}

export interface WaitOptions {
  /** Statuses before the change. */
  readonly before: ReadonlyMap<string, Status>;
  readonly timeoutMs: number;
  readonly onSettled: (name: string, outcome: Outcome) => void;
  readonly show: ShowProgress;
  /** A connector that has been RUNNING without tasks for this time has none. Default: 10 s. */
  readonly withoutTasksMs?: number;
}

const POLL_MS = 500;
/** After a change, a worker may return the former status for this time. */
const FORMER_MS = 10_000;
const SETTLED = new Set(['RUNNING', 'PAUSED', 'STOPPED']);

/** Calls `onSettled` once for each name. */
export async function waitUntilRunning(
  client: ConnectClient,
  names: readonly string[],
  { before, timeoutMs, onSettled, show, withoutTasksMs = 10_000 }: WaitOptions,
): Promise<void> {
  const start = monotonicNow();
  const waiting = new Set(names);
  const seen = new Map<string, { readonly text: string; readonly since: number }>();
  while (waiting.size > 0) {
    const statuses = await readStatuses(client).catch(unlessUnreachable);
    const passed = monotonicNow() - start;
    for (const name of waiting) {
      if (statuses instanceof Error) {
        if (passed < timeoutMs) break;
        waiting.delete(name);
        onSettled(name, { isReached: false, text: statuses.message });
        continue;
      }
      const status = statuses.get(name);
      const former = before.get(name);
      const text = JSON.stringify(status ?? null);
      const last = seen.get(name);
      // A change restarts the connector: what was read once may be the status before.
      const isStable = former === undefined || last?.text === text;
      const isFormer = former !== undefined && isFailed(former) && JSON.stringify(former) === text;
      const since = last?.text === text ? last.since : passed;
      seen.set(name, { text, since });
      let outcome = outcomeOf(status);
      if (isRunningWithoutTasks(status) && passed - since >= withoutTasksMs && (await hasNoTasks(client, name)))
        outcome = { isReached: true, text: 'running, without tasks' };
      const isDone = status && (isFailed(status) ? !isFormer || passed > FORMER_MS : outcome.isReached);
      if (!(isDone && isStable) && passed < timeoutMs) continue;
      waiting.delete(name);
      onSettled(name, outcome);
    }
    if (waiting.size === 0) return;
    show(() => waitingText(waiting, names.length));
    await sleep(POLL_MS);
  }
}

function outcomeOf(status: Status | undefined): Outcome {
  const not = (text: string): Outcome => ({ isReached: false, text });
  if (!status || (status.state === 'UNASSIGNED' && status.worker === ''))
    return not('no worker has reported a status yet; check that the workers of the group are up');
  const { state, tasks } = status;
  const [failure] = failuresOf(status);
  if (failure) {
    const part = failure.part === 'connector' ? 'the connector' : failure.part;
    return not(printable(`${part} is FAILED: ${failure.reason} (on ${failure.worker})`));
  }
  if (!SETTLED.has(state)) return not(`the connector is ${printable(state)}`);
  if (isRunningWithoutTasks(status)) return not('the connector is RUNNING, but has no tasks');
  const other = state === 'STOPPED' ? undefined : tasks.find((task) => !SETTLED.has(task.state));
  return other ? not(`task ${other.id} is ${printable(other.state)}`) : { isReached: true, text: state.toLowerCase() };
}

/** One that was created PAUSED has no tasks until it is resumed. */
function isRunningWithoutTasks(status: Status | undefined): boolean {
  return status?.state === 'RUNNING' && status.tasks.length === 0;
}

/** Some connectors have nothing to do, e.g. because no table matches. A status alone may be that of a starting one. */
async function hasNoTasks(client: ConnectClient, name: string): Promise<boolean> {
  // A failure is not the end of the wait for the others; the next poll asks again.
  const tasks = await client.request(path`/connectors/${name}/tasks`).catch(() => null);
  return Array.isArray(tasks) && tasks.length === 0;
}

/** A worker that restarts is waited for. */
function unlessUnreachable(error: unknown): Error {
  if (isConnectError(error) && error.code === 'REST_UNREACHABLE') return error;
  throw error;
}
