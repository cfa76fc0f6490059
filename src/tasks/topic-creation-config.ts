/** The `topic.creation.*` settings: which group a topic belongs to, and what it is created with. Source: connect-runtime §4.5. */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';
import { withoutPrefix } from '../config/client-config';
import { parseList } from '../config/config-parse';
import { compileJavaRegex, matchesFully } from '../config/config-parse-regex';
import type { NewTopic } from '../kafka/port';

const PREFIX = 'topic.creation.';
const DEFAULT_GROUP = 'default';
const OWN_KEYS = ['include', 'exclude', 'replication.factor', 'partitions'];

export interface TopicGroup {
  readonly name: string;
  matches(topic: string): boolean;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly configs: Readonly<Record<string, string>>;
}

/** In the order they are tried, `default` last; null when the connector leaves topic creation to the broker. Throws ConfigError. */
export function topicGroups(config: ConnectorConfig): readonly TopicGroup[] | null {
  if (!Object.keys(config).some((key) => key.startsWith(PREFIX))) return null;
  const standard = defaultGroup(config);
  const names = parseList(config['topic.creation.groups'] ?? '').filter((name) => name !== DEFAULT_GROUP);
  return [...names.map((name) => namedGroup(config, name, standard)), standard];
}

/** What to create a topic with: the first group that matches. */
export function newTopic(groups: readonly TopicGroup[], topic: string): NewTopic {
  const group = groups.find((g) => g.matches(topic)) as TopicGroup;
  return {
    name: topic,
    partitions: group.partitions,
    replicationFactor: group.replicationFactor,
    configs: group.configs,
  };
}

function defaultGroup(config: ConnectorConfig): TopicGroup {
  const settings = withoutPrefix(config, `${PREFIX}${DEFAULT_GROUP}.`);
  return {
    name: DEFAULT_GROUP,
    matches: () => true,
    partitions: count(settings, DEFAULT_GROUP, 'partitions'),
    replicationFactor: count(settings, DEFAULT_GROUP, 'replication.factor'),
    configs: topicConfigs(settings),
  };
}

function namedGroup(config: ConnectorConfig, name: string, standard: TopicGroup): TopicGroup {
  const settings = withoutPrefix(config, `${PREFIX}${name}.`);
  const include = patterns(settings, name, 'include');
  const exclude = patterns(settings, name, 'exclude');
  return {
    name,
    matches: (topic) => include.some((p) => matchesFully(p, topic)) && !exclude.some((p) => matchesFully(p, topic)),
    partitions: count(settings, name, 'partitions', standard.partitions),
    replicationFactor: count(settings, name, 'replication.factor', standard.replicationFactor),
    configs: topicConfigs(settings),
  };
}

function count(settings: Record<string, string>, group: string, key: string, fallback?: number): number {
  const text = settings[key]?.trim();
  if (text === undefined && fallback !== undefined) return fallback;
  const value = Number(text);
  if (text !== undefined && text !== '' && Number.isInteger(value) && (value > 0 || value === -1)) return value;
  throw new ConfigError(
    text === undefined
      ? `Missing required configuration "${PREFIX}${group}.${key}": it is needed as soon as any ${PREFIX}* setting is used.`
      : `Invalid value ${text} for configuration ${PREFIX}${group}.${key}: it must be positive, or -1 for the broker's default.`,
    { code: 'TOPIC_CREATION_CONFIG' },
  );
}

function patterns(settings: Record<string, string>, group: string, key: string): RegExp[] {
  return parseList(settings[key] ?? '').map((pattern) => {
    try {
      return compileJavaRegex(pattern);
    } catch (error) {
      throw new ConfigError(
        `Invalid value ${pattern} for configuration ${PREFIX}${group}.${key}: Invalid regex: ${(error as Error).message}`,
        {
          code: 'TOPIC_CREATION_CONFIG',
          cause: error,
        },
      );
    }
  });
}

function topicConfigs(settings: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !OWN_KEYS.includes(key)));
}
