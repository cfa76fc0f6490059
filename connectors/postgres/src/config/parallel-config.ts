/**
 * Settings that split the captured tables over several slots, each read by a task (`slot.count`). One slot is decoded
 * by one process of the server and one task, so it is limited to one core on either side.
 */
import { createHash } from 'node:crypto';
import type { ConnectorConfig } from '@millrace/sdk';
import { KEY } from './definitions';
import { PatternList, patternsProblem, splitList } from './patterns';
import { readSettings } from './settings';

const MAX_SLOTS = 64;

export interface ParallelConfig {
  readonly count: number;
  /** Tables of a given slot; the others are distributed by their names. */
  readonly assigned: readonly SlotTables[];
  /** Differs between any two ways to distribute tables. */
  readonly layout: string;
}

interface SlotTables {
  readonly slot: number;
  readonly tables: PatternList;
}

/** One of several slots. */
export interface SlotPart {
  /** From 0; the number of the task. */
  readonly number: number;
  /** Identifies the source partition: number and layout. */
  readonly id: string;
}

export function parallelConfig(values: ConnectorConfig): ParallelConfig {
  const { get } = readSettings(values);
  const count = get('slotCount');
  const parts = count === 1 ? [] : split(get('slotTables') ?? '');
  const text = parts.map(({ slot, patterns }) => `${slot}:${patterns.join()}`).join(';');
  return {
    count,
    assigned: parts.map(({ slot, patterns }) => ({ slot: Number(slot), tables: new PatternList(patterns) })),
    layout: text === '' ? String(count) : `${count}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`,
  };
}

/** What would be published differently, or not at all, by several tasks. */
const ONE_SLOT_ONLY: readonly (readonly [key: string, why: string])[] = [
  ['provide.transaction.metadata', 'each task sees only the part of a transaction that is in its tables'],
  ['publish.via.partition.root', 'a table and its partitions may belong to different tasks'],
  ['signal.data.collection', 'only the task of that table would receive the signals'],
];

export function checkParallel(values: ConnectorConfig, complain: (name: string, message: string) => void): void {
  const text = values[KEY.slotCount]?.trim() || '1';
  const count = Number(text);
  // Reported as not a positive integer already.
  if (!/^\d+$/.test(text) || count === 0 || count === 1) return;
  if (count > MAX_SLOTS) return complain(KEY.slotCount, `A number of at most ${MAX_SLOTS} is expected`);
  const tasks = Number(values['tasks.max'] ?? 1);
  if (tasks < count)
    complain(KEY.slotCount, `Each slot is read by a task: set tasks.max to ${count} or more; it is ${tasks}`);
  for (const key of [KEY.slotName, KEY.publicationName]) {
    const longest = `${values[key] ?? ''}_${count - 1}`;
    if (Buffer.byteLength(longest) > 63)
      complain(key, `The name of the last one, ${longest}, is longer than 63 characters`);
  }
  for (const [key, why] of ONE_SLOT_ONLY) {
    const value = values[key]?.trim().toLowerCase() ?? '';
    if (value !== '' && value !== 'false') complain(key, `This cannot be used with ${KEY.slotCount} above 1: ${why}`);
  }
  if (splitList(values[KEY.signalEnabledChannels] ?? '').some((name) => name.toLowerCase() === 'file'))
    complain(
      KEY.signalEnabledChannels,
      `file cannot be used with ${KEY.slotCount} above 1: the first task to read the file empties it, so the others would miss its signals; use kafka, or POST /connectors/{name}/signals`,
    );
  checkTables(values[KEY.slotTables] ?? '', count, (message) => complain(KEY.slotTables, message));
}

function checkTables(text: string, count: number, complain: (message: string) => void): void {
  for (const { slot, patterns } of split(text)) {
    if (!/^\d+$/.test(slot) || Number(slot) >= count)
      return complain(
        `"${slot}" is not a slot: <slot>:<pattern>,<pattern>;… is expected, with slots from 0 to ${count - 1}`,
      );
    const reason = patterns.length === 0 ? `slot ${slot} has none` : patternsProblem(patterns);
    if (reason !== null) return complain(`Valid regular expressions are expected after each slot, but ${reason}`);
  }
}

function split(text: string): { slot: string; patterns: string[] }[] {
  return text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const at = part.indexOf(':');
      return at < 0
        ? { slot: part.trim(), patterns: [] }
        : { slot: part.slice(0, at).trim(), patterns: splitList(part.slice(at + 1)) };
    });
}
