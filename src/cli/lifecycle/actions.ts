/** What the lifecycle commands request, and when they are done. */
import type { Status } from '../connectors/connectors';
import { path } from '../rest/connect-client';

export interface RestartOptions {
  readonly includeTasks?: boolean;
  readonly failed?: boolean;
  /** Only this task. */
  readonly task?: number;
}

export interface Action {
  readonly verb: string;
  /** For questions: `delete`. For results: `deleted`. */
  readonly done: string;
  readonly method: 'PUT' | 'POST' | 'DELETE';
  readonly path: (name: string, options: RestartOptions) => string;
  /** Whether the state is reached; `status` is undefined if the connector does not exist. */
  readonly isReached: (status: Status | undefined) => boolean;
  /** FAILED parts are a reason to end the wait. */
  readonly failsWithTasks: boolean;
  /**
   * The state may be reached before the request has had an effect: workers restart tasks after they have replied.
   * (Default: false)
   */
  readonly startsLater?: boolean;
}

const put = { method: 'PUT', failsWithTasks: false } as const;

/** FAILED tasks remain FAILED. */
const isPaused = (status: Status | undefined): boolean =>
  status?.state === 'PAUSED' && status.tasks.every(({ state }) => state === 'PAUSED' || state === 'FAILED');
const isStopped = (status: Status | undefined): boolean => status?.state === 'STOPPED' && status.tasks.length === 0;
const isRunning = (status: Status | undefined): boolean =>
  status?.state === 'RUNNING' && status.tasks.length > 0 && status.tasks.every(({ state }) => state === 'RUNNING');

export const ACTIONS = {
  pause: {
    ...put,
    verb: 'pause',
    done: 'paused',
    path: (name) => path`/connectors/${name}/pause`,
    isReached: isPaused,
  },
  stop: { ...put, verb: 'stop', done: 'stopped', path: (name) => path`/connectors/${name}/stop`, isReached: isStopped },
  resume: {
    verb: 'resume',
    done: 'running',
    method: 'PUT',
    path: (name) => path`/connectors/${name}/resume`,
    isReached: isRunning,
    failsWithTasks: true,
  },
  restart: {
    verb: 'restart',
    done: 'restarted',
    method: 'POST',
    path: (name, { includeTasks = false, failed = false, task }) =>
      task === undefined
        ? path`/connectors/${name}/restart?includeTasks=${String(includeTasks || failed)}&onlyFailed=${String(failed)}`
        : path`/connectors/${name}/tasks/${String(task)}/restart`,
    // PAUSED and STOPPED connectors stay as they are.
    isReached: (status) => isRunning(status) || isPaused(status) || isStopped(status),
    failsWithTasks: true,
    startsLater: true,
  },
  delete: {
    verb: 'delete',
    done: 'deleted',
    method: 'DELETE',
    path: (name) => path`/connectors/${name}`,
    isReached: (status) => status === undefined,
    failsWithTasks: false,
  },
} satisfies Record<string, Action>;
