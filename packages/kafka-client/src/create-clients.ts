/** Creates the clients of the Kafka port. Each client has connections of its own. */
import type { Logger } from '@millrace/sdk';
import { createAdmin } from './admin/admin';
import { createAssignedConsumer } from './consumer/assigned-consumer';
import { readConnectionSettings } from './network/client-config';
import { createGroupConsumer } from './consumer/group-consumer';
import { createGroupMember } from './group/group-member';
import type { NetworkMetrics } from './client-metrics';
import { createWire } from './network/network-client';
import { ReachableClusters } from './network/reachable-clusters';
import type { ClientConfig, KafkaClients } from './port';
import { createProducer } from './producer/producer';
import type { TokenUrls } from './security/sasl-config';
import type { Wire } from './wire';

export { ReachableClusters };

interface Measured {
  readonly network: NetworkMetrics;
  readonly closed: { set(value: number): void };
}

/**
 * Every function throws KafkaError INVALID_CLIENT_CONFIG for invalid settings. No connection is opened before
 * `connect` or the first use.
 * @param tokenUrls where OAUTHBEARER tokens may come from (Default: nowhere)
 * @param clusters shared with other such clients (Default: with none)
 */
export function createKafkaClients(
  logger: Logger,
  tokenUrls?: TokenUrls,
  clusters = new ReachableClusters(),
): KafkaClients {
  /** Closes the wire if its client cannot be created. */
  const withWire = <T>(
    config: ClientConfig,
    create: (wire: Wire) => T,
    metrics?: Measured,
    reachable?: ReachableClusters,
  ): T => {
    const wire = createWire(config, { logger, tokenUrls, metrics: metrics?.network, reachable });
    try {
      return create(wire);
    } catch (error) {
      void wire.close();
      metrics?.closed.set(1);
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
    producer: (config, permission, metrics, options) =>
      withWire(
        config,
        (wire) => createProducer(wire, config, logger, permission, metrics, options),
        metrics,
        options?.mayConnectLater ? clusters : undefined,
      ),
    assignedConsumer: (config, metrics) =>
      withWire(config, (wire) => createAssignedConsumer(wire, config, logger, metrics), metrics),
    groupConsumer: (config, metrics) =>
      withWire(config, (wire) => createGroupConsumer(wire, config, logger, metrics), metrics),
    groupMember: (config, options) => withWire(config, (wire) => createGroupMember(wire, config, options, logger)),
  };
}
