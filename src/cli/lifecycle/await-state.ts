/** Waits until a connector has reached the state that a command requested. */
import { ConnectError, sleep, monotonicNow } from '@millrace/sdk';
import { failuresOf, readStatus, type Status } from '../connectors/connectors';
import type { ConnectClient } from '../rest/connect-client';
import type { Action } from './actions';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;
/** A failure that was there before the request is reported if it is still there after this time. */
const OLD_FAILURE_MS = 10_000;
/** A connector without tasks is accepted as running after this time: it may have none to run. */
const NO_TASKS_MS = 5_000;
/** A request that starts later counts as carried out once another state was seen, or after this time. */
const SETTLED_MS = 2_000;

export interface Wait {
  /** The state before the request. */
  readonly before: Status;
  readonly timeoutMs: number;
  /** Only this task counts. (Default: all) */
  readonly task?: number | undefined;
  /** Called before each pause. */
  readonly onPoll: () => void;
}

/** @throws ConnectError `CLI_STATE_NOT_REACHED` with the reason; the errors of requests */
export async function awaitState(
  client: ConnectClient,
  name: string,
  action: Action,
  { before: all, timeoutMs, task, onPoll }: Wait,
): Promise<void> {
  const began = monotonicNow();
  const before = partOf(all, task);
  // An earlier failure counts once another state was seen in between.
  let old = failuresOf(before).length > 0 ? JSON.stringify(failuresOf(before)) : undefined;
  let isSettled = action.startsLater !== true || !action.isReached(before);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const read = await readStatus(client, name);
    const status = read && partOf(read, task);
    const waited = monotonicNow() - began;
    const isReached = action.isReached(status);
    isSettled ||= !isReached || waited > SETTLED_MS;
    if (isReached && isSettled) return;
    if (status === undefined) throw notReached(`${name} was deleted meanwhile.`);
    const failures = failuresOf(status);
    if (JSON.stringify(failures) !== old) old = undefined;
    const [first] = failures;
    if (first && action.failsWithTasks && (old === undefined || waited > OLD_FAILURE_MS))
      throw notReached(`${name}: ${first.part} is FAILED: ${first.reason}`);
    if (action.failsWithTasks && status.state === 'RUNNING' && status.tasks.length === 0 && waited > NO_TASKS_MS)
      return;
    if (waited + pause > timeoutMs)
      throw notReached(`${name} is not ${action.done} after ${timeoutMs / 1000} s: ${stateText(status)}.`);
    onPoll();
    await sleep(pause);
  }
}

/** What one task's restart can change. */
function partOf(status: Status, task: number | undefined): Status {
  return task === undefined ? status : { ...status, tasks: status.tasks.filter(({ id }) => id === task) };
}

function stateText({ state, tasks }: Status): string {
  const texts = tasks.slice(0, 5).map((task) => `task ${task.id} ${task.state}`);
  return [`connector ${state}`, ...texts, ...(tasks.length > 5 ? ['…'] : [])].join(', ');
}

function notReached(message: string): ConnectError {
  return new ConnectError(message, { code: 'CLI_STATE_NOT_REACHED' });
}
