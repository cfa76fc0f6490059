/** Waits until connectors have reached the state that a command requested, or have failed. */
import { isConnectError, monotonicNow, sleep } from '@millrace/sdk';
import { printable } from '../output/printable';
import { waitingText, type ShowProgress } from '../output/progress-line';
import type { ConnectClient } from '../rest/connect-client';
import { path } from '../rest/reply';
import { failuresOf, readStatuses, type Status } from './connectors';

export interface Goal {
  /** `status` is undefined if the connector does not exist. */
  readonly isReached: (status: Status | undefined) => boolean;
  /** FAILED parts end the wait, and a connector that has no tasks to run is accepted without them. */
  readonly mustRun: boolean;
  /**
   * Workers may carry out the request after they have replied. For this time the state does not count if it was reached
   * before the request, unless another was seen in between. ms (Default: 0)
   */
  readonly settleMs?: number;
}

export interface Wait {
  /** An Error if the statuses cannot be read now. */
  readonly read: () => Promise<ReadonlyMap<string, Status> | Error>;
  /** Statuses before the request. */
  readonly before: ReadonlyMap<string, Status>;
  readonly timeoutMs: number;
  /** Called before each pause, with the names that are waited for. */
  readonly onPoll: (waiting: readonly string[]) => void;
  /** A connector that has been RUNNING without tasks for this time may have none. ms (Default: 10000) */
  readonly withoutTasksMs?: number;
}

export interface Settled {
  readonly end: 'reached' | 'without tasks' | 'failed' | 'late';
  /** The last one; undefined if the connector does not exist; an Error if it could not be read. */
  readonly status: Status | Error | undefined;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;
/** A failure that was there before the request is reported if it is still there after this time. */
const OLD_FAILURE_MS = 10_000;
const WITHOUT_TASKS_MS = 10_000;

/** Calls `onSettled` once for each name. Rejects if `read` does. */
export async function awaitStates(
  client: ConnectClient,
  names: readonly string[],
  goal: Goal,
  { read, before, timeoutMs, onPoll, withoutTasksMs = WITHOUT_TASKS_MS }: Wait,
  onSettled: (name: string, settled: Settled) => void,
): Promise<void> {
  const start = monotonicNow();
  const waiting = new Map(names.map((name) => [name, new Watched(goal, before.get(name))]));
  for (let pause = FIRST_PAUSE_MS; waiting.size > 0; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const statuses = await read();
    const waited = monotonicNow() - start;
    for (const [name, watched] of waiting) {
      const status = statuses instanceof Error ? statuses : statuses.get(name);
      let end: Settled['end'] | null = status instanceof Error ? null : watched.judge(status, waited);
      if (end === null && watched.idleMs(waited) >= withoutTasksMs && (await hasNoTasks(client, name)))
        end = 'without tasks';
      if (end === null && waited + pause > timeoutMs) end = 'late';
      if (end === null) continue;
      waiting.delete(name);
      onSettled(name, { end, status });
    }
    if (waiting.size === 0) return;
    onPoll([...waiting.keys()]);
    await sleep(pause);
  }
}

/** Judges the statuses of a connector, one after the other. */
class Watched {
  /** Failures before the request, until others are seen. */
  private old: string | undefined;
  private isSettled: boolean;
  private idleSince: number | undefined;

  constructor(
    private readonly goal: Goal,
    before: Status | undefined,
  ) {
    this.old = before && failuresOf(before).length > 0 ? JSON.stringify(failuresOf(before)) : undefined;
    this.isSettled = before === undefined || !goal.isReached(before);
  }

  /** @param waited since the request, ms @returns null: not settled yet */
  judge(status: Status | undefined, waited: number): 'reached' | 'failed' | null {
    const { isReached, mustRun, settleMs = 0 } = this.goal;
    const isThere = isReached(status);
    this.isSettled ||= !isThere || waited >= settleMs;
    if (isThere && this.isSettled) return 'reached';
    this.idleSince = mustRun && isIdle(status) ? (this.idleSince ?? waited) : undefined;
    const failures = status ? failuresOf(status) : [];
    if (JSON.stringify(failures) !== this.old) this.old = undefined;
    return mustRun && failures.length > 0 && (this.old === undefined || waited > OLD_FAILURE_MS) ? 'failed' : null;
  }

  /** For how long the connector has been RUNNING without tasks; -1 if it is not. */
  idleMs(waited: number): number {
    return this.idleSince === undefined ? -1 : waited - this.idleSince;
  }
}

function isIdle(status: Status | undefined): boolean {
  return status?.state === 'RUNNING' && status.tasks.length === 0;
}

/** Some connectors have nothing to do, e.g. because no table matches. A status alone may be that of a starting one. */
async function hasNoTasks(client: ConnectClient, name: string): Promise<boolean> {
  // A failure is not the end of the wait for the others; the next poll asks again.
  const tasks = await client.request(path`/connectors/${name}/tasks`).catch(() => null);
  return Array.isArray(tasks) && tasks.length === 0;
}

export interface Outcome {
  /** It and its tasks run, or are PAUSED or STOPPED as requested. */
  readonly isReached: boolean;
  /** Its state in lower case, or the reason why it does not run. */
  readonly text: string;
}

export interface WaitUntilRunning extends Pick<Wait, 'before' | 'timeoutMs' | 'withoutTasksMs'> {
  readonly onSettled: (name: string, outcome: Outcome) => void;
  readonly show: ShowProgress;
}

const SETTLED = new Set(['RUNNING', 'PAUSED', 'STOPPED']);
/** A change restarts the connector; what is read right after it may be the status before. */
const RUNNING: Goal = { isReached: (status) => outcomeOf(status).isReached, mustRun: true, settleMs: 500 };

/** Waits until connectors and their tasks run, or fail, after a change of their configs. */
export async function waitUntilRunning(
  client: ConnectClient,
  names: readonly string[],
  { onSettled, show, ...wait }: WaitUntilRunning,
): Promise<void> {
  await awaitStates(
    client,
    names,
    RUNNING,
    {
      ...wait,
      read: async () => await readStatuses(client).catch(unlessUnreachable),
      onPoll: (waiting) => show(() => waitingText(waiting, names.length)),
    },
    (name, { end, status }) => {
      if (end === 'without tasks') onSettled(name, { isReached: true, text: 'running, without tasks' });
      else if (status instanceof Error) onSettled(name, { isReached: false, text: status.message });
      else onSettled(name, outcomeOf(status));
    },
  );
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
  // One that was created PAUSED has no tasks until it is resumed.
  if (isIdle(status)) return not('the connector is RUNNING, but has no tasks');
  const other = state === 'STOPPED' ? undefined : tasks.find((task) => !SETTLED.has(task.state));
  return other ? not(`task ${other.id} is ${printable(other.state)}`) : { isReached: true, text: state.toLowerCase() };
}

/** A worker that restarts is waited for. */
function unlessUnreachable(error: unknown): Error {
  if (isConnectError(error) && error.code === 'REST_UNREACHABLE') return error;
  throw error;
}
