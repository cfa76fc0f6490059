/** Finds the task whose code blocks an unresponsive thread. */
import { ConnectError } from '@millrace/sdk';
import type { Frame } from '../../threads/inspect-thread';
import type { ThreadHandle, Run } from './thread-handle';
import { taskName } from '../task-id';
import { formatTrace } from '../trace';

const VIEW_MS = 2_000;
const OURS = new URL('../..', `file://${__dirname}/`).pathname;

export interface BlockingTask {
  /** Null: unknown. It may be a cancelled run. */
  readonly run: Run | null;
  /** From the debugger, innermost first; may be empty. */
  readonly frames: readonly Frame[];
}

/** Pauses the thread with the debugger. If that fails, it uses the calls that tasks have recorded in shared memory. */
export async function findBlockingTask(thread: ThreadHandle): Promise<BlockingTask> {
  const view = await thread.view(VIEW_MS);
  const all = [...thread.runs.values(), ...thread.cancelledRuns.values()];
  const run =
    all.find(({ number }) => number === view?.owner) ??
    all.find(({ calls }) => calls.holdsThread) ??
    (all.length === 1 ? all[0] : undefined);
  return { run: run ?? null, frames: view?.frames ?? [] };
}

/** `poll() of task c-0 blocks it, in spin (/plugins/c/index.js:12)`. */
export function blockingTaskText({ run, frames }: BlockingTask): string {
  const call = run?.calls.running()?.call;
  const who = run === null ? 'which of its tasks blocks it is unknown' : `task ${taskName(run.spec.id)} blocks it`;
  const frame = frames.find(({ file }) => isPluginCode(file)) ?? frames[0];
  return `${call ? `${call}() of ` : ''}${who}${frame ? `, in ${frameText(frame)}` : ''}`;
}

/** For the status of the task that blocked the thread. */
export function silenceTrace(blocking: BlockingTask, silentMs: number): string {
  const why = `The thread of this task did not answer for ${Math.round(silentMs / 1000)} s and was terminated`;
  const error = new ConnectError(`${why}: ${blockingTaskText(blocking)}.`, { code: 'TASK_THREAD_SILENT' });
  const frames = blocking.frames.map((frame) => `    at ${frameText(frame)}`);
  error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return formatTrace(error, blocking.run?.spec.id.connector ?? null);
}

function isPluginCode(file: string): boolean {
  return file !== '' && !file.startsWith('node:') && !file.startsWith(OURS);
}

function frameText({ name, file, line }: Frame): string {
  return `${name || '<anonymous>'} (${file}:${line})`;
}
