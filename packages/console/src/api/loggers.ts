/** Log levels, of this worker or of all workers of the group. */
import { request } from './request';

export interface Logger {
  readonly name: string;
  readonly level: string;
  /** Null: not changed since the worker started. */
  readonly changedAt: number | null;
}

/** Levels that Connect knows, the quietest first. */
export const LEVELS: readonly string[] = ['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'];

export type LoggerScope = 'worker' | 'cluster';

type Answer = Readonly<Record<string, { readonly level: string; readonly last_modified: number | null }>>;

export async function readLoggers(signal: AbortSignal): Promise<readonly Logger[]> {
  const answer = await request<Answer>('../admin/loggers', { signal });
  return Object.entries(answer).map(([name, { level, last_modified }]) => ({ name, level, changedAt: last_modified }));
}

/** @returns the loggers that changed; null: the workers apply it on their own */
export function setLevel(logger: string, level: string, scope: LoggerScope): Promise<readonly string[] | null> {
  return request(`../admin/loggers/${encodeURIComponent(logger)}?scope=${scope}`, { method: 'PUT', body: { level } });
}
