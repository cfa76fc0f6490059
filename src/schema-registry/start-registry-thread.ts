/** Starts the thread of the schema registry and talks to it from the worker. */
import { join } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import { startThread } from '../threads/running-threads';
import { writeLine } from '../threads/thread-logger';
import type {
  FromRegistryThread,
  RegistryThreadAnswer,
  RegistryThreadData,
  ToRegistryThread,
} from './registry-thread-messages';

export const REGISTRY_THREAD = 'schema registry';

export interface RegistryThread {
  readonly url: string;
  /** Resolves with the reason when the thread exits, also after `stop`. */
  readonly ended: Promise<ConnectError>;
  /** Resolves once requests are answered and the port is closed. */
  stop(): Promise<void>;
}

/**
 * Resolves when the schemas are read and the registry accepts requests. Rejects with ConnectError
 * `SCHEMA_REGISTRY_START`.
 *
 * @param module path of the thread's program
 */
export async function startRegistryThread(
  data: RegistryThreadData,
  logger: Logger,
  module = join(__dirname, '..', 'registry-thread.js'),
): Promise<RegistryThread> {
  const thread = startThread(module, { name: REGISTRY_THREAD, workerData: data });
  let crash: unknown;
  thread.on('error', (error) => (crash = error));
  const ended = new Promise<ConnectError>((resolve) =>
    thread.once('exit', () => {
      const message = `The schema registry has stopped: ${reasonOf(crash)}.`;
      resolve(new ConnectError(message, { code: 'SCHEMA_REGISTRY_ENDED', cause: crash }));
    }),
  );
  const answer = new Promise<RegistryThreadAnswer>((resolve) =>
    thread.on('message', (message: FromRegistryThread) => {
      if (message.type === 'log') writeLine(logger, message);
      else resolve(message);
    }),
  );
  const first = await Promise.race([answer, ended]);
  if (first instanceof ConnectError) throw startError(`It stopped at once: ${reasonOf(crash)}.`, crash);
  if (first.type === 'failed')
    throw startError(
      first.code === 'EADDRINUSE'
        ? `Port ${data.port} of 127.0.0.1 is already in use. Choose another with --registry or embedded.registry.port.`
        : first.message,
    );
  return {
    url: first.url,
    ended,
    async stop() {
      thread.postMessage('stop' satisfies ToRegistryThread);
      await ended;
    },
  };
}

/** The schemas are in the broker's topic, and two registries would give ids twice. */
export function anotherHost(dataDir: string): ConnectError {
  return startError(
    `Another process hosts the broker of the data folder ${dataDir}, and only that process may run its schema registry. Start that one with --registry, or use another folder with --data-dir.`,
  );
}

function reasonOf(crash: unknown): string {
  return crash === undefined ? 'its thread has exited' : String((crash as Error).message ?? crash).replace(/\.$/, '');
}

function startError(message: string, cause?: unknown): ConnectError {
  return new ConnectError(`The schema registry cannot start. ${message}`, { code: 'SCHEMA_REGISTRY_START', cause });
}
