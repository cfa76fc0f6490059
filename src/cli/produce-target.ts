/** The worker's settings, as a producer's. */
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
 * A connected producer with the worker's own security settings, those under `producer.` over them. Joins the embedded
 * broker where the settings say `embedded`; starts none. Rejects with ConnectError `EMBEDDED_BROKER_ABSENT`, or the
 * KafkaError that says why not.
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
 * Standard output is for the messages' offsets. Warnings begin with the connection, to tell why it takes so long;
 * before it, they would say what the one sentence about its failure says.
 */
class LogOnStderr {
  readonly logger: Logger;
  private isOpen: boolean;

  constructor({ stderr, env }: Pick<CliIo, 'stderr' | 'env'>) {
    const asked = env.MILLRACE_LOG_LEVEL !== undefined;
    this.isOpen = asked;
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.isOpen) stderr.write(String(chunk));
        done();
      },
    });
    const { levels, format } = loggerOptions(env);
    this.logger = createLogger({ levels: asked ? levels : new LogLevels('WARN'), format, stream, name: 'produce' });
  }

  open(): void {
    this.isOpen = true;
  }
}
