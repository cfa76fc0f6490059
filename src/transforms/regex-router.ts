/** `RegexRouter`: renames the topic of records whose topic matches. Source: connect-runtime §7.2. */
import {
  anchored,
  compileJavaRegex,
  compileJavaReplacement,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Transformation,
} from '@millrace/sdk';
import { configError } from './failures';
import { Settings } from './settings';

export const REGEX_ROUTER_CONFIG: readonly ConfigKey[] = [
  {
    name: 'regex',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'Regular expression that the whole name of a topic has to match.',
    validator: invalidRegex,
  },
  {
    name: 'replacement',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'The new name; $1 or ${name} stands for what a group of the expression matched.',
  },
];

function invalidRegex(value: unknown): string | null {
  // Java also compiles a missing one, so two messages report that it is missing.
  if (typeof value !== 'string') return 'Invalid regex: there is none';
  try {
    compileJavaRegex(value);
    return null;
  } catch (error) {
    return `Invalid regex: ${(error as Error).message}`;
  }
}

export class RegexRouter implements Transformation {
  readonly takesRaw = true;
  private reroute: (topic: string) => string = (topic) => topic;
  /** Results by topic: topics are few, so each is matched once. */
  private readonly topics = new Map<string, string>();

  configure(config: ConnectorConfig): void {
    const settings = new Settings(REGEX_ROUTER_CONFIG, config);
    const regex = compileJavaRegex(settings.text('regex'));
    const whole = anchored(regex);
    const replacement = replacer(regex, settings.text('replacement'));
    // Java requires the whole name to match, then replaces the first match, which may be a part of it.
    this.reroute = (topic) => (whole.test(topic) ? topic.replace(regex, replacement) : topic);
    this.topics.clear();
  }

  apply<R extends ConnectRecord>(record: R): R {
    let topic = this.topics.get(record.topic);
    if (topic === undefined) {
      if (this.topics.size >= MANY) this.topics.clear();
      this.topics.set(record.topic, (topic = this.reroute(record.topic)));
    }
    return topic === record.topic ? record : { ...record, topic };
  }
}

function replacer(regex: RegExp, text: string): ReturnType<typeof compileJavaReplacement> {
  try {
    return compileJavaReplacement(regex, text);
  } catch (error) {
    throw configError(`Invalid value ${text} for configuration replacement: ${(error as Error).message}`);
  }
}

/** Bounds the memory for a source that derives topics from its data. */
const MANY = 10_000;
