/** Notifies of delivered records: metrics, active topics, and the plugin's `commitRecord`. */
import { type RecordMetadata, type SourceRecord, type SourceTask, messageOf } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';

export interface DeliveredRecordsOptions {
  readonly task: Pick<SourceTask, 'commitRecord'>;
  readonly metrics: TaskMetrics;
  readonly logger: Logger;
  onTopicActive(topic: string): void;
}

export class DeliveredRecords {
  private readonly activeTopics = new Set<string>();
  private lastTopic: string | null = null;
  /** Records finished since the metrics were last updated. */
  private acknowledged = 0;
  private skipped = 0;

  constructor(private readonly options: DeliveredRecordsOptions) {}

  /** Kafka has acknowledged a record. */
  countAcknowledged(topic: string): void {
    if (topic !== this.lastTopic) this.reportTopic(topic);
    if (this.acknowledged++ === 0) setImmediate(this.countFinished);
  }

  countSkipped(): void {
    if (this.skipped++ === 0) setImmediate(this.countFinished);
  }

  forgetTopic(topic: string): void {
    this.activeTopics.delete(topic);
    if (this.lastTopic === topic) this.lastTopic = null;
  }

  notifyTask(record: SourceRecord, metadata: RecordMetadata | null): void {
    const { task, logger } = this.options;
    if (!task.commitRecord) return;
    try {
      task.commitRecord(record, metadata);
    } catch (error) {
      logger.error(`Ignoring an error of commitRecord(): ${messageOf(error)}`, { error });
    }
  }

  /** Once for all records of an acknowledgement, not for each. */
  private readonly countFinished = (): void => {
    if (this.acknowledged + this.skipped === 0) return;
    this.options.metrics.source.finished(this.acknowledged, this.skipped);
    this.acknowledged = 0;
    this.skipped = 0;
  };

  private reportTopic(topic: string): void {
    this.lastTopic = topic;
    if (this.activeTopics.has(topic)) return;
    this.activeTopics.add(topic);
    this.options.onTopicActive(topic);
  }
}
