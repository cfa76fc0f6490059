/** Connects commands to Kafka with the settings of a worker. */
import { findRunningBroker } from '../../embedded-broker/running-broker';
import { clientSettings, type ClientKind } from '../../config/client-config';
import { withBrokerAt } from '../../config/embedded-broker';
import { clusterIdAt } from '../../kafka/network/cluster-id';
import { createKafkaClients } from '../../kafka/create-clients';
import type { ClientConfig, KafkaClients } from '../../kafka/port';
import type { CliIo } from '../io';
import type { WorkerSetup } from '../read-config';
import { LogOnStderr } from './log-on-stderr';

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
 * @throws ConnectError `EMBEDDED_BROKER_ABSENT` if none runs
 */
export async function openCluster(
  { config, embedded }: Pick<WorkerSetup, 'config' | 'embedded'>,
  io: Pick<CliIo, 'stderr' | 'env'>,
  name: string,
): Promise<OpenCluster> {
  const log = new LogOnStderr(io, name);
  const clients = createKafkaClients(log.logger, config.tokenUrls);
  let raw = config.raw;
  if (embedded) {
    const address = await findRunningBroker(embedded.dataDir, (candidate) => clusterIdAt(clients, candidate));
    raw = withBrokerAt(raw, address);
  }
  return {
    clients,
    brokers: raw['bootstrap.servers'] ?? '',
    settings: (kind) => ({
      'client.id': `millrace-${name}`,
      ...clientSettings(raw, 'worker'),
      ...clientSettings(raw, kind),
    }),
    showLog: () => log.open(),
  };
}
