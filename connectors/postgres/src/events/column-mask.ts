/** Values that are published hidden or shortened (cdc-postgres §7.5). Applied where rows are built of their cells. */
import { createHash } from 'node:crypto';
import type { Schema } from '@millrace/sdk';
import type { ColumnMask, SaltedHash } from '../config/column-mask-config';
import { serializedJavaString } from '../values/java-string';
import { UNBOUNDED, type SourceType } from '../values/source-type';
import type { ValueType } from '../values/value-type';

export interface AppliedMask {
  /** Members of the field's schema. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Null: values of this type are published as they are. Not called for null. */
  readonly apply: ((value: unknown) => unknown) | null;
  /** Published for null. */
  readonly ofNull: unknown;
}

/** Types whose values hide behind asterisks or a hash; enums, too. Debezium leaves out `citext`. */
const TEXT_TYPES = new Set(['varchar', 'text', 'bpchar', 'char', 'name', 'citext']);

/**
 * The first mask that matches the column and can change its values; if none can, the first that matches.
 * @param column `schema.table.column`
 */
export function appliedMask(
  masks: readonly ColumnMask[],
  column: string,
  type: ValueType,
  source: SourceType | null,
): AppliedMask | null {
  const matching = masks.flatMap((mask) => (mask.columns.matches(column) ? (applied(mask, type, source) ?? []) : []));
  return matching.find(({ apply }) => apply !== null) ?? matching[0] ?? null;
}

function applied(mask: ColumnMask, type: ValueType, source: SourceType | null): AppliedMask | null {
  const length = source?.length ?? UNBOUNDED;
  if (mask.kind === 'truncate') {
    const max = mask.length;
    // Shorter columns need no truncation, and their schema says nothing of it.
    if (length <= max) return null;
    return { parameters: { truncateLength: String(max) }, apply: truncation(type.schema, max), ofNull: null };
  }
  const parameters = { masked: 'true' };
  const isText = source !== null && (source.base.kind === 'e' || TEXT_TYPES.has(source.base.name));
  if (!isText || type.schema.type !== 'STRING') return { parameters, apply: null, ofNull: null };
  if (mask.kind === 'asterisks') {
    const asterisks = '*'.repeat(mask.length);
    return { parameters, apply: () => asterisks, ofNull: asterisks };
  }
  return { parameters, apply: (value) => digest(mask.hash, value as string).slice(0, length), ofNull: null };
}

/** Of texts, by UTF-16 units, and of binary values, by bytes. Bits and decimals are bytes with a name. */
function truncation({ type, name }: Schema, max: number): AppliedMask['apply'] {
  if (type === 'STRING') return (value) => (value as string).slice(0, max);
  if (type !== 'BYTES' || name !== null) return null;
  // A copy, so that a short value does not keep a long one in memory.
  return (value) =>
    Buffer.isBuffer(value) && value.length > max ? Buffer.from(value.subarray(0, max)) : (value as Buffer);
}

function digest({ version, algorithm, salt }: SaltedHash, text: string): string {
  return createHash(algorithm)
    .update(salt)
    .update(version === 1 ? serializedJavaString(text) : text)
    .digest('hex');
}

/** What an operator must know about a mask, or null. */
export function maskWarning(column: string, { apply }: AppliedMask, inKey: boolean): string | null {
  if (apply === null)
    return `Column ${column} is published as it is: masks apply to text, truncation to text and bytea, and its type is another one. Leave the column out with column.exclude.list if it must not be published.`;
  if (!inKey) return null;
  return `Column ${column} is masked in rows, but not in the record key, which it is a part of: keys are never masked. Name other columns for the key with message.key.columns if it must not be published.`;
}
