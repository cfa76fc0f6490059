/** The topics for dead letters that a connector's config names. */
import type { ConnectorConfig, DeadLetterKeys } from '@millrace/sdk';

export interface DeadLetterTopic {
  readonly topic: string;
  /** `bootstrap.servers` with which the plugin writes to it; null: those of the connector's clients. */
  readonly servers: string | null;
}

/** That of the framework's key, then that of the key that the plugin declares. */
export function deadLetterTopics(config: ConnectorConfig, declared?: DeadLetterKeys): readonly DeadLetterTopic[] {
  const named = (key: string, servers: string | null): DeadLetterTopic[] => {
    const topic = config[key]?.trim();
    return topic ? [{ topic, servers }] : [];
  };
  const { topic, bootstrapServers } = declared ?? {};
  const servers = bootstrapServers === undefined ? null : (config[bootstrapServers] ?? '');
  return [...named('errors.deadletterqueue.topic.name', null), ...(topic ? named(topic, servers) : [])];
}
