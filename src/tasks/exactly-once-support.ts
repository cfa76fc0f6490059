/** Refuses what needs exactly-once on a worker without it. */
import { ConfigError, ConnectError, type ConnectorConfig } from '@millrace/sdk';
import { SOURCE_KEYS } from '../config/connector-config';
import { readKey } from '../config/framework-key';
import type { ExactlyOnceGate } from './host';

/**
 * Before a task starts: a config stored by a Java worker was never validated here, or with other worker settings.
 * Throws ConfigError EXACTLY_ONCE_UNSUPPORTED.
 */
export function refuseUnsupported(type: 'source' | 'sink', config: ConnectorConfig, isExactlyOnce = false): void {
  if (type === 'sink' || isExactlyOnce) return;
  if (readKey(SOURCE_KEYS.exactlyOnceSupport, config) === 'required') {
    throw new ConfigError(
      'This worker delivers at least once: set exactly.once.source.support=enabled on all workers, or "exactly.once.support" of the connector to "requested".',
      { code: 'EXACTLY_ONCE_UNSUPPORTED' },
    );
  }
}

/** @throws ConnectError EXACTLY_ONCE_UNSUPPORTED */
export function requiredGate(gate: ExactlyOnceGate | undefined): ExactlyOnceGate {
  if (gate) return gate;
  throw new ConnectError('This worker runs no exactly-once tasks: set exactly.once.source.support=enabled.', {
    code: 'EXACTLY_ONCE_UNSUPPORTED',
  });
}
