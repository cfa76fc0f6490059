/**
 * State machine of one task: events, and what to report about them. Pure. Source: connect-runtime
 * §3.10.
 */
export type TaskState = 'STARTING' | 'RUNNING' | 'PAUSED' | 'STOPPING' | 'STOPPED' | 'FAILED' | 'CANCELLED';
export type TaskEvent = 'started' | 'paused' | 'stopRequested' | 'ended' | 'failed' | 'cancelled';
export type TaskReport = 'running' | 'resumed' | 'paused' | 'stopped' | 'failed' | null;

export interface Transition {
  readonly state: TaskState;
  /** What is reported to the listener; null: nothing. */
  readonly report: TaskReport;
}

const FINAL: readonly TaskState[] = ['STOPPED', 'FAILED', 'CANCELLED'];

/**
 * A failure after a requested stop does not count (it is logged, and the task is reported as stopped). Nothing is
 * reported after the end or after a cancellation.
 */
export function transition(state: TaskState, event: TaskEvent): Transition {
  if (FINAL.includes(state)) return { state, report: null };
  switch (event) {
    case 'started':
      if (state === 'STARTING') return { state: 'RUNNING', report: 'running' };
      return state === 'PAUSED' ? { state: 'RUNNING', report: 'resumed' } : { state, report: null };
    case 'paused':
      return state === 'STARTING' || state === 'RUNNING'
        ? { state: 'PAUSED', report: 'paused' }
        : { state, report: null };
    case 'stopRequested':
      return { state: 'STOPPING', report: null };
    case 'ended':
      return { state: 'STOPPED', report: 'stopped' };
    case 'failed':
      return state === 'STOPPING' ? { state: 'STOPPED', report: 'stopped' } : { state: 'FAILED', report: 'failed' };
    case 'cancelled':
      return { state: 'CANCELLED', report: null };
  }
}
