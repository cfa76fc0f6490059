/** Why a connector or task is FAILED, in one line. */
import { redactText } from '../../logging/redact';
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

const LONGEST_REASON = 500;
const LONGEST_LINE = 10_000;

export function failuresOf({ state, worker, trace, tasks }: Status): readonly Failure[] {
  const parts = [
    { part: 'connector', state, worker, trace },
    ...tasks.map((task) => ({ ...task, part: `task ${task.id}` })),
  ];
  return parts
    .filter((one) => one.state === 'FAILED')
    .map((one) => ({ part: one.part, worker: one.worker, ...reasonOf(one.trace) }));
}

/** @param trace of a FAILED connector or task */
export function reasonOf(trace = ''): Pick<Failure, 'reason' | 'code'> {
  const end = trace.indexOf('\n');
  const line = trace.slice(0, Math.min(end < 0 ? trace.length : end, LONGEST_LINE)).trim();
  const code = codeIn(line);
  return { reason: redactText(line, LONGEST_REASON) || 'the worker does not say why', ...(code && { code }) };
}

/** Millrace's traces and messages have the code in parentheses or brackets, possibly with the place after it. */
function codeIn(line: string): string | undefined {
  return /[([](?:code[:=]? ?)?([A-Z]{2,30}(?:_[A-Z0-9]{1,30}){1,8})[)\],;:]/.exec(line)?.[1];
}
