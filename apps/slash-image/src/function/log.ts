import type { Settings } from './settings';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

type Level = (typeof LEVELS)[number];
/** Fields of a line. Never a secret, key, signature or name; user input only at debug. */
type Fields = Readonly<Record<string, string | number | boolean | undefined | readonly string[]>>;
export type Log = (level: Level, message: string, fields?: Fields) => void;

/** Logs one JSON object per line. (Default: to standard output, which function hosts collect) */
export function createLog(minLevel: Settings['logLevel'], write: (line: string) => void = console.log): Log {
  return (level, message, fields) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(minLevel)) return;
    write(JSON.stringify({ level, time: new Date().toISOString(), msg: message, ...fields }));
  };
}
