/** Settings of ToLogicalTopicRouter and ByLogicalTableRouter. Source: cdc-postgres §7.11. */
import type { ConfigKey, ConnectorConfig } from '@millrace/sdk';
import { flagSetting, invalidSetting, regexProblem, textSetting } from './setting-values';
import { rewriting, type Rewriting } from './topic-rewriting';

const key = (
  name: string,
  displayName: string,
  of: Pick<ConfigKey, 'type' | 'default' | 'documentation'>,
): ConfigKey => {
  return { name, displayName, importance: 'LOW', order: 1, width: 'LONG', ...of };
};

const text = (name: string, displayName: string, documentation: string): ConfigKey =>
  key(name, displayName, { type: 'STRING', default: null, documentation });

export const ROUTER_CONFIG: readonly ConfigKey[] = [
  {
    ...text('topic.regex', 'Topic regex', 'Topics to route: a Java regular expression for the whole name. Required.'),
    requiredUnless: [],
    validator: (value) => (typeof value === 'string' ? regexProblem(value) : 'A value is required'),
  },
  {
    ...text('topic.replacement', 'Topic replacement', 'The new topic; $1 or ${name} stands for a group. Required.'),
    requiredUnless: [],
    validator: (value) => (typeof value === 'string' && value !== '' ? null : 'A value is required'),
  },
  {
    ...key('key.enforce.uniqueness', 'Add source topic name into key', {
      type: 'BOOLEAN',
      default: true,
      documentation: 'Add the old topic to each key, because rows of several tables may have the same key.',
    }),
    width: 'SHORT',
  },
  {
    ...text(
      'key.field.regex',
      'Key field regex',
      'Selects the part of the old topic that is added to the key: an expression for its whole name.',
    ),
    validator: (value) => (typeof value === 'string' ? regexProblem(value) : null),
  },
  {
    ...text(
      'key.field.replacement',
      'Key field replacement',
      'The text added to the key, built from the groups of key.field.regex.',
    ),
    validator: (value, config) => (value === null && config['key.field.regex']?.trim() ? REPLACEMENT_MISSING : null),
  },
  key('logical.destination.cache.size', 'Logical destination cache size', {
    type: 'INT',
    default: 16,
    documentation: 'Without effect: results are cached while their schema is in use.',
  }),
];

const REPLACEMENT_MISSING = 'key.field.replacement must be non-empty if key.field.regex is set.';

interface RouterSettings {
  readonly topic: Rewriting;
  /** Null: the key stays as it is. */
  readonly keyField: string | null;
  /** Null: the old topic goes into the key. */
  readonly keyText: Rewriting | null;
}

/** Throws ConfigError. */
export function routerSettings(config: ConnectorConfig, defaultKeyField: string): RouterSettings {
  const value = (name: string): string | null => textSetting(config, name);
  const enforced = flagSetting(config, 'key.enforce.uniqueness', true);
  const adjustment = value('schema.name.adjustment.mode');
  if (adjustment !== null && adjustment !== 'none') {
    throw invalidSetting('schema.name.adjustment.mode', adjustment, 'Value must be none: names are not adjusted here');
  }
  return {
    topic: rewriting(config, 'topic.regex', 'topic.replacement'),
    keyField: enforced ? (value('key.field.name') ?? defaultKeyField) : null,
    keyText:
      value('key.field.regex') === null
        ? null
        : rewriting(config, 'key.field.regex', 'key.field.replacement', REPLACEMENT_MISSING),
  };
}
