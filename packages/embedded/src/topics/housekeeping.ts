/**
 * What happens to logs in the background: rolling by age, retention by time and size, compaction, forgetting producers.
 */
import { startTimer } from '../clock';
import { compact, NEVER_COMPACTED, type CompactionState } from '../log/compaction';
import type { LogSettings } from '../log/log-settings';
import type { PartitionLog } from '../log/partition-log';
import { StorageClosed } from '../log/segment-storage';
import { Pace } from '../log/time-slice';
import type { TopicRegistry } from './registry';

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
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(private readonly deps: HousekeepingDeps) {}

  /** @param everyMs between one round's end and the next. */
  start(everyMs: number): void {
    this.timer = startTimer(() => {
      this.running = this.round().finally(() => {
        this.running = null;
        if (!this.stopping.signal.aborted) this.start(everyMs);
      });
    }, everyMs);
    this.timer.unref();
  }

  /** Resolves when nothing is being done any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.timer) clearTimeout(this.timer);
    await this.running;
  }

  /** Once over all partitions. */
  async round(): Promise<void> {
    const { signal } = this.stopping;
    const pace = new Pace(signal);
    for (const topic of this.deps.topics.all()) {
      for (const [index, partition] of topic.partitions.entries()) {
        if (signal.aborted) return;
        try {
          if (!partition.closed) await this.tidy(partition, topic.settings, pace);
          if (pace.isDue()) await pace.rest();
        } catch (error) {
          // Somebody deleted what was being worked at, or all is to end.
          if (signal.aborted || partition.closed || error instanceof StorageClosed) continue;
          this.deps.log(`Housekeeping of ${topic.name}-${index} failed: ${(error as Error).message}`);
        }
      }
    }
  }

  private async tidy(partition: PartitionLog, settings: LogSettings, pace: Pace): Promise<void> {
    const now = this.deps.now();
    partition.producers.expire(now - PRODUCER_EXPIRATION_MS);
    partition.rollIfOlder(Math.min(settings.segmentMs, settings.compact ? settings.maxCompactionLagMs : Infinity));
    if (settings.delete) retain(partition, settings, now);
    if (settings.compact) {
      const before = this.compactions.get(partition) ?? NEVER_COMPACTED;
      this.compactions.set(partition, await compact(partition, settings, before, now, pace));
    }
  }
}

/** Whole segments go, oldest first; the one being written stays, unless all of it is too old. */
function retain(partition: PartitionLog, { retentionMs, retentionBytes }: LogSettings, now: number): void {
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
