/**
 * The `topic.creation.*` settings: which group a topic belongs to, and what it is created with. Source: connect-runtime
 * §4.5.
 */
import { compileJavaRegex, ConfigError, matchesFully, type ConnectorConfig } from '@millrace/sdk';
import { withoutPrefix } from '../../config/client-config';
import { ConfigParseError, invalidValue, parseConfigValue, parseList } from '../../config/config-parse';
import { TOPIC_GROUP_KEYS } from '../../config/connector-config';
import type { NewTopic } from '@millrace/kafka-client';

const PREFIX = 'topic.creation.';
const DEFAULT_GROUP = 'default';
const GROUPS = 'topic.creation.groups';
/** Java's types and reasons. */
const COUNTS = {
  partitions: {
    type: 'INT',
    reason: "Number of partitions must be positive, or -1 to use the broker's default",
  },
  'replication.factor': {
    type: 'SHORT',
    reason:
      "Replication factor must be positive and not larger than the number of brokers in the Kafka cluster, or -1 to use the broker's default",
  },
} as const;

const OWN_KEYS: ReadonlySet<string> = new Set(TOPIC_GROUP_KEYS);

export interface TopicGroup {
  readonly name: string;
  matches(topic: string): boolean;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly configs: Readonly<Record<string, string>>;
}

/**
 * In the order they are tried, `default` last; null when the connector leaves topic creation to the broker. Throws
 * ConfigError.
 */
export function topicGroups(config: ConnectorConfig): readonly TopicGroup[] | null {
  if (!Object.keys(config).some((key) => key.startsWith(PREFIX))) return null;
  const standard = defaultGroup(config);
  const named = groupNames(config).filter((name) => name !== DEFAULT_GROUP);
  return [...named.map((name) => namedGroup(config, name, standard)), standard];
}

/** As listed. Throws ConfigError for duplicates. */
function groupNames(config: ConnectorConfig): readonly string[] {
  const names = parseList(config[GROUPS] ?? '');
  if (new Set(names).size === names.length) return names;
  throw invalid(invalidValue(GROUPS, `[${names.join(', ')}]`, 'Duplicate alias provided.'));
}

/** `default` always exists and is always last; a user who lists it may expect another order. */
export function namesDefaultGroup(config: ConnectorConfig): boolean {
  return parseList(config[GROUPS] ?? '').includes(DEFAULT_GROUP);
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

function count(settings: Record<string, string>, group: string, key: keyof typeof COUNTS, fallback?: number): number {
  const text = settings[key];
  const name = `${PREFIX}${group}.${key}`;
  if (text === undefined) {
    if (fallback !== undefined) return fallback;
    throw invalid(`Missing required configuration "${name}" which has no default value.`);
  }
  const { type, reason } = COUNTS[key];
  let value: number;
  try {
    value = Number(parseConfigValue(type, text));
  } catch (error) {
    if (!(error instanceof ConfigParseError)) throw error;
    throw invalid(invalidValue(name, text, error.reason));
  }
  if (value > 0 || value === -1) return value;
  throw invalid(invalidValue(name, text, reason));
}

function patterns(settings: Record<string, string>, group: string, key: string): RegExp[] {
  return parseList(settings[key] ?? '').map((pattern) => {
    try {
      return compileJavaRegex(pattern);
    } catch (error) {
      const reason = `Invalid regex: ${(error as Error).message}`;
      throw invalid(invalidValue(`${PREFIX}${group}.${key}`, pattern, reason), error);
    }
  });
}

function topicConfigs(settings: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !OWN_KEYS.has(key)));
}

function invalid(message: string, cause?: unknown): ConfigError {
  return new ConfigError(message, { code: 'TOPIC_CREATION_CONFIG', cause });
}
