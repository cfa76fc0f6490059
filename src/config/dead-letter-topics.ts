/** The topics for dead letters that a connector's config names. */
import type { ConnectorConfig } from '@millrace/sdk';

/** The framework's key, and the analytics sink's. */
const KEYS = ['errors.deadletterqueue.topic.name', 'misc.deadletterqueue.topic.name'];

export function deadLetterTopics(config: ConnectorConfig): readonly string[] {
  return KEYS.flatMap((key) => config[key]?.trim() || []);
}
