import type { Logger as PluginLogger } from '@millrace/sdk';
import type { LogLevel } from './format-line';
import { SEVERITY, type Threshold } from './log-levels';

type Fields = Readonly<Record<string, unknown>>;

/** The worker's logger: the one that plugins use, plus child loggers. */
export interface Logger extends PluginLogger {
  /** A logger whose lines carry these fields and, when given, a logger name of their own. */
  child(fields: Fields, name?: string): Logger;
}

/** A logger whose lines are one method, which is not called for a level that is off. */
export abstract class LevelLogger implements Logger {
  constructor(private readonly threshold: Threshold) {}

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

  abstract child(fields: Fields, name?: string): Logger;
  protected abstract write(level: LogLevel, message: string, fields?: Fields): void;

  private log(level: LogLevel, message: string, fields?: Fields): void {
    if (SEVERITY[level] <= this.threshold.severity) this.write(level, message, fields);
  }
}

/** Discards everything. For tests. */
export const silentLogger: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  trace: () => undefined,
  child: () => silentLogger,
};
