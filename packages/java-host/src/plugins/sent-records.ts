import type { SinkRecord, TopicPartition } from '@millrace/sdk';
import type { HostValue } from '../wire/host-value';

/** The records that the host keeps, in the order of their numbers. */
export class SentRecords {
  private readonly numbers = new Map<SinkRecord, number>();
  private readonly records = new Map<number, SinkRecord>();
  private next = 0;

  /** Also the host's: it is sent with this number. */
  add(record: SinkRecord): number {
    const number = this.next++;
    this.numbers.set(record, number);
    this.records.set(number, record);
    return number;
  }

  numberOf(record: SinkRecord): number | undefined {
    return this.numbers.get(record);
  }

  recordOf(number: number): SinkRecord | undefined {
    return this.records.get(number);
  }

  /** Of these records, which are all known. */
  rangesOf(records: readonly SinkRecord[]): HostValue[] {
    return ranges(records.map((record) => this.numbers.get(record) as number));
  }

  /** All up to the last one of these, and all of them if there are none: the runtime puts nothing before them again. */
  discardPut(records: readonly SinkRecord[]): HostValue[] {
    let last = records.length === 0 ? this.next - 1 : -1;
    for (const record of records) last = Math.max(last, this.numbers.get(record) ?? -1);
    const discarded: number[] = [];
    for (const number of this.records.keys()) {
      if (number > last) break;
      discarded.push(number);
    }
    return this.discard(discarded);
  }

  discardOf(partitions: readonly TopicPartition[]): HostValue[] {
    const discarded: number[] = [];
    for (const [number, { originalTopic, originalPartition }] of this.records)
      if (partitions.some(({ topic, partition }) => topic === originalTopic && partition === originalPartition))
        discarded.push(number);
    return this.discard(discarded);
  }

  private discard(discarded: readonly number[]): HostValue[] {
    for (const number of discarded) {
      this.numbers.delete(this.records.get(number) as SinkRecord);
      this.records.delete(number);
    }
    return ranges(discarded);
  }
}

/** [first, last] of consecutive numbers, in their order. */
function ranges(numbers: readonly number[]): HostValue[] {
  const list: [number, number][] = [];
  let current: [number, number] | null = null;
  for (const number of numbers) {
    if (current !== null && number === current[1] + 1) current[1] = number;
    else list.push((current = [number, number]));
  }
  return list;
}
