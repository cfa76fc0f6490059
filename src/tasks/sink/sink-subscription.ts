/** Which topics a sink connector reads. Source: connect-runtime §5.1. */
import { anchored, compileJavaRegex, ConfigError, type ConnectorConfig } from '@millrace/sdk';

/** `topics`, trimmed and without duplicates, or `topics.regex` as an anchored expression. Throws ConfigError. */
export function sinkTopics(config: ConnectorConfig): readonly string[] | RegExp {
  const pattern = config['topics.regex']?.trim() ?? '';
  const names = (config.topics ?? '').split(',').map((name) => name.trim());
  const topics = [...new Set(names.filter((name) => name !== ''))];
  if (topics.length > 0) return topics;
  if (pattern === '') throw new ConfigError('Must configure one of topics or topics.regex.', { code: 'SINK_TOPICS' });
  return anchored(compileJavaRegex(pattern));
}
