/**
 * The topics of a group consumer, checked for changes at an interval: each member evaluates its own regular expression,
 * and the leader compares the partition counts of all topics of the group.
 */
import { startTimer, type Logger } from '@millrace/sdk';
import { partitionCounts, TopicSubscription } from './topic-subscription';
import type { Wire } from '../wire';

/** Interval of the checks while a subscribed topic does not exist. */
const MISSING_TOPIC_INTERVAL_MS = 1_000;
const MIN_INTERVAL_MS = 100;

interface GroupTopics {
  /** The topics of all members. */
  readonly topics: readonly string[];
  /** Topic → number of partitions; topics that do not exist are absent. */
  readonly counts: ReadonlyMap<string, number>;
}

export class SubscribedTopics {
  private subscription: TopicSubscription | null = null;
  /** The input of the last assignment; null unless this member is the leader. */
  private groupTopics: GroupTopics | null = null;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(
    private readonly wire: Wire,
    private readonly options: { maxAgeMs: number; autoCreate: boolean },
    private readonly onChange: (reason: string) => void,
    private readonly logger: Logger,
  ) {}

  subscribe(topics: readonly string[] | RegExp): void {
    this.subscription = new TopicSubscription(topics, this.wire);
    this.scheduleCheck(this.options.maxAgeMs);
  }

  get isSubscribed(): boolean {
    return this.subscription !== null;
  }

  get names(): readonly string[] {
    return this.subscription?.topics ?? [];
  }

  /** False before the first evaluation of a regular expression. */
  get isPrepared(): boolean {
    return this.subscription?.topics !== null;
  }

  /** Evaluates a regular expression for the first time. */
  async prepare(): Promise<void> {
    if (this.subscription?.topics === null) await this.subscription.evaluate();
  }

  /** Returns the partition counts for an assignment, and checks these topics for changes from now on. */
  async startLeading(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = await this.count(topics);
    this.groupTopics = { topics, counts };
    if (this.isTopicMissing()) this.scheduleCheck(MISSING_TOPIC_INTERVAL_MS);
    return counts;
  }

  /** Another member is the leader. */
  stopLeading(): void {
    this.groupTopics = null;
  }

  close(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private count(topics: readonly string[]): Promise<Map<string, number>> {
    const own = new Set(this.names);
    return partitionCounts(this.wire, topics, (topic) => this.options.autoCreate && own.has(topic));
  }

  private isTopicMissing(): boolean {
    const { groupTopics } = this;
    return groupTopics !== null && groupTopics.topics.some((topic) => !groupTopics.counts.has(topic));
  }

  private scheduleCheck(afterMs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.closed) return;
    this.timer = startTimer(
      () => {
        this.check()
          .catch((error: Error) => this.logger.debug(`Checking the subscribed topics failed: ${error.message}`))
          .finally(() => this.scheduleCheck(this.isTopicMissing() ? MISSING_TOPIC_INTERVAL_MS : this.options.maxAgeMs));
      },
      Math.max(afterMs, MIN_INTERVAL_MS),
    );
  }

  private async check(): Promise<void> {
    if (this.subscription === null || this.subscription.topics === null) return;
    if (await this.subscription.evaluate()) this.onChange('the topics that match the subscription changed');
    const { groupTopics } = this;
    if (groupTopics === null) return;
    const before = groupTopics.counts;
    const after = await this.count([...new Set([...groupTopics.topics, ...this.names])]);
    const changed = after.size !== before.size || [...after].some(([topic, count]) => before.get(topic) !== count);
    if (changed && this.groupTopics === groupTopics) this.onChange('the partitions of the topics changed');
  }
}
