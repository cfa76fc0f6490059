/**
 * One broker for all workers of a machine that name the same data folder: whoever comes first hosts it, the others join
 * it over its port.
 */
import { ConnectError, sleep } from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import type { BrokerThread, InUse } from './start-broker-thread';
import type { RunningBroker } from './thread-messages';

export interface OpenBrokerOptions {
  /** For messages. */
  readonly dataDir: string;
  /** Starts the broker here, unless another process's has the data folder. */
  readonly host: () => Promise<BrokerThread | InUse>;
  /** The cluster id of whoever serves at that address, in seconds; null when nobody does. */
  readonly clusterIdAt: (bootstrapServers: string) => Promise<string | null>;
  readonly logger: Logger;
  /** Gives up waiting for another process's broker. */
  readonly signal: AbortSignal;
  /** For a broker that has the data folder to answer: it may be starting, or ending. (Default: 15,000) */
  readonly patienceMs?: number;
}

/** The worker's broker, its own or another process's. */
export type OpenBroker = BrokerThread;

const AGAIN_MS = 200;

/** Rejects with ConnectError `EMBEDDED_BROKER_START` or `EMBEDDED_BROKER_SILENT`, or with the signal's reason. */
export async function openBroker(options: OpenBrokerOptions): Promise<OpenBroker> {
  const { dataDir, host, clusterIdAt, logger, signal, patienceMs = 15_000 } = options;
  const end = Date.now() + patienceMs;
  for (let attempt = 1; ; attempt++) {
    const broker = await host();
    if (!('inUseBy' in broker)) {
      logger.warn(
        `An embedded broker listens on ${broker.bootstrapServers} and keeps its data in ${dataDir}. ` +
          'It is for one machine, for first runs and tests, not for production: use Apache Kafka there.',
      );
      return broker;
    }
    const running = broker.inUseBy;
    if (running && (await clusterIdAt(running.bootstrapServers)) === running.clusterId) {
      logger.warn(
        `Uses the embedded broker that process ${running.pid} hosts on ${running.bootstrapServers}, with its data in ${dataDir}. ` +
          'While that process is away, this worker waits for it. Not for production.',
      );
      return joined(running);
    }
    if (Date.now() >= end) throw silent(dataDir, running);
    if (attempt === 1) logger.info(`Another process has the data folder ${dataDir}; waiting for its broker to answer`);
    await sleep(AGAIN_MS, signal);
    signal.throwIfAborted();
  }
}

function joined({ bootstrapServers }: RunningBroker): OpenBroker {
  return { bootstrapServers, ended: new Promise(() => undefined), stop: async () => undefined };
}

function silent(dataDir: string, running: RunningBroker | null): ConnectError {
  const holder = running
    ? `process ${running.pid}, whose broker does not answer on ${running.bootstrapServers}`
    : 'another process, which has not said where its broker listens';
  return new ConnectError(
    `The data folder ${dataDir} is in use by ${holder}. End that process, or choose another folder with --data-dir or embedded.data.dir.`,
    { code: 'EMBEDDED_BROKER_SILENT' },
  );
}
