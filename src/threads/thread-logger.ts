/** The logger inside a thread: formats lines that its level allows and sends them to the worker's logger. */
import type { LogLevel } from '../logging/format-line';
import { LogLevels, ROOT } from '../logging/log-levels';
import { LevelLogger, type Logger } from '../logging/logger';
import { printableFields, printableLine, type PrintableLine } from '../logging/printable-line';

type Fields = Readonly<Record<string, unknown>>;

/** `name` null: the logger of the host that created the thread. */
export interface LogLine {
  readonly type: 'log';
  readonly level: LogLevel;
  readonly name: string | null;
  readonly line: PrintableLine;
}

/** Called in the worker. */
export function writeLine(logger: Logger, { name, level, line }: LogLine): void {
  (name === null ? logger : logger.child({}, name))[level](line.message, printableFields(line));
}

export class ThreadLogger extends LevelLogger {
  constructor(
    private readonly post: (line: LogLine) => void,
    private readonly levels: LogLevels = new LogLevels(),
    private readonly fields: Fields = {},
    private readonly name: string | null = null,
  ) {
    super(levels.threshold(name ?? ROOT));
  }

  child(fields: Fields, name?: string): Logger {
    return new ThreadLogger(this.post, this.levels, { ...this.fields, ...fields }, name ?? this.name);
  }

  protected write(level: LogLevel, message: string, fields: Fields = {}): void {
    this.post({ type: 'log', level, name: this.name, line: printableLine(message, { ...this.fields, ...fields }) });
  }
}
