import type { Logger as PluginLogger } from '@millrace/sdk';

/** The worker's logger: the one that plugins use, plus child loggers. */
export interface Logger extends PluginLogger {
  /** A logger whose lines carry these fields and, when given, a logger name of their own. */
  child(fields: Readonly<Record<string, unknown>>, name?: string): Logger;
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
