/** The worker's end of its broker's thread. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ConnectError } from '@millrace/sdk';
import type {
  BrokerThreadAnswer,
  BrokerThreadData,
  FromBrokerThread,
  RunningBroker,
  ToBrokerThread,
} from './thread-messages';

export interface BrokerThread {
  /** `host:port`. */
  readonly bootstrapServers: string;
  /** Resolves to the reason when the thread has ended without being told to. */
  readonly ended: Promise<ConnectError>;
  /** Resolves when connections and files are closed. Rejects when they could not be. */
  stop(): Promise<void>;
}

export interface InUse {
  readonly inUseBy: RunningBroker | null;
}

const HINTS: Readonly<Record<string, string>> = {
  PORT_UNAVAILABLE: 'Choose another with --broker-port or embedded.port.',
  DATA_FOLDER_UNUSABLE: 'Choose another with --data-dir or embedded.data.dir.',
};

/**
 * Starts the broker in a thread of its own and resolves when it serves, or to who has the data folder. Rejects with
 * ConnectError `EMBEDDED_BROKER_START`.
 * @param module code of the thread
 */
export async function startBrokerThread(
  data: BrokerThreadData,
  log: (line: string) => void,
  module = join(__dirname, '..', 'broker-thread.js'),
): Promise<BrokerThread | InUse> {
  const thread = new Worker(module, { name: 'embedded broker', workerData: data });
  let crash: unknown;
  thread.on('error', (error) => (crash = error));
  const ended = new Promise<ConnectError>((resolve) =>
    thread.once('exit', () => {
      const message = `The embedded broker has ended: ${reasonOf(crash)}.`;
      resolve(new ConnectError(message, { code: 'EMBEDDED_BROKER_ENDED', cause: crash }));
    }),
  );
  const answer = new Promise<BrokerThreadAnswer>((resolve) =>
    thread.on('message', (message: FromBrokerThread) => {
      if (message.type === 'log') log(message.line);
      else resolve(message);
    }),
  );
  const first = await Promise.race([answer, ended]);
  if (first instanceof ConnectError) throw startError(`It ended at once: ${reasonOf(crash)}.`, crash);
  if (first.type === 'in use') return { inUseBy: first.by };
  if (first.type === 'failed') throw startError([first.message, HINTS[first.code ?? '']].filter(Boolean).join(' '));
  return {
    bootstrapServers: first.bootstrapServers,
    ended,
    async stop() {
      thread.postMessage('stop' satisfies ToBrokerThread);
      const reason = await ended;
      if (crash !== undefined) throw reason;
    },
  };
}

function reasonOf(crash: unknown): string {
  return crash === undefined ? 'its thread has exited' : String((crash as Error).message ?? crash).replace(/\.$/, '');
}

function startError(message: string, cause?: unknown): ConnectError {
  return new ConnectError(`The embedded broker cannot start. ${message}`, { code: 'EMBEDDED_BROKER_START', cause });
}
