/** The predicates that are compiled into the worker. Source: connect-runtime §7.3. */
import {
  anchored,
  compileJavaRegex,
  type ConnectorConfig,
  type ConnectRecord,
  type ParsedValue,
  type Predicate,
  type PredicatePlugin,
} from '@millrace/sdk';

/** Matches records with at least one header of that name. */
class HasHeaderKey implements Predicate {
  readonly takesRaw = true;
  private name = '';

  configure(config: ConnectorConfig): void {
    this.name = (config.name ?? '').trim();
  }

  test({ headers }: ConnectRecord): boolean {
    return headers != null && headers.some(({ key }) => key === this.name);
  }
}

const hasHeaderKey: PredicatePlugin = {
  type: 'predicate',
  config: [
    {
      name: 'name',
      type: 'STRING',
      importance: 'MEDIUM',
      documentation: 'Name of the header to look for.',
      validator: (value) => (value === '' ? 'String must be non-empty' : null),
    },
  ],
  create: () => new HasHeaderKey(),
};

/** Matches tombstones: records without a value, whatever their schema. */
const recordIsTombstone: PredicatePlugin = {
  type: 'predicate',
  config: [],
  create: () => ({ configure: () => undefined, test: ({ value }) => value == null, takesRaw: true }),
};

/** Matches records whose whole topic name matches the pattern. */
class TopicNameMatches implements Predicate {
  readonly takesRaw = true;
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

const topicNameMatches: PredicatePlugin = {
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

const PACKAGE = 'org.apache.kafka.connect.transforms.predicates';

/** By Java class name. */
export const builtInPredicates = [
  { className: `${PACKAGE}.HasHeaderKey`, plugin: hasHeaderKey },
  { className: `${PACKAGE}.RecordIsTombstone`, plugin: recordIsTombstone },
  { className: `${PACKAGE}.TopicNameMatches`, plugin: topicNameMatches },
];
