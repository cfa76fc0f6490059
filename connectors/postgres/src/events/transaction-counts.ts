/**
 * Counts of the events of a transaction by table, as members of offsets: one for each table, as Debezium has them, or
 * one for all if these would be too large to store (cdc-postgres §6.1).
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ConnectError, type SourceOffset } from '@millrace/sdk';
import { MAX_OFFSET_BYTES, MAX_PLAIN_COUNTS_BYTES } from './offset-limits';

/** Before the table's name. */
const PLAIN = 'transaction_data_collection_order_';
/** base64 of raw deflate of a JSON array of pairs of a table and its count. Not `PLAIN`: Debezium ignores it. */
const COMPRESSED = 'transaction_compressed_orders';
/** Fewer tables are never too large, whatever their names. */
const ALWAYS_PLAIN = 200;
/** Quotes, colon, comma and digits of a member. */
const AROUND = 16;
const MAX_TEXT_BYTES = 32 * 1024 * 1024;
/** Several times as fast as the default, and about as small. */
const FASTEST = { level: 1 };

type Counts = ReadonlyMap<string, number>;

/** Throws a ConnectError for counts that fit in no offset beside the members that `offset` has. */
export function addCounts(offset: Record<string, SourceOffset[string]>, counts: Counts, xid: string): void {
  if (counts.size <= ALWAYS_PLAIN || plainBytes(counts) <= MAX_PLAIN_COUNTS_BYTES) {
    for (const [table, count] of counts) offset[PLAIN + table] = count;
    return;
  }
  const text = Buffer.from(JSON.stringify([...counts]));
  const compressed = deflateRawSync(text, FASTEST).toString('base64');
  const free = MAX_OFFSET_BYTES - bytesOfTexts(offset);
  if (compressed.length > free || text.length > MAX_TEXT_BYTES)
    throw new ConnectError(
      `Transaction ${xid} has changed ${counts.size} tables so far: their counts take ${compressed.length} bytes of an offset, which has room for ${free}. Set provide.transaction.metadata=false, so that offsets are without them; the task then continues where it stopped`,
      { code: 'PG_OFFSET_TOO_LARGE' },
    );
  offset[COMPRESSED] = compressed;
}

/** Those of a stored offset, in either form. Throws a ConnectError for a compressed member that cannot be read. */
export function readCounts(offset: SourceOffset): Map<string, number> {
  const compressed = offset[COMPRESSED];
  if (compressed != null) return decompressed(compressed);
  const counts = new Map<string, number>();
  for (const [name, count] of Object.entries(offset))
    if (name.startsWith(PLAIN) && typeof count === 'number') counts.set(name.slice(PLAIN.length), count);
  return counts;
}

function plainBytes(counts: Counts): number {
  let bytes = counts.size * (PLAIN.length + AROUND);
  for (const table of counts.keys()) bytes += Buffer.byteLength(JSON.stringify(table));
  return bytes;
}

/** Those of numbers are few. */
function bytesOfTexts(offset: SourceOffset): number {
  let bytes = 0;
  for (const value of Object.values(offset))
    if (typeof value === 'string') bytes += Buffer.byteLength(JSON.stringify(value));
  return bytes;
}

function decompressed(member: unknown): Map<string, number> {
  try {
    if (typeof member !== 'string') throw new TypeError('it is not a text');
    const bytes = inflateRawSync(Buffer.from(member, 'base64'), { maxOutputLength: MAX_TEXT_BYTES });
    const pairs: unknown = JSON.parse(bytes.toString());
    if (!Array.isArray(pairs) || !pairs.every(isPair)) throw new TypeError('it is not a list of tables and counts');
    return new Map(pairs);
  } catch (cause) {
    throw new ConnectError(
      `The offset member "${COMPRESSED}" cannot be read: ${(cause as Error).message}. Remove it from the offset; the orders of the transaction that the offset is in then start again at 1`,
      { code: 'PG_OFFSET', cause },
    );
  }
}

function isPair(pair: unknown): pair is [string, number] {
  return Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && Number.isSafeInteger(pair[1]);
}
