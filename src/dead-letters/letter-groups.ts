/** Dead letters that failed for the same reason, whatever values it quotes. Pure. */
import { createHash } from 'node:crypto';
import type { ConsumerRecord } from '@millrace/kafka-client';
import { failureOf } from './failure-of';

/** What grouping needs of a letter. */
export interface LetterOutline {
  readonly partition: number;
  readonly offset: number;
  /** Milliseconds since the epoch; negative: the record has no timestamp. */
  readonly at: number;
  readonly stage: string | null;
  readonly errorClass: string | null;
  readonly message: string | null;
  readonly hasOrigin: boolean;
}

export interface LetterGroup {
  /** Names the group in requests. */
  readonly key: string;
  /** The message, in which `…` stands for values. */
  readonly pattern: string | null;
  /** Of the newest letter. */
  readonly message: string | null;
  readonly stage: string | null;
  readonly errorClass: string | null;
  readonly count: number;
  /** Times of the oldest and the newest letter; null: they have none. */
  readonly first: number | null;
  readonly last: number | null;
  /** Those that say where they came from, the newest first. */
  readonly replayable: readonly { readonly partition: number; readonly offset: string }[];
}

/** Characters of a message that are compared. */
const LONGEST_MESSAGE = 1_000;
const MOST_GROUPS = 200;

export function outlineOf(partition: number, { offset, timestamp, headers }: ConsumerRecord): LetterOutline {
  const { stage, exception, message, topic, partition: from, offset: at } = failureOf(headers);
  const shortened = (text: string | null): string | null => text && text.slice(0, LONGEST_MESSAGE);
  return {
    ...{ partition, offset, at: timestamp, stage: shortened(stage), errorClass: shortened(exception) },
    ...{ message: shortened(message), hasOrigin: topic !== null && from !== null && at !== null },
  };
}

/** @example patternOf('Value 12 of "price" at offset 42') === 'Value … of … at offset …' */
export function patternOf(message: string): string {
  return message
    .slice(0, LONGEST_MESSAGE)
    .replace(/"[^"\n]{0,200}"|`[^`\n]{0,200}`|(?<!\w)'[^'\n]{0,200}'(?!\w)/g, '…')
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-f]*\d)[0-9a-f]{8,64}\b/gi, '…')
    .replace(/\d+/g, '…')
    .replace(/…(?:[-+.,:/ _]{0,2}…)+/g, '…');
}

export function groupKey({ stage, errorClass, message }: LetterOutline): string {
  const text = JSON.stringify([stage, errorClass, message && patternOf(message)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** @param letters the newest first. @returns the group with the newest letter first, at most 200 */
export function letterGroups(letters: readonly LetterOutline[]): readonly LetterGroup[] {
  const found = new Map<string, LetterOutline[]>();
  for (const letter of letters) {
    const key = groupKey(letter);
    const group = found.get(key);
    if (group) group.push(letter);
    else found.set(key, [letter]);
  }
  return [...found].slice(0, MOST_GROUPS).map(([key, group]) => groupOf(key, group));
}

function groupOf(key: string, letters: readonly LetterOutline[]): LetterGroup {
  const { message, stage, errorClass } = letters[0] as LetterOutline;
  const times = letters.map(({ at }) => at).filter((at) => at >= 0);
  return {
    ...{ key, message, stage, errorClass, pattern: message && patternOf(message), count: letters.length },
    first: times.at(-1) ?? null,
    last: times[0] ?? null,
    replayable: letters.flatMap(({ partition, offset, hasOrigin }) =>
      hasOrigin ? [{ partition, offset: String(offset) }] : [],
    ),
  };
}
