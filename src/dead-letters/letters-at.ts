/** Reads the dead letters at given offsets of a topic, one partition after another. */
import type { ConsumerRecord, TopicPartition } from '@millrace/kafka-client';
import { recordRanges, type TopicReaders } from '../records/record-ranges';

export interface LetterAt {
  readonly partition: number;
  readonly offset: number;
}

const POLL_MS = 500;

/**
 * Each with its record, whose buffers are valid until the next one; null: there is none, because it was deleted or
 * compacted, or never existed. Ends early when the signal is aborted.
 */
export async function* lettersAt(
  { admin, consumer }: TopicReaders,
  topic: string,
  wanted: readonly LetterAt[],
  signal: AbortSignal,
): AsyncGenerator<LetterAt & { readonly record: ConsumerRecord | null }> {
  const wake = (): void => consumer.wakeup();
  signal.addEventListener('abort', wake);
  try {
    for (const [partition, offsets] of await existing(admin, topic, wanted)) {
      for (const offset of offsets.absent) yield { partition, offset, record: null };
      yield* inPartition(consumer, { topic, partition }, offsets.present, signal);
    }
  } finally {
    signal.removeEventListener('abort', wake);
  }
}

interface Offsets {
  /** Ascending, each once. */
  readonly present: number[];
  readonly absent: number[];
}

/** A consumer that seeks an offset that does not exist would continue elsewhere. */
async function existing(
  admin: TopicReaders['admin'],
  topic: string,
  wanted: readonly LetterAt[],
): Promise<Map<number, Offsets>> {
  const ranges = await recordRanges(admin, topic);
  const found = new Map<number, Offsets>();
  for (const { partition, offset } of [...wanted].sort((a, b) => a.offset - b.offset)) {
    const offsets = found.get(partition) ?? { present: [], absent: [] };
    found.set(partition, offsets);
    const range = ranges.find((each) => each.partition === partition);
    const list = range && offset >= range.first && offset < range.end ? offsets.present : offsets.absent;
    if (list.at(-1) !== offset) list.push(offset);
  }
  return found;
}

async function* inPartition(
  consumer: TopicReaders['consumer'],
  at: TopicPartition,
  offsets: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<LetterAt & { readonly record: ConsumerRecord | null }> {
  const { partition } = at;
  const left = [...offsets];
  if (left.length === 0) return;
  consumer.assign([at]);
  while (left.length > 0 && !signal.aborted) {
    const next = left[0] as number;
    if (consumer.position(at) !== next) consumer.seek({ ...at, offset: next });
    while ((consumer.position(at) ?? 0) <= next && !signal.aborted) {
      for (const { records, nextOffset } of await consumer.poll(POLL_MS)) {
        while (left.length > 0 && (left[0] as number) < nextOffset) {
          const offset = left.shift() as number;
          yield { partition, offset, record: records.find((record) => record.offset === offset) ?? null };
        }
      }
    }
  }
}
