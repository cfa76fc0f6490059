/** The worker's logger: winston writes one line per event to standard output. */
import { createLogger as createWinston, transports, type Logger as Winston } from 'winston';
import { formatLine, logFormat, type LogEvent, type LogFormat, type LogLevel } from './format-line';
import { levelName, LogLevels, SEVERITY, type Threshold } from './log-levels';
import type { Logger } from './logger';

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
  return new WinstonLogger(winston, options.levels ?? new LogLevels(), options.name ?? 'worker', {});
}

/** `MILLRACE_LOG_LEVEL` and `MILLRACE_LOG_FORMAT`; unknown values count as not set. */
export function loggerOptions(
  env: Readonly<Record<string, string | undefined>>,
): Required<Pick<LoggerOptions, 'levels' | 'format'>> {
  return {
    levels: new LogLevels(levelName(env.MILLRACE_LOG_LEVEL ?? '') ?? 'INFO'),
    format: logFormat(env),
  };
}

type Fields = Readonly<Record<string, unknown>>;

class WinstonLogger implements Logger {
  private readonly threshold: Threshold;

  constructor(
    private readonly winston: Winston,
    private readonly levels: LogLevels,
    private readonly name: string,
    private readonly fields: Fields,
  ) {
    this.threshold = levels.threshold(name);
  }

  error(message: string, fields?: Fields): void {
    this.log('error', message, fields);
  }
  warn(message: string, fields?: Fields): void {
    this.log('warn', message, fields);
  }
  info(message: string, fields?: Fields): void {
    this.log('info', message, fields);
  }
  debug(message: string, fields?: Fields): void {
    this.log('debug', message, fields);
  }
  trace(message: string, fields?: Fields): void {
    this.log('trace', message, fields);
  }

  child(fields: Fields, name?: string): Logger {
    return new WinstonLogger(this.winston, this.levels, name ?? this.name, { ...this.fields, ...fields });
  }

  private log(level: LogLevel, message: string, fields?: Fields): void {
    // Nothing is formatted for a level that is off.
    if (SEVERITY[level] > this.threshold.severity) return;
    const event: LogEvent = {
      time: new Date(),
      level,
      name: this.name,
      message,
      fields: fields ? { ...this.fields, ...fields } : this.fields,
    };
    this.winston.log({ level, message, event });
  }
}
