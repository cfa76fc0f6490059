/** What happens to logs in the background: rolling by age, retention by time and size, compaction, forgetting producers. */
import type { TopicRegistry } from '../topics/registry';
import type { TopicSettings } from '../topics/topic';
import { compact, NEVER_COMPACTED, type CompactionState } from './compaction';
import type { PartitionLog } from './partition-log';

/** `producer.id.expiration.ms` */
const PRODUCER_EXPIRATION_MS = 86_400_000;

export interface HousekeepingDeps {
  readonly topics: TopicRegistry;
  readonly now: () => number;
  readonly log: (line: string) => void;
}

export class Housekeeping {
  /** Since this process began: the first round after a start compacts everything. */
  private readonly compactions = new WeakMap<PartitionLog, CompactionState>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly deps: HousekeepingDeps) {}

  /** @param everyMs between one round's end and the next. */
  start(everyMs: number): void {
    this.timer = setTimeout(() => {
      void this.round().then(() => {
        if (this.timer) this.start(everyMs);
      });
    }, everyMs);
    this.timer.unref();
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Once over all partitions; requests are answered between one partition and the next. */
  async round(): Promise<void> {
    for (const topic of this.deps.topics.all()) {
      for (const [index, partition] of topic.partitions.entries()) {
        try {
          if (!partition.closed) this.tidy(partition, topic.settings);
        } catch (error) {
          this.deps.log(`Housekeeping of ${topic.name}-${index} failed: ${(error as Error).message}`);
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  private tidy(partition: PartitionLog, settings: TopicSettings): void {
    const now = this.deps.now();
    partition.producers.expire(now - PRODUCER_EXPIRATION_MS);
    partition.rollIfOlder(Math.min(settings.segmentMs, settings.compact ? settings.maxCompactionLagMs : Infinity));
    if (settings.delete) retain(partition, settings, now);
    if (settings.compact) {
      const before = this.compactions.get(partition) ?? NEVER_COMPACTED;
      this.compactions.set(partition, compact(partition, settings, before, now));
    }
  }
}

/** Whole segments go, oldest first; the one being written stays, unless all of it is too old. */
function retain(partition: PartitionLog, { retentionMs, retentionBytes }: TopicSettings, now: number): void {
  const limit = now - retentionMs;
  if (partition.newestTimestamp >= 0 && partition.newestTimestamp < limit) partition.roll();
  let bytes = partition.bytes;
  for (const segment of partition.closedSegments()) {
    const isOld = segment.maxTimestamp < limit;
    const isTooMuch = bytes - segment.size >= retentionBytes;
    // What belongs to an open transaction is needed to end it.
    if (!(isOld || isTooMuch) || segment.nextOffset > partition.lastStableOffset) return;
    bytes -= segment.size;
    partition.deleteBefore(segment.nextOffset);
  }
}
