/** `topic.naming.strategy` and its settings (cdc-postgres §7.1). */
import { anchored, compileJavaRegex, compileJavaReplacement, type ConnectorConfig } from '@millrace/sdk';
import { KEY } from './definitions';
import type { Settings } from './settings';

export interface TopicNaming {
  /** Names contain the schema of the table. */
  readonly withSchema: boolean;
  /** Characters that Kafka does not allow become their code; otherwise an underscore. */
  readonly unicode: boolean;
  readonly rewriting: TopicRewriting | null;
}

/** Replaces topic names that match as a whole, for instance to merge tables. */
interface TopicRewriting {
  readonly pattern: RegExp;
  readonly replacer: ReturnType<typeof compileJavaReplacement>;
  /** Key member with the original name, so that rows of merged tables keep different keys; null for none. */
  readonly keyField: string | null;
}

const PACKAGE = 'io.debezium.schema.';
const BY_CLASS: ReadonlyMap<string, 'schema' | 'default' | 'regex' | 'unicode'> = new Map([
  ['SchemaTopicNamingStrategy', 'schema'],
  ['DefaultTopicNamingStrategy', 'default'],
  ['DefaultRegexTopicNamingStrategy', 'regex'],
  ['SchemaUnicodeTopicNamingStrategy', 'unicode'],
]);

function strategy(name: string): 'schema' | 'default' | 'regex' | 'unicode' | null {
  return name.startsWith(PACKAGE) ? (BY_CLASS.get(name.slice(PACKAGE.length)) ?? null) : null;
}

export function readTopicNaming(settings: Settings): TopicNaming {
  const kind = strategy(settings.get('topicNamingStrategy'));
  return {
    withSchema: kind === 'schema' || kind === 'unicode',
    unicode: kind === 'unicode',
    rewriting: kind === 'regex' ? rewriting(settings) : null,
  };
}

function rewriting(settings: Settings): TopicRewriting {
  const pattern = anchored(compileJavaRegex(settings.get('topicRegex') as string));
  return {
    pattern,
    replacer: compileJavaReplacement(pattern, settings.get('topicReplacement') as string),
    keyField: settings.get('topicKeyEnforceUniqueness') ? settings.get('topicKeyFieldName') : null,
  };
}

export function checkTopicNaming(values: ConnectorConfig, complain: (name: string, message: string) => void): void {
  const given = (name: string): string => values[name]?.trim() ?? '';
  const name = given(KEY.topicNamingStrategy);
  const kind = name === '' ? 'schema' : strategy(name);
  if (kind === null)
    complain(
      KEY.topicNamingStrategy,
      `Records would be published to other topics than those of class ${name}, which is not supported: use one of ${[...BY_CLASS.keys()].map((one) => PACKAGE + one).join(', ')}`,
    );
  if (kind !== 'regex') return;
  const [regex, replacement] = [given(KEY.topicRegex), given(KEY.topicReplacement)];
  if (regex === '') complain(KEY.topicRegex, 'A value is required');
  if (replacement === '') complain(KEY.topicReplacement, 'A value is required');
  if (regex === '') return;
  let compiling: string = KEY.topicRegex;
  try {
    const pattern = compileJavaRegex(regex);
    compiling = KEY.topicReplacement;
    compileJavaReplacement(pattern, replacement);
  } catch (error) {
    complain(compiling, (error as Error).message);
  }
}
