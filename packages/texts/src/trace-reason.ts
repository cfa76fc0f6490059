/** What the trace of a FAILED connector or task says first. Pure. */
import { redactText } from './redact';

export interface TraceReason {
  /** The first line, without credentials. Empty: there is none. */
  readonly line: string;
  /** Millrace's error code, if the line has one. */
  readonly code: string | null;
}

const LONGEST_REASON = 500;
const LONGEST_LINE = 10_000;

/** `limit` of the line, in characters. (Default: 500) */
export function traceReason(trace: string, limit = LONGEST_REASON): TraceReason {
  const end = trace.indexOf('\n');
  const line = trace.slice(0, Math.min(end < 0 ? trace.length : end, LONGEST_LINE)).trim();
  return { line: redactText(line, limit), code: codeIn(line) };
}

/** Millrace's traces and messages have the code in parentheses or brackets, possibly with the place after it. */
function codeIn(line: string): string | null {
  return /[([](?:code[:=]? ?)?([A-Z]{2,30}(?:_[A-Z0-9]{1,30}){1,8})[)\],;:]/.exec(line)?.[1] ?? null;
}
