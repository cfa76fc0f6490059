/** The signals of a signal file. */
import { MAX_SIGNAL_LENGTH, parseSignal, type Signal } from './signal';

interface LineSignal {
  readonly signal: Signal;
  /** Where its line ends in the bytes. */
  readonly end: number;
}

interface SignalLines {
  readonly signals: readonly LineSignal[];
  /** Each completes "A line …". */
  readonly problems: readonly string[];
  /** Bytes of the lines. */
  readonly length: number;
}

const LINE_FEED = 0x0a;

/**
 * A last line without a line feed that is not a signal may be half of one: it is left for the next read.
 * @param isSettled nothing was appended for some time, so the last line is complete, too
 */
export function signalLines(bytes: Buffer, isSettled: boolean): SignalLines {
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  const signals: LineSignal[] = [];
  const problems: string[] = [];
  for (let at = 0; at < end;) {
    const next = bytes.indexOf(LINE_FEED, at) + 1;
    problems.push(...read(bytes.toString('utf8', at, next), next, signals));
    at = next;
  }
  const left = read(bytes.toString('utf8', end), bytes.length, signals);
  if (left.length > 0 && !isSettled) return { signals, problems, length: end };
  return { signals, problems: [...problems, ...left], length: bytes.length };
}

/** Returns why the line cannot be read. */
function read(line: string, end: number, signals: LineSignal[]): string[] {
  if (line.trim() === '') return [];
  try {
    if (line.length > MAX_SIGNAL_LENGTH) throw new Error(`is longer than ${MAX_SIGNAL_LENGTH} characters`);
    signals.push({ signal: parseSignal(line, 'file'), end });
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
