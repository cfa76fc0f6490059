/** Which dead letters `millrace dlq show` shows, by its options. */
import { InvalidArgumentError } from 'commander';
import { type OptionSpec, wholeNumber } from '@millrace/cli';
import type { Failure } from '../../../dead-letters/failure-of';

export interface LetterFilter {
  readonly error?: string;
  readonly connector?: string;
  readonly task?: number;
  readonly origin?: string;
  readonly key?: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly until?: number;
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @example parseTime('2026-01-31T12:00:00Z'), parseTime('90m') */
export function parseTime(text: string, now = Date.now()): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (unit !== undefined) return now - Number(count) * UNITS[unit as keyof typeof UNITS];
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be a time (2026-01-31T12:00:00Z), or one ago: 30s, 15m, 2h, 3d.');
  return time;
}

export const FILTER_OPTIONS: readonly OptionSpec[] = [
  { flags: '--error <text>', description: 'only those with this text in the error, its class or its message' },
  { flags: '--origin <place>', description: 'only those from there: topic, topic-partition or topic-partition@offset' },
  { flags: '--key <text>', description: 'only those with this text in the key' },
  { flags: '--connector <name>', description: 'only those of this connector', completes: 'connectors' },
  { flags: '--task <number>', description: 'only those of this task', parse: wholeNumber(0, 2 ** 31 - 1) },
  {
    flags: '--since <time>',
    description: 'only records of this time or later: ISO, or 30s, 15m, 2h, 3d ago',
    parse: (text) => parseTime(text),
  },
  { flags: '--until <time>', description: 'only records before this time', parse: (text) => parseTime(text) },
];

/** All but the key, which must be converted first. */
export function isWanted(filter: LetterFilter, failure: Failure, timestamp: number): boolean {
  const { error, connector, task, origin, since = -Infinity, until = Infinity } = filter;
  return (
    (error === undefined || [failure.exception, failure.message].some((text) => contains(text, error))) &&
    (connector === undefined || failure.connector === connector) &&
    (task === undefined || failure.task === String(task)) &&
    (origin === undefined || placesOf(failure).includes(origin)) &&
    timestamp >= since &&
    timestamp < until
  );
}

/** Case aside. */
export function contains(text: string | null, part: string): boolean {
  return text !== null && text.toLowerCase().includes(part.toLowerCase());
}

/** A topic may end like a partition, so that the whole places are compared. */
function placesOf({ topic, partition, offset }: Failure): readonly string[] {
  return topic === null ? [] : [topic, `${topic}-${partition}`, `${topic}-${partition}@${offset}`];
}
