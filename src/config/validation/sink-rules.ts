/** Rules over several keys of a sink. Source: connect-rest §3.5. */
import { compileJavaRegex, matchesFully } from '@millrace/sdk';
import { unknownEntry, valueOf, type Entry, type NullableConfig } from './entry';
import { reportKeyCheck } from './validation-step';

const TOPICS = 'topics';
const REGEX = 'topics.regex';
const DLQ = 'errors.deadletterqueue.topic.name';
const GROUP_OVERRIDE = 'consumer.override.group.id';

const text = (config: NullableConfig, key: string): string => (valueOf(config, key) ?? '').trim();

/** Adds messages to the entries of `topics` and `topics.regex`. */
export function checkSinkTopics(entries: ReadonlyMap<string, Entry>, config: NullableConfig): void {
  const add = (key: string, message: string): void => void entries.get(key)?.errors.push(message);
  const hasTopics = text(config, TOPICS) !== '';
  const pattern = text(config, REGEX);
  if (hasTopics === (pattern !== '')) {
    const message = hasTopics
      ? 'topics and topics.regex are mutually exclusive options, but both are set.'
      : 'Must configure one of topics or topics.regex';
    add(TOPICS, message);
    add(REGEX, message);
  }
  const dlq = text(config, DLQ);
  if (dlq === '') return;
  const listed = entries.get(TOPICS)?.parsed;
  if (Array.isArray(listed) && listed.includes(dlq)) {
    add(
      TOPICS,
      `The DLQ topic '${dlq}' may not be included in the list of topics ('topics=[${listed.join(', ')}]') consumed by the connector`,
    );
  }
  reportKeyCheck(REGEX);
  if (pattern !== '' && entries.get(REGEX)?.errors.length === 0 && matchesFully(compileJavaRegex(pattern), dlq)) {
    add(
      REGEX,
      `The DLQ topic '${dlq}' may not be matched by the regex for the topics ('topics.regex=${pattern}') consumed by the connector`,
    );
  }
}

/**
 * A sink must not use the workers' group as its consumer group. Returns an entry for the override key, which Java lists
 * in addition to its definition.
 */
export function checkSinkGroup(
  entries: ReadonlyMap<string, Entry>,
  config: NullableConfig,
  workerGroup: string,
): Entry | null {
  const name = valueOf(config, 'name');
  if (name != null && `connect-${name}` === workerGroup) {
    entries
      .get('name')
      ?.errors.push(
        `Consumer group for sink connector named ${name} conflicts with Connect worker group ${workerGroup}`,
      );
  }
  const override = valueOf(config, GROUP_OVERRIDE);
  if (override == null) return null;
  const conflict = `Consumer group ${override} conflicts with Connect worker group ${workerGroup}`;
  return unknownEntry(GROUP_OVERRIDE, override, override === workerGroup ? [conflict] : []);
}
