/** The Kafka port over kafkajs's network layer. Each client has sockets of its own. */
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
 * Every function throws KafkaError INVALID_CLIENT_CONFIG for settings that cannot be used; nothing is connected before
 * `connect` or the first use.
 * @param tokenUrls where OAUTHBEARER tokens may come from (Default: nowhere)
 */
export function createKafkaClients(logger: Logger, tokenUrls?: TokenUrls): KafkaClients {
  /** A wire whose client could not be made must not stay behind. */
  const over = <T>(config: ClientConfig, make: (wire: Wire) => T): T => {
    const wire = createWire(config, { logger, tokenUrls });
    try {
      return make(wire);
    } catch (error) {
      void wire.close();
      throw error;
    }
  };
  return {
    admin: (config) =>
      over(config, (wire) => {
        const {
          apiTimeoutMs: timeoutMs,
          retryBackoffMs,
          retryBackoffMaxMs,
        } = readConnectionSettings(config, tokenUrls);
        return createAdmin(wire, { timeoutMs, retryBackoffMs, retryBackoffMaxMs });
      }),
    producer: (config, permission) => over(config, (wire) => createProducer(wire, config, logger, permission)),
    assignedConsumer: (config) => over(config, (wire) => createAssignedConsumer(wire, config, logger)),
    groupConsumer: (config) => over(config, (wire) => createGroupConsumer(wire, config, logger)),
    groupMember: (config, options) => over(config, (wire) => createGroupMember(wire, config, options, logger)),
  };
}
