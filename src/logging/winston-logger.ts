/** The worker's logger: winston writes one line per event to standard output. */
import { createLogger as createWinston, transports, type Logger as Winston } from 'winston';
import { formatLine, logFormat, type LogEvent, type LogFormat, type LogLevel } from './format-line';
import { levelsOfEnvironment } from './level-variables';
import { LogLevels } from './log-levels';
import { LevelLogger, type Logger } from './logger';
import { subjectOf } from './line-subject';
import { printableFields, printableLine, type PrintableLine } from './printable-line';
import type { RecentLines } from './recent-lines';

const WINSTON_LEVELS: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3, trace: 4 };
/** The property in which winston's transports expect the formatted line. */
const MESSAGE = Symbol.for('message');

export interface LoggerOptions {
  /** Level of each logger. (Default: INFO for all) */
  readonly levels?: LogLevels;
  /** (Default: `text`) */
  readonly format?: LogFormat;
  /** Colors the level, in the text format. (Default: false) */
  readonly colors?: boolean;
  /** Name shown in brackets. (Default: `worker`) */
  readonly name?: string;
  /** (Default: standard output) */
  readonly stream?: NodeJS.WritableStream;
  /** Keeps the lines of connectors. (Default: they are not kept) */
  readonly recent?: RecentLines;
}

export function createLogger(options: LoggerOptions = {}): Logger {
  const { format = 'text', colors = false } = options;
  const winston = createWinston({
    levels: { ...WINSTON_LEVELS },
    // Lines below the threshold are dropped before they reach winston.
    level: 'trace',
    format: { transform: (info) => ({ ...info, [MESSAGE]: formatLine(info.event as LogEvent, format, colors) }) },
    transports: [new transports.Stream({ stream: options.stream ?? process.stdout })],
  });
  const { levels = new LogLevels(), recent = null, name = 'worker' } = options;
  return new WinstonLogger({ winston, levels, recent }, name, {});
}

/** `MILLRACE_LOG_LEVEL`, levels of Java's images and `MILLRACE_LOG_FORMAT`; unknown values count as not set. */
export function loggerOptions(
  env: Readonly<Record<string, string | undefined>>,
): Required<Pick<LoggerOptions, 'levels' | 'format'>> {
  const { root, rules } = levelsOfEnvironment(env);
  return {
    levels: new LogLevels(root, rules),
    format: logFormat(env),
  };
}

type Fields = Readonly<Record<string, unknown>>;

interface Output {
  readonly winston: Winston;
  readonly levels: LogLevels;
  readonly recent: RecentLines | null;
}

class WinstonLogger extends LevelLogger {
  constructor(
    private readonly output: Output,
    private readonly name: string,
    private readonly fields: Fields,
  ) {
    super(output.levels.threshold(name));
  }

  child(fields: Fields, name?: string): Logger {
    return new WinstonLogger(this.output, name ?? this.name, { ...this.fields, ...fields });
  }

  protected write(level: LogLevel, message: string, fields?: Fields): void {
    const { winston, recent } = this.output;
    const event: LogEvent = {
      time: new Date(),
      level,
      name: this.name,
      message,
      fields: fields ? { ...this.fields, ...fields } : this.fields,
    };
    const subject = recent && subjectOf(event.fields);
    if (!subject) return void winston.log({ level, message, event });
    // Made printable once, for both.
    const line = printableLine(message, event.fields);
    recent?.add(subject, { at: event.time.getTime(), level, logger: this.name, text: textOf(line) });
    winston.log({ level, message, event: { ...event, message: line.message, fields: printableFields(line) } });
  }
}

/** Without the fields that say what it is about. */
function textOf({ message, fields, stacks }: PrintableLine): string {
  const { connector: _, task: _task, ...rest } = fields;
  const shown = JSON.stringify(rest);
  return [shown === '{}' ? message : `${message} ${shown}`, ...stacks].join('\n');
}
