/** What a trace says, without its stack frames. */
import { redactText } from '../../logging/redact';

const LONGEST_TRACE = 64 * 1024;
const LONGEST_TEXT = 2000;
const MOST_LINES = 6;
const FRAME = /^\s*(?:at |\.\.\. \d+ (?:more|common))/;

/** The messages of an exception and of its causes: at most 6 lines, without credentials. Empty without a trace. */
export function traceLines(trace = ''): readonly string[] {
  const lines = trace
    .slice(0, LONGEST_TRACE)
    .split('\n')
    .filter((line) => line.trim() !== '' && !FRAME.test(line))
    .slice(0, MOST_LINES);
  // A quoted secret may continue on the next line.
  return lines.length === 0 ? [] : redactText(lines.join('\n'), LONGEST_TEXT).split('\n');
}
