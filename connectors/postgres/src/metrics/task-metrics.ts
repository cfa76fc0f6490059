/** All metrics of a task, and what they are read from. */
import type { Logger, PluginMetrics, SourceOffset } from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import type { GeneralConnection } from '../database/general-connection';
import type { Lsn } from '../database/lsn';
import { Delivery } from './delivery';
import type { EventCounts } from './event-counts';
import { MetricGroup } from './metric-group';
import { SlotWatch, addSlotMetrics } from './slot-watch';
import { addSnapshotMetrics, type SnapshotFigures } from './snapshot-metrics';
import { addLagMetrics, addStreamingMetrics, type StreamState } from './streaming-metrics';

interface TaskMetricsOptions {
  readonly config: PostgresConfig;
  readonly metrics: PluginMetrics;
  readonly general: GeneralConnection;
  readonly serverVersion: number;
  readonly logger: Logger;
}

export class TaskMetrics {
  /** Null while nothing streams. */
  stream: StreamState | null = null;
  private readonly delivery = new Delivery();
  private readonly watch: SlotWatch;
  private storedLsn: Lsn = 0;

  constructor(
    readonly counts: EventCounts,
    private readonly options: TaskMetricsOptions,
  ) {
    const { config, general, serverVersion, logger } = options;
    const { warnBytes } = config.metrics;
    this.watch = new SlotWatch({ slot: config.slot.name, general, serverVersion, warnBytes, logger });
  }

  /** Adds the metrics. @param streams whether the task has a slot */
  start(streams: boolean, snapshot: SnapshotFigures): void {
    const { counts, delivery, watch } = this;
    const { config, metrics } = this.options;
    const { tags, statistics } = config.metrics;
    const own = new MetricGroup(metrics, 'millrace_postgres_', { name: config.prefix, ...tags });
    const debezium = (context: string): MetricGroup =>
      new MetricGroup(metrics, 'debezium_metrics_', { context, plugin: 'postgres', name: config.prefix, ...tags });
    const { queue, events } = config;
    addSnapshotMetrics(debezium('snapshot'), own, snapshot, counts, queue);
    if (!streams) return;
    const figures = {
      ...{ counts, delivery },
      stream: () => this.stream,
      storedLsn: () => this.storedLsn,
      walEnd: () => watch.walEnd,
      clockAheadMs: () => watch.clockAheadMs,
    };
    const limits = { ...queue, skipUnchanged: events.skipUnchanged, statistics };
    addStreamingMetrics(debezium('streaming'), figures, limits);
    const slot = new MetricGroup(metrics, 'millrace_postgres_', {
      name: config.prefix,
      slot: config.slot.name,
      ...tags,
    });
    addLagMetrics(slot, figures);
    addSlotMetrics(slot, watch);
    watch.start();
  }

  /** A batch is about to be returned. @param offset of its last record */
  returned(offset: SourceOffset): void {
    const { counts } = this;
    if (typeof offset.txId === 'number') counts.settle(offset.txId);
    this.delivery.returned(offset, counts.committedAt, Date.now());
  }

  /** The offset is stored. @param position that it allows to confirm */
  stored(offset: SourceOffset, position: Lsn | null): void {
    this.delivery.stored(offset);
    if (position !== null) this.storedLsn = position;
  }

  stop(): void {
    this.watch.stop();
  }
}
