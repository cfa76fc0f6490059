/** Which task's code a thread is busy with that does not answer. */
import { ConnectError } from '@millrace/sdk';
import type { Frame } from '../../threads/thread-view';
import type { ThreadHandle, Run } from './thread-handle';
import { taskName } from '../task-id';
import { formatTrace } from '../trace';

const ASK_MS = 2_000;
const OURS = new URL('../..', `file://${__dirname}/`).pathname;

export interface BlockingTask {
  /** Null: it could not be told. It may be one that was cut off. */
  readonly run: Run | null;
  /** Of the debugger; innermost first, maybe none. */
  readonly frames: readonly Frame[];
}

/** Asks the thread's debugger; where it does not answer, what tasks have noted in shared memory has to do. */
export async function findBlockingTask(thread: ThreadHandle): Promise<BlockingTask> {
  const view = await thread.look(ASK_MS);
  const all = [...thread.runs.values(), ...thread.lost.values()];
  const run =
    all.find(({ number }) => number === view?.owner) ??
    all.find(({ calls }) => calls.holdsThread) ??
    (all.length === 1 ? all[0] : undefined);
  return { run: run ?? null, frames: view?.frames ?? [] };
}

/** `poll() of task c-0 holds it, in spin (/plugins/c/index.js:12)`. */
export function blockingTaskText({ run, frames }: BlockingTask): string {
  const call = run?.calls.running()?.call;
  const who = run === null ? 'it cannot be told which of its tasks holds it' : `task ${taskName(run.spec.id)} holds it`;
  const frame = frames.find(({ file }) => isOthers(file)) ?? frames[0];
  return `${call ? `${call}() of ` : ''}${who}${frame ? `, in ${frameText(frame)}` : ''}`;
}

/** For the status of the task that held it. */
export function silenceTrace(holder: BlockingTask, silentMs: number): string {
  const why = `The thread of this task did not answer for ${Math.round(silentMs / 1000)} s and was ended`;
  const error = new ConnectError(`${why}: ${blockingTaskText(holder)}.`, { code: 'TASK_THREAD_SILENT' });
  const frames = holder.frames.map((frame) => `    at ${frameText(frame)}`);
  error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return formatTrace(error);
}

function isOthers(file: string): boolean {
  return file !== '' && !file.startsWith('node:') && !file.startsWith(OURS);
}

function frameText({ name, file, line }: Frame): string {
  return `${name || '<anonymous>'} (${file}:${line})`;
}
