/** The topics a consumer wants: names as given, or what a regular expression matches at the moment. */
import { KafkaError } from '../errors';
import type { Wire } from '../wire';

/** Kafka has no longer ones: what a broker claims beyond is not worth an expression's time. */
const LONGEST_NAME = 249;

export class TopicSubscription {
  private matched: readonly string[] | null;

  constructor(
    private readonly wanted: readonly string[] | RegExp,
    private readonly wire: Wire,
  ) {
    this.matched = wanted instanceof RegExp ? null : [...new Set(wanted)].sort();
  }

  /** Null before an expression was evaluated. */
  get topics(): readonly string[] | null {
    return this.matched;
  }

  /** Resolves to whether the topics have changed. */
  async evaluate(): Promise<boolean> {
    if (!(this.wanted instanceof RegExp)) return false;
    // A global or sticky expression would go on where it stopped.
    const expression = new RegExp(this.wanted.source, this.wanted.flags.replace(/[gy]/g, ''));
    const before = this.matched;
    const wanted = (topic: string): boolean => topic.length <= LONGEST_NAME && expression.test(topic);
    const after = (await this.wire.allTopics()).filter(wanted).sort();
    this.matched = after;
    return before === null || before.length !== after.length || after.some((topic, index) => topic !== before[index]);
  }
}

/** Topic → number of partitions; those that do not exist are absent. Rejects for one that may not be read. */
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
      // Whether the broker creates it, and when, is its business: a later look will tell.
      await wire.partitions(topic, { allowAutoCreate: true }).catch((error: unknown) => {
        if (!(error instanceof KafkaError && error.retriable)) throw error;
      });
    }
    const partitions = wire.cachedPartitions(topic);
    if (partitions !== undefined) counts.set(topic, partitions.length);
  }
  return counts;
}
