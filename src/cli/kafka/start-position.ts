/** Where a command begins to read a topic: the option `--from`. */
import { InvalidArgumentError } from 'commander';
import type { Admin, TopicPartition } from '../../kafka/port';

export type StartPosition =
  { readonly at: 'beginning' | 'end' } | { readonly at: 'offset' | 'last' | 'time'; readonly value: number };

/** @example parseStart('beginning'), parseStart('42'), parseStart('-10'), parseStart('2026-01-31T12:00:00Z') */
export function parseStart(text: string): StartPosition {
  if (text === 'beginning' || text === 'end') return { at: text };
  if (/^\d{1,15}$/.test(text)) return { at: 'offset', value: Number(text) };
  if (/^-\d{1,15}$/.test(text)) return { at: 'last', value: -Number(text) };
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be beginning, end, an offset, -N for the last N, or a time in ISO format.');
  return { at: 'time', value: time };
}

export interface PartitionRange {
  readonly partition: number;
  /** First offset to read. */
  readonly from: number;
  /** Offset after the last one that exists now. */
  readonly end: number;
}

/** The offsets from which each partition is read. */
export async function rangesFrom(
  admin: Pick<Admin, 'listOffsets'>,
  partitions: readonly TopicPartition[],
  start: StartPosition,
): Promise<PartitionRange[]> {
  const earliest = await admin.listOffsets(partitions, 'earliest');
  // Uncommitted records are skipped, so that waiting for an end that is not visible yet would last.
  const latest = await admin.listOffsets(partitions, 'latest', 'read_committed');
  const atTime = start.at === 'time' ? await admin.listOffsets(partitions, { timestamp: start.value }) : [];
  return partitions.map(({ partition }) => {
    const offsetIn = (list: typeof latest): number | undefined =>
      list.find((entry) => entry.partition === partition)?.offset;
    const first = offsetIn(earliest) ?? 0;
    const end = offsetIn(latest) ?? 0;
    const found = offsetIn(atTime) ?? -1;
    return { partition, end, from: Math.min(Math.max(startOf(start, first, end, found), first), end) };
  });
}

function startOf(start: StartPosition, first: number, end: number, found: number): number {
  switch (start.at) {
    case 'beginning':
      return first;
    case 'end':
      return end;
    case 'offset':
      return start.value;
    case 'last':
      return end - start.value;
    case 'time':
      return found < 0 ? end : found;
  }
}
