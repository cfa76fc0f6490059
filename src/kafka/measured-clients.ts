/** Kafka clients whose metrics are announced to the worker. */
import { hideProvidedValues } from '../logging/provided-values';
import type { ClientMeter } from '../metrics/open-clients';
import type { KafkaClients } from './port';

/** Clients that have metrics already keep them. */
export function measuredClients(clients: KafkaClients, meter: ClientMeter): KafkaClients {
  // A label of the metrics, which every scraper reads.
  const idOf = (config: Readonly<Record<string, string>>): string => hideProvidedValues(config['client.id'] ?? '');
  return {
    admin: (config) => clients.admin(config),
    groupMember: (config, options) => clients.groupMember(config, options),
    producer: (config, permission, metrics = meter.producer(idOf(config))) =>
      clients.producer(config, permission, metrics),
    assignedConsumer: (config, metrics = meter.consumer(idOf(config))) => clients.assignedConsumer(config, metrics),
    groupConsumer: (config, metrics = meter.consumer(idOf(config))) => clients.groupConsumer(config, metrics),
  };
}
