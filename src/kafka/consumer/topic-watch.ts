/**
 * Which topics a group consumer wants, and whether they change: each member follows its own expression, the leader the
 * partitions of all the group's topics.
 */
import { startTimer } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import { partitionCounts, TopicSubscription } from './subscription';
import type { Wire } from '../wire';

/** How often to look for topics that are subscribed and do not exist. */
const MISSING_TOPIC_MS = 1_000;
const MIN_WAIT_MS = 100;

interface Led {
  /** Of all members: those who follow do not look themselves. */
  readonly topics: readonly string[];
  /** Of the topics that exist. */
  readonly counts: ReadonlyMap<string, number>;
}

export class TopicWatch {
  private subscription: TopicSubscription | null = null;
  /** What the last assignment shared out; null unless this member made it. */
  private led: Led | null = null;
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
    this.lookAgain(this.options.maxAgeMs);
  }

  get isSubscribed(): boolean {
    return this.subscription !== null;
  }

  get topics(): readonly string[] {
    return this.subscription?.topics ?? [];
  }

  /** An expression has no topics before this. */
  async prepare(): Promise<void> {
    if (this.subscription?.topics === null) await this.subscription.evaluate();
  }

  /** For the leader, who shares these out; it follows them from now on. */
  async lead(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = await this.count(topics);
    this.led = { topics, counts };
    if (this.isTopicMissing()) this.lookAgain(MISSING_TOPIC_MS);
    return counts;
  }

  /** Somebody else leads. */
  follow(): void {
    this.led = null;
  }

  close(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private count(topics: readonly string[]): Promise<Map<string, number>> {
    const own = new Set(this.topics);
    return partitionCounts(this.wire, topics, (topic) => this.options.autoCreate && own.has(topic));
  }

  private isTopicMissing(): boolean {
    const { led } = this;
    return led !== null && led.topics.some((topic) => !led.counts.has(topic));
  }

  private lookAgain(afterMs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.closed) return;
    this.timer = startTimer(
      () => {
        this.look()
          .catch((error: Error) => this.logger.debug(`Topics were not looked at: ${error.message}`))
          .finally(() => this.lookAgain(this.isTopicMissing() ? MISSING_TOPIC_MS : this.options.maxAgeMs));
      },
      Math.max(afterMs, MIN_WAIT_MS),
    );
  }

  private async look(): Promise<void> {
    if (this.subscription === null || this.subscription.topics === null) return;
    if (await this.subscription.evaluate()) this.onChange('the topics that match the subscription changed');
    const { led } = this;
    if (led === null) return;
    const before = led.counts;
    const after = await this.count([...new Set([...led.topics, ...this.topics])]);
    const changed = after.size !== before.size || [...after].some(([topic, count]) => before.get(topic) !== count);
    if (changed && this.led === led) this.onChange('the partitions of the topics changed');
  }
}
