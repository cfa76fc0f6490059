/**
 * One broker for all workers of a machine that use the same data folder: the first worker hosts it, the others connect
 * to its port.
 */
import { ConnectError, sleep, monotonicNow } from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import type { BrokerThread, InUse } from './start-broker-thread';
import type { RunningBroker } from './broker-thread-messages';

export interface OpenBrokerOptions {
  /** Named in log lines and errors. */
  readonly dataDir: string;
  /** Starts the broker in this process, unless another process owns the data folder. */
  readonly host: () => Promise<BrokerThread | InUse>;
  /** Resolves within seconds with the cluster id of the broker at an address; null if none answers. */
  readonly clusterIdAt: (bootstrapServers: string) => Promise<string | null>;
  readonly logger: Logger;
  /** Aborts the wait for another process's broker. */
  readonly signal: AbortSignal;
  /** How long to wait for the data folder's owner, which may be starting or stopping. (Default: 15,000) */
  readonly timeoutMs?: number;
}

/** The broker that the worker uses. */
export interface OpenBroker extends BrokerThread {
  /** False: another process hosts it. */
  readonly isHosted: boolean;
}

const RETRY_MS = 200;

/** Rejects with ConnectError `EMBEDDED_BROKER_START` or `EMBEDDED_BROKER_SILENT`, or with the signal's reason. */
export async function openBroker(options: OpenBrokerOptions): Promise<OpenBroker> {
  const { dataDir, host, clusterIdAt, logger, signal, timeoutMs = 15_000 } = options;
  const end = monotonicNow() + timeoutMs;
  for (let attempt = 1; ; attempt++) {
    const broker = await host();
    if (!('inUseBy' in broker)) {
      logger.warn(
        `Started an embedded broker on ${broker.bootstrapServers} with data folder ${dataDir}. ` +
          'It is for first runs and tests on one machine; use Apache Kafka in production.',
      );
      return { ...broker, isHosted: true };
    }
    const running = broker.inUseBy;
    if (running && (await clusterIdAt(running.bootstrapServers)) === running.clusterId) {
      logger.warn(
        `Using the embedded broker of process ${running.pid} on ${running.bootstrapServers} with data folder ${dataDir}. ` +
          'This worker depends on that process. Not for production.',
      );
      return joined(running);
    }
    if (monotonicNow() >= end) throw silent(dataDir, running);
    if (attempt === 1) logger.info(`Another process owns the data folder ${dataDir}, waiting for its broker`);
    await sleep(RETRY_MS, signal);
    signal.throwIfAborted();
  }
}

function joined({ bootstrapServers }: RunningBroker): OpenBroker {
  return {
    bootstrapServers,
    isHosted: false,
    ended: new Promise(() => undefined),
    stop: async () => undefined,
  };
}

function silent(dataDir: string, running: RunningBroker | null): ConnectError {
  const owner = running
    ? `process ${running.pid}, whose broker does not respond on ${running.bootstrapServers}`
    : 'another process, which has not published its address';
  return new ConnectError(
    `The data folder ${dataDir} is in use by ${owner}. Stop that process, or choose another folder with --data-dir or embedded.data.dir.`,
    { code: 'EMBEDDED_BROKER_SILENT' },
  );
}
