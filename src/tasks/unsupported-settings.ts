/**
 * Refuses unsupported settings before a task starts. A config stored by a Java worker was never validated here, or with
 * other worker settings. Running it without a setting it needs would lose or repeat data.
 */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';
import { SOURCE_KEYS } from '../config/connector-config';
import { readKey } from '../config/framework-key';

/** Throws ConfigError EXACTLY_ONCE_UNSUPPORTED. */
export function refuseUnsupported(type: 'source' | 'sink', config: ConnectorConfig, isExactlyOnce = false): void {
  if (type === 'sink' || isExactlyOnce) return;
  if (readKey(SOURCE_KEYS.exactlyOnceSupport, config) === 'required') {
    throw new ConfigError(
      'This worker delivers at least once: set exactly.once.source.support=enabled on all workers, or "exactly.once.support" of the connector to "requested".',
      { code: 'EXACTLY_ONCE_UNSUPPORTED' },
    );
  }
}
