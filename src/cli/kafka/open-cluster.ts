/** Connects commands to Kafka with the settings of a worker. */
import { Writable } from 'node:stream';
import type { CliIo } from '@millrace/cli';
import { clusterIdAt, type ClientConfig, type KafkaClients } from '@millrace/kafka-client';
import { type ClientKind, clientSettings } from '../../config/client-config';
import { withBrokerAt } from '../../config/embedded-broker';
import { findRunningBroker } from '../../embedded-broker/running-broker';
import { workerClients } from '../../kafka-clients';
import { LogLevels } from '../../logging/log-levels';
import type { Logger } from '../../logging/logger';
import { createLogger, loggerOptions } from '../../logging/winston-logger';
import type { WorkerSetup } from '../worker/read-config';

export interface OpenCluster {
  readonly clients: KafkaClients;
  /** `bootstrap.servers`, for messages. */
  readonly brokers: string;
  /** The worker's settings, overridden by those with the client's prefix, unlike in a worker. */
  settings(kind: ClientKind): ClientConfig;
  /** Call it once a client is connected: from then on warnings are shown. */
  showLog(): void;
}

/**
 * With `bootstrap.servers=embedded` it uses a running embedded broker.
 * @param name of the command, for the log and `client.id`
 * @throws ConnectError `EMBEDDED_BROKER_ABSENT` if none runs; KafkaError after some seconds without a broker
 */
export async function openCluster(
  { config, embedded }: Pick<WorkerSetup, 'config' | 'embedded'>,
  io: Pick<CliIo, 'stderr' | 'env'>,
  name: string,
): Promise<OpenCluster> {
  const log = new LogOnStderr(io, name);
  const clients = workerClients(log.logger, config.tokenUrls);
  let raw = config.raw;
  if (embedded) {
    const address = await findRunningBroker(embedded.dataDir, (candidate) => clusterIdAt(clients, candidate));
    raw = withBrokerAt(raw, address);
  }
  const settings = (kind: ClientKind): ClientConfig => ({
    'client.id': `millrace-${name}`,
    ...clientSettings(raw, 'worker'),
    ...clientSettings(raw, kind),
  });
  await requireBroker(clients, settings('admin'));
  return { clients, brokers: raw['bootstrap.servers'] ?? '', settings, showLog: () => log.open() };
}

/** Shorter than those of clients, which wait for a broker to come back. */
const TIMEOUTS: ClientConfig = {
  'request.timeout.ms': '5000',
  'default.api.timeout.ms': '5000',
  'socket.connection.setup.timeout.ms': '4000',
  'socket.connection.setup.timeout.max.ms': '4000',
};

async function requireBroker(clients: KafkaClients, settings: ClientConfig): Promise<void> {
  const admin = clients.admin({ ...settings, ...TIMEOUTS });
  try {
    await admin.describeCluster();
  } finally {
    await admin.close();
  }
}

/**
 * Logs to stderr, because standard output is for answers. Warnings start once a client is connected, to explain
 * delays; before, they would repeat the error message of the failed connection.
 */
export class LogOnStderr {
  readonly logger: Logger;
  readonly levels: LogLevels;
  private isOpen: boolean;

  constructor({ stderr, env }: Pick<CliIo, 'stderr' | 'env'>, name: string) {
    const hasLevel = env.MILLRACE_LOG_LEVEL !== undefined;
    this.isOpen = hasLevel;
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.isOpen) stderr.write(String(chunk));
        done();
      },
    });
    const { levels, format } = loggerOptions(env);
    this.levels = hasLevel ? levels : new LogLevels('WARN');
    this.logger = createLogger({ levels: this.levels, format, stream, name });
  }

  open(): void {
    this.isOpen = true;
  }
}
