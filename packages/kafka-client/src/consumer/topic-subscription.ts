/** The topics of a subscription: a list of names, or the topics that match a regular expression. */
import { KafkaError } from '../errors';
import type { Wire } from '../wire';

/** Kafka's limit. Bounds the time that a regular expression takes for names of a faulty broker. */
const MAX_TOPIC_NAME_LENGTH = 249;

export class TopicSubscription {
  private matched: readonly string[] | null;

  constructor(
    private readonly wanted: readonly string[] | RegExp,
    private readonly wire: Wire,
  ) {
    this.matched = wanted instanceof RegExp ? null : [...new Set(wanted)].sort();
  }

  /** Null before the first `evaluate` of a regular expression. */
  get topics(): readonly string[] | null {
    return this.matched;
  }

  /** Resolves to true when the topics have changed. */
  async evaluate(): Promise<boolean> {
    if (!(this.wanted instanceof RegExp)) return false;
    // A global or sticky expression would resume after its last match.
    const expression = new RegExp(this.wanted.source, this.wanted.flags.replace(/[gy]/g, ''));
    const before = this.matched;
    const matches = (topic: string): boolean => topic.length <= MAX_TOPIC_NAME_LENGTH && expression.test(topic);
    const after = (await this.wire.allTopics()).filter(matches).sort();
    this.matched = after;
    return before === null || before.length !== after.length || after.some((topic, index) => topic !== before[index]);
  }
}

/** Topic → number of partitions; topics that do not exist are absent. Rejects for an unauthorized topic. */
export async function partitionCounts(
  wire: Wire,
  topics: readonly string[],
  autoCreate: (topic: string) => boolean,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  if (topics.length === 0) return counts;
  await wire.refresh(topics);
  for (const topic of topics) {
    const known = wire.cachedPartitions(topic);
    if (known === undefined && autoCreate(topic)) {
      // The broker may create the topic later, or not at all: a later check finds it.
      await wire.partitions(topic, { allowAutoCreate: true }).catch((error: unknown) => {
        if (!(error instanceof KafkaError && error.retriable)) throw error;
      });
    }
    const partitions = wire.cachedPartitions(topic);
    if (partitions !== undefined) counts.set(topic, partitions.length);
  }
  return counts;
}
