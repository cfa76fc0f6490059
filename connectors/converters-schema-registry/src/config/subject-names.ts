/** Naming strategies: the subject under which the schema of a record is registered. */
import { DataError, type ConnectorConfig } from '@millrace/sdk';
import { invalid, text } from './read-settings';

const PACKAGE = 'io.confluent.kafka.serializers.subject.';

/** Throws DataError if it needs the record's name, and there is none. */
export type SubjectName = (topic: string, isKey: boolean, recordName: string | null) => string;

const STRATEGIES: Readonly<Record<string, SubjectName>> = {
  TopicNameStrategy: (topic, isKey) => `${topic}-${isKey ? 'key' : 'value'}`,
  RecordNameStrategy: (topic, isKey, name) => named('RecordNameStrategy', topic, isKey, name),
  TopicRecordNameStrategy: (topic, isKey, name) => `${topic}-${named('TopicRecordNameStrategy', topic, isKey, name)}`,
};
export const STRATEGY_CLASSES = Object.keys(STRATEGIES).map((name) => PACKAGE + name);
export const TOPIC_NAME_STRATEGY = `${PACKAGE}TopicNameStrategy`;

/** Throws ConfigError. */
export function subjectNames(config: ConnectorConfig, isKey: boolean): SubjectName {
  const key = strategyKey(isKey);
  const name = text(config, key) ?? TOPIC_NAME_STRATEGY;
  const strategy = strategyOf(name);
  if (strategy === null) throw invalid(key, strategyProblem(name));
  return strategy;
}

export const strategyKey = (isKey: boolean): string => `${isKey ? 'key' : 'value'}.subject.name.strategy`;

export function strategyProblem(name: string): string {
  return `must be one of ${STRATEGY_CLASSES.join(', ')}: ${name} is a Java class, which cannot run here`;
}

/** By its class name, with or without the package. Null: it is none of these. */
export function strategyOf(name: string): SubjectName | null {
  const short = name.startsWith(PACKAGE) ? name.slice(PACKAGE.length) : name;
  return Object.hasOwn(STRATEGIES, short) ? (STRATEGIES[short] as SubjectName) : null;
}

function named(strategy: string, topic: string, isKey: boolean, recordName: string | null): string {
  if (recordName !== null) return recordName;
  const part = isKey ? 'keys' : 'values';
  throw new DataError(
    `${strategy} needs the name of a record, and the schema of the ${part} of topic ${topic} has none: ` +
      `use ${TOPIC_NAME_STRATEGY} for them, or give the schema a name, e.g. with SetSchemaMetadata.`,
    { code: 'REGISTRY_SUBJECT', place: { topic } },
  );
}
