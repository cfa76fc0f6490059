import type { SinkRecord, TopicPartition } from '@millrace/sdk';
import type { HostValue } from '../wire/host-value';

const UNKNOWN = -1;

/**
 * The records that the host keeps, in the order of their numbers. A list without an index: records are put in that
 * order, so each is found where the one before it was, and nothing is allocated for one.
 */
export class SentRecords {
  /** Null: it is discarded, and one before it is not. */
  private kept: (SinkRecord | null)[] = [];
  /** Number of the first one. */
  private first = 0;

  /** Also the host's: it is sent with this number. */
  add(record: SinkRecord): number {
    return this.first + this.kept.push(record) - 1;
  }

  /** The number of the next one. */
  get next(): number {
    return this.first + this.kept.length;
  }

  /** The next ones are not kept. */
  skip(count: number): void {
    if (this.kept.length === 0) this.first += count;
    else for (let left = count; left > 0; left--) this.kept.push(null);
  }

  numberOf(record: SinkRecord): number | undefined {
    const [number] = this.numbersOf([record]);
    return number === UNKNOWN ? undefined : number;
  }

  recordOf(number: number): SinkRecord | undefined {
    return this.kept[number - this.first] ?? undefined;
  }

  /** Those of these records that the host does not keep. */
  unknownOf(records: readonly SinkRecord[]): readonly SinkRecord[] {
    const numbers = this.numbersOf(records);
    return numbers.includes(UNKNOWN) ? records.filter((_record, at) => numbers[at] === UNKNOWN) : [];
  }

  /** Of these records, which are all known. */
  rangesOf(records: readonly SinkRecord[]): HostValue[] {
    return ranges(this.numbersOf(records));
  }

  /** All up to the last one of these, and all of them if there are none: the runtime puts nothing before them again. */
  discardPut(records: readonly SinkRecord[]): HostValue[] {
    const { first, kept } = this;
    let end = records.length === 0 ? kept.length : 0;
    for (const number of this.numbersOf(records)) end = Math.max(end, number - first + 1);
    const discarded: number[] = [];
    for (let at = 0; at < end; at++) if (kept[at] !== null) discarded.push(first + at);
    this.drop(end);
    return ranges(discarded);
  }

  discardOf(partitions: readonly TopicPartition[]): HostValue[] {
    const { first, kept } = this;
    const discarded: number[] = [];
    for (const [at, record] of kept.entries()) {
      if (record === null || !isOf(record, partitions)) continue;
      discarded.push(first + at);
      kept[at] = null;
    }
    const begin = kept.findIndex((record) => record !== null);
    this.drop(begin === -1 ? kept.length : begin);
    return ranges(discarded);
  }

  private drop(count: number): void {
    this.kept = this.kept.slice(count);
    this.first += count;
  }

  private numbersOf(records: readonly SinkRecord[]): number[] {
    const { first, kept } = this;
    let next = 0;
    return records.map((record) => {
      let at = kept.indexOf(record, next);
      // It does not come after the one before it.
      if (at === -1 && next > 0) at = kept.indexOf(record);
      if (at === -1) return UNKNOWN;
      next = at + 1;
      return first + at;
    });
  }
}

function isOf({ originalTopic, originalPartition }: SinkRecord, partitions: readonly TopicPartition[]): boolean {
  return partitions.some(({ topic, partition }) => topic === originalTopic && partition === originalPartition);
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
