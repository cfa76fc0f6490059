/** Connects a producer with the settings of a worker. */
import { Writable } from 'node:stream';
import { findRunningBroker } from '../embedded-broker/running-broker';
import { withBrokerAt } from '../config/embedded-broker';
import { clientSettings } from '../config/client-config';
import { clusterIdAt } from '../kafka/network/cluster-id';
import { createKafkaClients } from '../kafka/create-clients';
import type { Producer } from '../kafka/port';
import { LogLevels } from '../logging/log-levels';
import type { Logger } from '../logging/logger';
import { createLogger, loggerOptions } from '../logging/winston-logger';
import type { CliIo } from './io';
import type { WorkerSetup } from './read-config';

/**
 * Returns a connected producer with the worker's settings, overridden by those with the prefix `producer.`. With
 * `bootstrap.servers=embedded` it uses a running embedded broker.
 * @throws ConnectError `EMBEDDED_BROKER_ABSENT` if none runs; KafkaError if it cannot connect.
 */
export async function produceTo(
  { config, embedded }: Pick<WorkerSetup, 'config' | 'embedded'>,
  io: Pick<CliIo, 'stderr' | 'env'>,
): Promise<Producer> {
  const log = new LogOnStderr(io);
  const clients = createKafkaClients(log.logger, config.tokenUrls);
  let raw = config.raw;
  if (embedded) {
    const address = await findRunningBroker(embedded.dataDir, (candidate) => clusterIdAt(clients, candidate));
    raw = withBrokerAt(raw, address);
  }
  const settings = { ...clientSettings(raw, 'worker'), ...clientSettings(raw, 'producer') };
  const producer = clients.producer({ 'client.id': 'millrace-produce', ...settings });
  try {
    await producer.connect();
  } catch (error) {
    await producer.close();
    throw error;
  }
  log.open();
  return producer;
}

/**
 * Logs to stderr, because standard output is for offsets. Warnings start once the producer is connected, to explain
 * delays; before, they would repeat the error message of the failed connection.
 */
class LogOnStderr {
  readonly logger: Logger;
  private isOpen: boolean;

  constructor({ stderr, env }: Pick<CliIo, 'stderr' | 'env'>) {
    const hasLevel = env.MILLRACE_LOG_LEVEL !== undefined;
    this.isOpen = hasLevel;
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.isOpen) stderr.write(String(chunk));
        done();
      },
    });
    const { levels, format } = loggerOptions(env);
    this.logger = createLogger({ levels: hasLevel ? levels : new LogLevels('WARN'), format, stream, name: 'produce' });
  }

  open(): void {
    this.isOpen = true;
  }
}
