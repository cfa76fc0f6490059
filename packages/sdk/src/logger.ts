/** What plug-ins log with. Extra fields are printed as JSON; never pass secrets. */
export interface Logger {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  trace(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
