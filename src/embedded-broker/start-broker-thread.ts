/** Starts the embedded broker's thread and talks to it from the worker. */
import { join } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import { startThread } from '../threads/running-threads';
import type {
  BrokerThreadAnswer,
  BrokerThreadData,
  FromBrokerThread,
  RunningBroker,
  ToBrokerThread,
} from './broker-thread-messages';

export const BROKER_THREAD = 'embedded broker';

export interface BrokerThread {
  /** `host:port`. */
  readonly bootstrapServers: string;
  /** Resolves with the reason when the thread exits, also after `stop`. */
  readonly ended: Promise<ConnectError>;
  /** Resolves once connections and files are closed. Rejects if closing them fails. */
  stop(): Promise<void>;
}

/** Another process owns the data folder. */
export interface InUse {
  /** Null until that process has published its address. */
  readonly inUseBy: RunningBroker | null;
}

const HINTS: Readonly<Record<string, string>> = {
  PORT_UNAVAILABLE: 'Choose another with --broker-port or embedded.port.',
  DATA_FOLDER_UNUSABLE: 'Choose another with --data-dir or embedded.data.dir.',
};

/**
 * Starts the broker in its own thread. Resolves when it accepts connections, or with the process that owns the data
 * folder. Rejects with ConnectError `EMBEDDED_BROKER_START`.
 * @param log receives the broker's log lines
 * @param module path of the thread's program
 */
export async function startBrokerThread(
  data: BrokerThreadData,
  log: (line: string) => void,
  module = join(__dirname, '..', 'broker-thread.js'),
): Promise<BrokerThread | InUse> {
  const thread = startThread(module, { name: BROKER_THREAD, workerData: data });
  let crash: unknown;
  thread.on('error', (error) => (crash = error));
  const ended = new Promise<ConnectError>((resolve) =>
    thread.once('exit', () => {
      const message = `The embedded broker has stopped: ${reasonOf(crash)}.`;
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
  if (first instanceof ConnectError) throw startError(`It stopped at once: ${reasonOf(crash)}.`, crash);
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
