/**
 * Why partitions are paused, and so which are: the task asked for it, the connector is paused, a batch waits to be put
 * again, or dead letters wait for Kafka. Source: connect-runtime §5.4, §5.6, §5.7.
 */
import type { TopicPartition } from '@millrace/sdk';
import type { GroupConsumer } from '../../kafka/port';
import { includes } from './sink-offsets';

export class SinkPauses {
  private byTask: TopicPartition[] = [];
  private connectorPaused = false;
  private redelivering = false;
  private crowded = false;

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
    if (this.crowded === waiting) return;
    this.crowded = waiting;
    this.apply();
  }

  get deadLetters(): boolean {
    return this.crowded;
  }

  /** Partitions no longer owned lose their pause. */
  forget(partitions: readonly TopicPartition[]): void {
    this.byTask = this.byTask.filter((p) => !includes(partitions, p));
  }

  /** Tells the consumer; also after an assignment, whose partitions come unpaused. */
  apply(): void {
    const assigned = this.consumer.assignment();
    const all = this.connectorPaused || this.redelivering || this.crowded;
    const paused = all ? assigned : assigned.filter((p) => includes(this.byTask, p));
    const running = all ? [] : assigned.filter((p) => !includes(this.byTask, p));
    if (paused.length > 0) this.consumer.pause(paused);
    if (running.length > 0) this.consumer.resume(running);
  }
}
