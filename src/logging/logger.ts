/** The logger every module is handed. Same shape as the SDK's, so one object serves both. */
export interface Logger {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  trace(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A logger whose lines carry these fields and, when given, a logger name of their own. */
  child(fields: Readonly<Record<string, unknown>>, name?: string): Logger;
}

/** Swallows everything: for tests. */
export const silentLogger: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  trace: () => undefined,
  child: () => silentLogger,
};
