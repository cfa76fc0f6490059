/** What the trace of a FAILED connector or task says first. Pure. */
import { redactText } from './redact';

export interface TraceReason {
  /** The first line, without credentials; with the cause's, where Java's worker has the reason there. Empty: none. */
  readonly line: string;
  /** Millrace's error code, if the line has one. */
  readonly code: string | null;
}

const LONGEST_LINE = 10_000;
const MOST_LINES = 4;
const CAUSED_BY = '\nCaused by: ';
const WRAPPER =
  /^(?:(?:[\w$]+\.)*[\w$]+: )?(?:Exiting Worker\w+ due to unrecoverable exception|Tolerance exceeded in error handler|Unrecoverable exception from producer send callback)\.?$/;

/** Whether it is what Java's worker says of every failure, so that the reason is in the cause. */
export function isWrapper(line: string): boolean {
  return WRAPPER.test(line);
}

/** `limit` of the line, in characters. (Default: 10000, which Millrace's own lines do not reach) */
export function traceReason(trace: string, limit = LONGEST_LINE): TraceReason {
  const line = reasonLine(trace);
  return { line: redactText(line, limit), code: codeIn(line) };
}

function reasonLine(trace: string): string {
  const lines = [firstLine(trace)];
  for (let rest = trace; lines.length < MOST_LINES && isWrapper(lines.at(-1) as string);) {
    const at = rest.indexOf(CAUSED_BY);
    if (at < 0) break;
    rest = rest.slice(at + CAUSED_BY.length);
    lines.push(firstLine(rest));
  }
  return lines.join(' Caused by: ');
}

function firstLine(trace: string): string {
  const end = trace.indexOf('\n');
  return trace.slice(0, Math.min(end < 0 ? trace.length : end, LONGEST_LINE)).trim();
}

/** Millrace's traces and messages have the code in parentheses or brackets, possibly with the place after it. */
function codeIn(line: string): string | null {
  return /[([](?:code[:=]? ?)?([A-Z]{2,30}(?:_[A-Z0-9]{1,30}){1,8})[)\],;:]/.exec(line)?.[1] ?? null;
}
