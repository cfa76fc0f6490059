import {
  anchored,
  compileJavaRegex,
  type ConnectorConfig,
  type ConnectRecord,
  type ParsedValue,
  type Predicate,
  type PredicatePlugin,
} from '@millrace/sdk';

/** Matches records whose whole topic name matches the pattern. */
class TopicNameMatches implements Predicate {
  private pattern = /^$/;
  /** Consecutive records mostly have the same topic. */
  private lastTopic: string | null = null;
  private lastAnswer = false;

  configure(config: ConnectorConfig): void {
    this.pattern = anchored(compileJavaRegex((config.pattern ?? '').trim()));
  }

  test({ topic }: ConnectRecord): boolean {
    if (topic !== this.lastTopic) {
      this.lastAnswer = this.pattern.test(topic);
      this.lastTopic = topic;
    }
    return this.lastAnswer;
  }
}

export const topicNameMatches: PredicatePlugin = {
  type: 'predicate',
  config: [
    {
      name: 'pattern',
      type: 'STRING',
      importance: 'MEDIUM',
      documentation: 'Java regular expression that the whole name of the topic has to match.',
      validator: problem,
    },
  ],
  create: () => new TopicNameMatches(),
};

/** Java also compiles a missing pattern, so two messages report that it is missing. */
function problem(pattern: ParsedValue): string | null {
  if (typeof pattern !== 'string') return 'Invalid regex: there is none';
  if (pattern === '') return 'String must be non-empty';
  try {
    compileJavaRegex(pattern);
    return null;
  } catch (error) {
    return `Invalid regex: ${(error as Error).message}`;
  }
}
