import { pino, type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../settings/settings';

export type Log = Logger;

/** Logs one JSON object per line to standard output: `level`, `time` (ISO), `msg` and further fields. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Synchronous, because lines that are still pending when the process exits would be lost or out of order.
  return pino(options, destination ?? pino.destination({ dest: 1, sync: true }));
}

/** `alice@example.com` becomes `a***@example.com`. Text without an @ becomes `***`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  if (at < 1) return '***';
  return `${[...email][0]}***${email.slice(at)}`;
}
