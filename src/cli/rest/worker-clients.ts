import { serverOf } from '../context/server';
import type { Invocation } from '../program/command-spec';
import { ConnectClient } from './connect-client';

/** A worker that needs longer is reported as missing, so that the others' answers do not wait for it. ms */
export const WORKER_ANSWER_MS = 5_000;

/**
 * A client for each URL, for what every worker reports about itself. Only the given URLs are asked: credentials must
 * not go to addresses that a worker names.
 */
export function workerClients(invocation: Pick<Invocation, 'options' | 'io'>): readonly ConnectClient[] {
  const { urls, timeoutMs, ...access } = serverOf(invocation);
  const limited = { ...access, timeoutMs: Math.min(timeoutMs, WORKER_ANSWER_MS) };
  return urls.map((url) => new ConnectClient({ urls: [url], ...limited }));
}
