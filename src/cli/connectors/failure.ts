/** Why a connector or task is FAILED, in one line. */
import { traceReason } from '../../logging/trace-reason';
import type { Status } from './connectors';

export interface Failure {
  /** `connector` or `task 0`. */
  readonly part: string;
  readonly worker: string;
  /** The first line of the trace, without credentials, at most 500 characters. */
  readonly reason: string;
  /** Millrace's error code, if the trace has one. */
  readonly code?: string;
}

export function failuresOf({ state, worker, trace, tasks }: Status): readonly Failure[] {
  const parts = [
    { part: 'connector', state, worker, trace },
    ...tasks.map((task) => ({ ...task, part: `task ${task.id}` })),
  ];
  return parts
    .filter((one) => one.state === 'FAILED')
    .map((one) => ({ part: one.part, worker: one.worker, ...reasonOf(one.trace) }));
}

function reasonOf(trace = ''): Pick<Failure, 'reason' | 'code'> {
  const { line, code } = traceReason(trace);
  return { reason: line || 'the worker does not say why', ...(code !== null && { code }) };
}
