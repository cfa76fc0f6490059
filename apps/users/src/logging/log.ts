import { pino, type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../settings/settings';

export type Log = Logger;

/** One JSON object a line on standard output: `level`, `time` (ISO), `msg` and what belongs to it. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Line by line: otherwise one that is being written when the process ends comes after its last one, or never.
  return pino(options, destination ?? pino.destination({ dest: 1, sync: true }));
}
