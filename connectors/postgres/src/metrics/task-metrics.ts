/** All metrics of a task, and what they are read from. */
import type { Logger, PluginMetrics, SourceOffset } from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import type { GeneralConnection } from '../database/general-connection';
import type { Lsn } from '../database/lsn';
import type { Reachability } from '../database/reachability';
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
  readonly reach: Reachability;
  readonly serverVersion: number;
  readonly logger: Logger;
}

export class TaskMetrics {
  /** Null while nothing streams. */
  stream: StreamState | null = null;
  private readonly delivery = new Delivery();
  private watch: SlotWatch | null = null;
  private storedLsn: Lsn = 0;

  constructor(
    readonly counts: EventCounts,
    private readonly options: TaskMetricsOptions,
  ) {}

  /** Adds the metrics, and watches the server. @param streams whether the task has a slot */
  start(streams: boolean, snapshot: SnapshotFigures): void {
    const { counts, delivery } = this;
    const watch = this.watchOf(streams);
    const { config, metrics, reach } = this.options;
    const { tags, statistics } = config.metrics;
    const own = new MetricGroup(metrics, 'millrace_postgres_', { name: config.prefix, ...tags });
    const debezium = (context: string): MetricGroup =>
      new MetricGroup(metrics, 'debezium_metrics_', { context, plugin: 'postgres', name: config.prefix, ...tags });
    const { queue, events } = config;
    addSnapshotMetrics(debezium('snapshot'), own, snapshot, counts, queue);
    watch.start();
    if (!streams) return;
    const figures = {
      ...{ counts, delivery },
      stream: () => this.stream,
      storedLsn: () => this.storedLsn,
      walEnd: () => watch.walEnd,
      clockAheadMs: () => watch.clockAheadMs,
      isDown: () => reach.isDown,
    };
    const limits = { ...queue, skipUnchanged: events.skipUnchanged, statistics };
    addStreamingMetrics(debezium('streaming'), figures, limits);
    const slot = new MetricGroup(metrics, 'millrace_postgres_', {
      name: config.prefix,
      slot: config.slot.name,
      ...tags,
    });
    addConnectedMetric(slot, reach);
    addLagMetrics(slot, figures);
    addSlotMetrics(slot, watch);
  }

  private watchOf(streams: boolean): SlotWatch {
    const { config, general, reach, serverVersion, logger } = this.options;
    const { warnBytes } = config.metrics;
    const slot = streams ? config.slot.name : null;
    const askStream = (): void => this.stream?.requestKeepalive();
    return (this.watch = new SlotWatch({ slot, general, reach, askStream, serverVersion, warnBytes, logger }));
  }

  /** The slot is read now. */
  streams(): void {
    void this.watch?.readAgain();
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

  /** Nothing needs the server any more, or the task ends. */
  stop(): void {
    this.watch?.stop();
  }
}

/** The figures of the server and the slot are unknown while it is 0. */
export function addConnectedMetric(own: MetricGroup, reach: Pick<Reachability, 'isDown'>): void {
  own.gauge('connected', 'Whether the server answers and the stream is not interrupted: 1 or 0.', () =>
    reach.isDown ? 0 : 1,
  );
}
