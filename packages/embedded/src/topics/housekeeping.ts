/** Background work on logs: rolling by age, retention by time and size, compaction, producer expiration. */
import { startTimer } from '../clock';
import { compact, NEVER_COMPACTED, type CompactionState } from '../log/compaction';
import type { LogSettings } from '../log/log-settings';
import type { PartitionLog } from '../log/partition-log';
import { StorageClosed } from '../log/segment-storage';
import { TimeSlice } from '../log/time-slice';
import type { TopicRegistry } from './registry';

/** `producer.id.expiration.ms` */
const PRODUCER_EXPIRATION_MS = 86_400_000;

export interface HousekeepingDeps {
  readonly topics: TopicRegistry;
  readonly now: () => number;
  readonly log: (line: string) => void;
}

export class Housekeeping {
  /** Not stored: the first round after startup compacts every log. */
  private readonly compactions = new WeakMap<PartitionLog, CompactionState>();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(private readonly deps: HousekeepingDeps) {}

  /** @param intervalMs from the end of a round to the start of the next. */
  start(intervalMs: number): void {
    this.timer = startTimer(() => {
      this.running = this.runRound().finally(() => {
        this.running = null;
        if (!this.stopping.signal.aborted) this.start(intervalMs);
      });
    }, intervalMs);
    this.timer.unref();
  }

  /** Resolves when no round is running. */
  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.timer) clearTimeout(this.timer);
    await this.running;
  }

  /** Processes every partition once. */
  async runRound(): Promise<void> {
    const { signal } = this.stopping;
    const slice = new TimeSlice(signal);
    for (const topic of this.deps.topics.all()) {
      for (const [index, partition] of topic.partitions.entries()) {
        if (signal.aborted) return;
        try {
          if (!partition.closed) await this.processPartition(partition, topic.settings, slice);
          if (slice.isOver()) await slice.next();
        } catch (error) {
          // The partition or segment was deleted meanwhile, or the broker is stopping.
          if (signal.aborted || partition.closed || error instanceof StorageClosed) continue;
          this.deps.log(`Housekeeping of ${topic.name}-${index} failed: ${(error as Error).message}`);
        }
      }
    }
  }

  private async processPartition(partition: PartitionLog, settings: LogSettings, slice: TimeSlice): Promise<void> {
    const now = this.deps.now();
    partition.producers.expire(now - PRODUCER_EXPIRATION_MS);
    partition.rollIfOlder(Math.min(settings.segmentMs, settings.compact ? settings.maxCompactionLagMs : Infinity));
    if (settings.delete) applyRetention(partition, settings, now);
    if (settings.compact) {
      const before = this.compactions.get(partition) ?? NEVER_COMPACTED;
      this.compactions.set(partition, await compact(partition, settings, before, now, slice));
    }
  }
}

/** Deletes whole segments, oldest first. The active segment is deleted only if all of it has expired. */
function applyRetention(partition: PartitionLog, { retentionMs, retentionBytes }: LogSettings, now: number): void {
  const limit = now - retentionMs;
  if (partition.newestTimestamp >= 0 && partition.newestTimestamp < limit) partition.roll();
  let bytes = partition.bytes;
  for (const segment of partition.closedSegments()) {
    const isOld = segment.largestTimestamp < limit;
    const exceedsBytes = bytes - segment.size >= retentionBytes;
    // Segments with records of an open transaction are needed to end it.
    if (!(isOld || exceedsBytes) || segment.nextOffset > partition.lastStableOffset) return;
    bytes -= segment.size;
    partition.deleteBefore(segment.nextOffset);
  }
}
