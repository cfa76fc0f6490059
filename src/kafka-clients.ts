/** The Kafka clients of the worker: what their log lines may quote, and where their metrics are announced. */
import type { KafkaClients } from '@millrace/kafka-client';
import { createKafkaClients, ReachableClusters } from '@millrace/kafka-client/clients';
import { hideProvidedValues, type Owner } from '@millrace/texts/redaction';
import { quoting } from './logging/line-subject';
import type { Logger } from './logging/logger';
import type { ClientMeter } from './metrics/open-clients';

/** @param tokenUrls where OAUTHBEARER tokens may come from (Default: nowhere) */
export function workerClients(
  logger: Logger,
  tokenUrls?: ReadonlySet<string>,
  clusters = new ReachableClusters(),
): KafkaClients {
  return {
    ...createKafkaClients(logger, tokenUrls, clusters),
    of: (connector) => workerClients(logger.child(quoting(connector)), tokenUrls, clusters),
  };
}

/**
 * Clients that have metrics already keep them.
 * @param owner the connector of the clients. Null: the worker
 */
export function measuredClients(clients: KafkaClients, meter: ClientMeter, owner: Owner): KafkaClients {
  // A label of the metrics, which every scraper reads.
  const idOf = (config: Readonly<Record<string, string>>): string =>
    hideProvidedValues(config['client.id'] ?? '', owner);
  return {
    admin: (config) => clients.admin(config),
    groupMember: (config, options) => clients.groupMember(config, options),
    producer: (config, permission, metrics = meter.producer(idOf(config)), options) =>
      clients.producer(config, permission, metrics, options),
    assignedConsumer: (config, metrics = meter.consumer(idOf(config))) => clients.assignedConsumer(config, metrics),
    of: (connector) => measuredClients(clientsOf(clients, connector), meter, connector),
    groupConsumer: (config, metrics = meter.consumer(idOf(config))) => clients.groupConsumer(config, metrics),
  };
}

/** Clients whose log lines hide the values that config providers have for the connector. */
export function clientsOf(clients: KafkaClients, connector: string): KafkaClients {
  return clients.of?.(connector) ?? clients;
}
