/** What a JVM says: lines of its standard output and error, and of its loggers. Bounded in length and rate. */
import type { Readable } from 'node:stream';
import { monotonicNow } from '@millrace/sdk';
import type { HostValue } from '../wire/host-value';
import type { JvmLine, JvmLog } from './jvm-log';
import { LastLines, LineRate, LineSplitter } from './output-lines';

const MAX_TEXT = 8_000;
const MAX_TRACE = 32 * 1024;
/** A plugin at the level DEBUG writes a few thousand a second. */
const LINES_PER_SECOND = 1_000;
const RAW_LINES_PER_SECOND = 100;

const LEVELS = new Map<HostValue, JvmLine['level']>([
  ['FATAL', 'error'],
  ['ERROR', 'error'],
  ['WARN', 'warn'],
  ['INFO', 'info'],
  ['DEBUG', 'debug'],
  ['TRACE', 'trace'],
]);

export class JvmOutput {
  private readonly last = new LastLines();
  private readonly rate: LineRate;
  private readonly rawRate: LineRate;

  constructor(
    private readonly folder: string,
    private readonly log: JvmLog,
    private readonly connectors: () => readonly string[] = () => [],
    now: () => number = monotonicNow,
  ) {
    this.rate = new LineRate(LINES_PER_SECOND, now);
    this.rawRate = new LineRate(RAW_LINES_PER_SECOND, now);
  }

  /** The newest lines, for the status of any of its connectors; empty: there were none. */
  get lines(): string {
    return this.log.hide(this.last.text, this.connectors());
  }

  read(stream: Readable, level: JvmLine['level']): void {
    const splitter = new LineSplitter((line) => this.raw(line, level));
    stream.on('data', (bytes: Buffer) => splitter.push(bytes));
    stream.on('end', () => splitter.end());
    // The program's end says more.
    stream.on('error', () => undefined);
  }

  /** A line about the JVM, from the supervisor. */
  say(level: JvmLine['level'], message: string): void {
    this.log.write({ ...NOBODY, level, message, folder: this.folder, quotes: [] });
  }

  /** The list of the event `log`. */
  logged(lines: HostValue | undefined): void {
    if (!Array.isArray(lines)) return;
    for (const line of lines as readonly HostValue[]) this.event(line);
  }

  private raw(line: string, level: JvmLine['level']): void {
    this.last.add(line);
    this.admit(this.rawRate, { ...NOBODY, level, message: line, folder: this.folder, quotes: this.connectors() });
  }

  private event(value: HostValue): void {
    if (typeof value !== 'object' || value === null) return;
    const { level, logger, message, connector, task, trace } = value as Readonly<Record<string, HostValue | undefined>>;
    const line: JvmLine = {
      level: LEVELS.get(level ?? null) ?? 'info',
      logger: textOf(logger, 500),
      message: textOf(message, MAX_TEXT) ?? '',
      connector: textOf(connector, 1_000),
      task: typeof task === 'number' ? task : null,
      trace: textOf(trace, MAX_TRACE),
      folder: this.folder,
      quotes: this.connectors(),
    };
    const first = line.trace?.split('\n', 1)[0] ?? '';
    this.last.add(
      `${line.level.toUpperCase()} ${line.logger ?? ''}: ${line.message}${first && ` (${first})`}`.slice(0, 2_000),
    );
    this.admit(this.rate, line);
  }

  private admit(rate: LineRate, line: JvmLine): void {
    const { passes, dropped } = rate.admit();
    if (dropped > 0) this.say('warn', `${dropped} lines of the JVM are left out, because it wrote too many`);
    if (passes) this.log.write(line);
  }
}

const NOBODY = { logger: null, connector: null, task: null, trace: null } as const;

function textOf(value: HostValue | undefined, limit: number): string | null {
  if (typeof value !== 'string') return null;
  return value.length <= limit ? value : `${value.slice(0, limit - 1)}…`;
}
