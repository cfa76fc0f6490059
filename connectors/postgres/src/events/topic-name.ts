import type { TopicNaming } from '../config/topic-naming-config';
import type { TableName } from '../database/catalog';

/** Kafka's longest topic name. */
const MAX_LENGTH = 249;

/** `<prefix>.<schema>.<table>` or what the strategy makes of it (cdc-postgres §2.1, §7.1). */
export function topicName(prefix: string, table: TableName, delimiter: string, naming: TopicNaming): string {
  const name = originalTopicName(prefix, table, delimiter, naming);
  const { rewriting } = naming;
  if (rewriting === null || !rewriting.pattern.test(name)) return name;
  const renamed = name.replace(rewriting.pattern, rewriting.replacer);
  // An empty topic name cannot be used.
  return renamed === '' ? name : allowed(renamed, naming);
}

export function originalTopicName(prefix: string, table: TableName, delimiter: string, naming: TopicNaming): string {
  const parts = naming.withSchema ? [prefix, table.schema, table.name] : [prefix, table.name];
  return allowed(parts.join(delimiter), naming);
}

/** Replaces the characters that Kafka does not allow, each UTF-16 unit on its own as Debezium does. */
function allowed(name: string, { unicode }: TopicNaming): string {
  const replaced = unicode
    ? name.replace(/[^A-Za-z0-9._-]/g, (unit) => `_u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : name.replace(/[^A-Za-z0-9._-]/g, '_');
  return replaced.slice(0, MAX_LENGTH);
}
