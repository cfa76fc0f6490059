import type { Settings } from './settings';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type Level = (typeof LEVELS)[number];
/** What belongs to a line; never a secret, a key, a signature or a name, and what the user typed at debug alone. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined | readonly string[]>>;
export type Log = (level: Level, message: string, fields?: Fields) => void;

/** One JSON object a line, on standard output unless told otherwise: what function hosts collect. */
export function createLog(least: Settings['logLevel'], write: (line: string) => void = console.log): Log {
  return (level, message, fields) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
    write(JSON.stringify({ level, time: new Date().toISOString(), msg: message, ...fields }));
  };
}
