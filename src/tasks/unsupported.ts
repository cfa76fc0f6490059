/**
 * Settings that validation refuses, looked at once more before a task starts: a configuration that Java's workers stored was never validated
 * here, and running it without what it asks for would lose or repeat data.
 */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';

/** Throws ConfigError TRANSFORMS_UNSUPPORTED, EXACTLY_ONCE_UNSUPPORTED or OFFSETS_TOPIC_UNSUPPORTED. */
export function refuseUnsupported(type: 'source' | 'sink', config: ConnectorConfig, workerOffsetsTopic: string): void {
  if (config.transforms?.trim()) {
    throw new ConfigError('This worker has no transforms yet: remove "transforms" from the connector configuration.', {
      code: 'TRANSFORMS_UNSUPPORTED',
    });
  }
  if (type === 'sink') return;
  if (config['exactly.once.support']?.trim().toLowerCase() === 'required') {
    throw new ConfigError(
      'This worker delivers at least once: set "exactly.once.support" to "requested", or run the connector where exactly-once is supported.',
      { code: 'EXACTLY_ONCE_UNSUPPORTED' },
    );
  }
  const topic = config['offsets.storage.topic']?.trim();
  if (topic && topic !== workerOffsetsTopic) {
    throw new ConfigError(
      `This worker keeps all source offsets in "${workerOffsetsTopic}" and would start without those in "${topic}": move them there and remove "offsets.storage.topic".`,
      { code: 'OFFSETS_TOPIC_UNSUPPORTED' },
    );
  }
}
