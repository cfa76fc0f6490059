/** The worker's logger: winston writing one line an event to standard output. */
import { createLogger as createWinston, transports, type Logger as Winston } from 'winston';
import { formatLine, type LogEvent, type LogFormat, type LogLevel } from './format-line';
import type { Logger } from './logger';

const LEVELS: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3, trace: 4 };
/** Where winston's transports look for the finished line. */
const MESSAGE = Symbol.for('message');

export interface LoggerOptions {
  /** (Default: `info`) */
  readonly level?: LogLevel;
  /** (Default: `text`) */
  readonly format?: LogFormat;
  /** Name shown in brackets. (Default: `worker`) */
  readonly name?: string;
  /** (Default: standard output) */
  readonly stream?: NodeJS.WritableStream;
}

export function createLogger(options: LoggerOptions = {}): Logger {
  const format = options.format ?? 'text';
  const winston = createWinston({
    levels: { ...LEVELS },
    level: options.level ?? 'info',
    format: { transform: (info) => ({ ...info, [MESSAGE]: formatLine(info.event as LogEvent, format) }) },
    transports: [new transports.Stream({ stream: options.stream ?? process.stdout })],
  });
  return new WinstonLogger(winston, options.name ?? 'worker', {});
}

/** `MILLRACE_LOG_LEVEL` and `MILLRACE_LOG_FORMAT`; unknown values count as not set. */
export function loggerOptions(env: Readonly<Record<string, string | undefined>>): LoggerOptions {
  const level = env.MILLRACE_LOG_LEVEL?.trim().toLowerCase() ?? '';
  return {
    level: level in LEVELS ? (level as LogLevel) : 'info',
    format: env.MILLRACE_LOG_FORMAT?.trim().toLowerCase() === 'json' ? 'json' : 'text',
  };
}

type Fields = Readonly<Record<string, unknown>>;

class WinstonLogger implements Logger {
  constructor(
    private readonly winston: Winston,
    private readonly name: string,
    private readonly fields: Fields,
  ) {}

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
    return new WinstonLogger(this.winston, name ?? this.name, { ...this.fields, ...fields });
  }

  private log(level: LogLevel, message: string, fields?: Fields): void {
    // Nothing is formatted for a level that is off.
    if (LEVELS[level] > (LEVELS[this.winston.level as LogLevel] ?? LEVELS.info)) return;
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
