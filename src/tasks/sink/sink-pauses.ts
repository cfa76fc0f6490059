/**
 * Pauses partitions for four reasons: the task requested it, the connector is paused, a batch is being retried, or dead
 * letters wait for Kafka. Source: connect-runtime §5.4, §5.6, §5.7.
 */
import type { TopicPartition } from '@millrace/sdk';
import type { GroupConsumer } from '@millrace/kafka-client';
import { includes } from './sink-offsets';

export class SinkPauses {
  private byTask: TopicPartition[] = [];
  private connectorPaused = false;
  private redelivering = false;
  private deadLettersCongested = false;

  constructor(private readonly consumer: Pick<GroupConsumer, 'pause' | 'resume' | 'assignment'>) {}

  pauseByTask(partitions: readonly TopicPartition[]): void {
    this.byTask.push(...partitions.filter((p) => !includes(this.byTask, p)));
    this.apply();
  }

  resumeByTask(partitions: readonly TopicPartition[]): void {
    this.byTask = this.byTask.filter((p) => !includes(partitions, p));
    this.apply();
  }

  set connector(paused: boolean) {
    this.connectorPaused = paused;
    this.apply();
  }

  get connector(): boolean {
    return this.connectorPaused;
  }

  set redelivery(active: boolean) {
    if (this.redelivering === active) return;
    this.redelivering = active;
    this.apply();
  }

  get redelivery(): boolean {
    return this.redelivering;
  }

  set deadLetters(waiting: boolean) {
    if (this.deadLettersCongested === waiting) return;
    this.deadLettersCongested = waiting;
    this.apply();
  }

  get deadLetters(): boolean {
    return this.deadLettersCongested;
  }

  /** For partitions that are no longer owned. */
  forget(partitions: readonly TopicPartition[]): void {
    this.byTask = this.byTask.filter((p) => !includes(partitions, p));
  }

  /** Updates the consumer; also after an assignment, whose partitions are not paused. */
  apply(): void {
    const assigned = this.consumer.assignment();
    const all = this.connectorPaused || this.redelivering || this.deadLettersCongested;
    const paused = all ? assigned : assigned.filter((p) => includes(this.byTask, p));
    const running = all ? [] : assigned.filter((p) => !includes(this.byTask, p));
    if (paused.length > 0) this.consumer.pause(paused);
    if (running.length > 0) this.consumer.resume(running);
  }
}
