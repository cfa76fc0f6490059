/** The logger that plugins receive. `fields` are logged as JSON and must not contain secrets. */
export interface Logger {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  trace(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
