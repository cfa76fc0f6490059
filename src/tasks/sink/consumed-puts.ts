/** Puts what was fetched as it was consumed, where the task does all of the processing: see `SinkTask.putConsumed`. */
import { checkConsumedPut, type ConsumedBatch, type ConsumedPut, type SinkTask } from '@millrace/sdk';
import type { FetchedBatch, GroupConsumer, ReadBatch } from '@millrace/kafka-client';
import type { CallClock } from '../call-clock';

/** While puts are fast, one call gets as many records as so many polls: a task in another process waits less. */
const MOST_TIMES = 4;
/** A call that lasts longer puts no further records, so that the loop can do what else is due. */
const LONGEST_MS = 20;

export interface ConsumedPutDependencies {
  readonly task: Pick<SinkTask, 'putConsumed'>;
  readonly connectorClass: string;
  readonly calls: Pick<CallClock, 'during'>;
  readonly consumer: Pick<GroupConsumer, 'peek'>;
  /** What one `put` gets at most. */
  readonly maxPollRecords: number;
}

export class ConsumedPuts {
  private times = 1;

  constructor(private readonly parts: ConsumedPutDependencies) {}

  /** How often `max.poll.records` the next call gets at most. */
  get pollTimes(): number {
    return this.times;
  }

  /** Null: the consumer returns no views. Throws what fails the task. */
  async put(fetched: readonly FetchedBatch[]): Promise<ConsumedPut | null> {
    const { task, connectorClass, calls, consumer, maxPollRecords: most } = this.parts;
    const batches = consumedBatches(fetched);
    if (batches === null) return null;
    const next = (): readonly ConsumedBatch[] => (consumer.peek?.(this.times) ?? []).map(consumedBatch);
    const count = batches.reduce((sum, { records }) => sum + records.length, 0);
    const began = performance.now();
    const returned = await calls.during('put', () => task.putConsumed?.(batches, { most, ms: LONGEST_MS, next }));
    const put = checkConsumedPut(returned, count, most, connectorClass);
    this.adapt(put.taken < count, count, performance.now() - began);
    return put;
  }

  /** What is neither taken nor left is fetched again, so there should be none of it. */
  private adapt(isStopped: boolean, count: number, ms: number): void {
    if (isStopped) this.times = 1;
    else if (count === this.times * this.parts.maxPollRecords && ms < LONGEST_MS / 4)
      this.times = Math.min(MOST_TIMES, this.times * 2);
  }
}

/** Null: the consumer returns no views. */
function consumedBatches(fetched: readonly FetchedBatch[]): ConsumedBatch[] | null {
  const batches: ConsumedBatch[] = [];
  for (const batch of fetched) {
    const { views } = batch;
    if (views === undefined) return null;
    batches.push(consumedBatch({ ...batch, views }));
  }
  return batches;
}

function consumedBatch({ topic, partition, timestampType, views }: ReadBatch): ConsumedBatch {
  return { topic, partition, timestampType, records: views };
}
