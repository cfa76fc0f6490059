/** Creates the clients of the Kafka port. Each client has connections of its own. */
import type { Logger } from '../logging/logger';
import { createAdmin } from './admin/admin';
import { createAssignedConsumer } from './consumer/assigned-consumer';
import { readConnectionSettings } from './network/client-config';
import { createGroupConsumer } from './consumer/group-consumer';
import { createGroupMember } from './group/group-member';
import { createWire } from './network/network-client';
import type { ClientConfig, KafkaClients } from './port';
import { createProducer } from './producer/producer';
import type { TokenUrls } from './security/sasl-config';
import type { Wire } from './wire';

/**
 * Every function throws KafkaError INVALID_CLIENT_CONFIG for invalid settings. No connection is opened before
 * `connect` or the first use.
 * @param tokenUrls where OAUTHBEARER tokens may come from (Default: nowhere)
 */
export function createKafkaClients(logger: Logger, tokenUrls?: TokenUrls): KafkaClients {
  /** Closes the wire if its client cannot be created. */
  const withWire = <T>(config: ClientConfig, create: (wire: Wire) => T): T => {
    const wire = createWire(config, { logger, tokenUrls });
    try {
      return create(wire);
    } catch (error) {
      void wire.close();
      throw error;
    }
  };
  return {
    admin: (config) =>
      withWire(config, (wire) => {
        const {
          apiTimeoutMs: timeoutMs,
          retryBackoffMs,
          retryBackoffMaxMs,
        } = readConnectionSettings(config, tokenUrls);
        return createAdmin(wire, { timeoutMs, retryBackoffMs, retryBackoffMaxMs });
      }),
    producer: (config, permission) => withWire(config, (wire) => createProducer(wire, config, logger, permission)),
    assignedConsumer: (config) => withWire(config, (wire) => createAssignedConsumer(wire, config, logger)),
    groupConsumer: (config) => withWire(config, (wire) => createGroupConsumer(wire, config, logger)),
    groupMember: (config, options) => withWire(config, (wire) => createGroupMember(wire, config, options, logger)),
  };
}
