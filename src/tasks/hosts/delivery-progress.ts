/**
 * Since when Kafka has not acknowledged any of the records that a source task has polled. Read from the task's metrics,
 * so that no record costs anything.
 */
import type { SourceMetrics } from '../../metrics/source-metrics';
import { TaskMetrics } from '../../metrics/task-metrics';
import type { TaskSpec } from '../host';

export class DeliveryProgress {
  private finished = 0;
  private since: number | null = null;

  constructor(
    private readonly metrics: Pick<SourceMetrics, 'polled' | 'active'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Absolute, milliseconds; null: no record is waiting, or one was acknowledged or skipped since the last call. */
  unacknowledged(): { readonly since: number; readonly records: number } | null {
    const records = this.metrics.active.value;
    const finished = this.metrics.polled.value - records;
    const progressed = finished !== this.finished;
    this.finished = finished;
    if (records === 0 || progressed) this.since = null;
    if (records === 0) return null;
    this.since ??= this.now();
    return { since: this.since, records };
  }
}

/** Null for sinks, and without metrics. */
export function deliveriesOf({ type, metrics }: TaskSpec): DeliveryProgress | null {
  return type === 'source' && metrics !== undefined ? new DeliveryProgress(TaskMetrics.in(metrics).source) : null;
}
