/** JSON text to plain values, by whichever parser is exact enough. */
import { DataError, safeInteger } from '@millrace/sdk';
import { exactNumber, JsonNumber, longNumber, MAX_DEPTH, parseExact } from '@millrace/texts/json';

/** A run of digits that a double may not hold. */
const LONG_NUMBER = /\d{16}/;
const BLANK = /^[ \t\r\n]*$/;

export interface TreeOptions {
  /** Every number as a `JsonNumber`, for decimals whose digits matter. */
  readonly exact?: boolean;
  /** Nothing but blanks may follow the value. */
  readonly whole?: boolean;
}

/** Null for a blank text. Integers that a double may not hold are `JsonNumber`s. Throws DataError `CONVERTER_JSON`. */
export function parseTree(text: string, topic: string, { exact = false, whole = false }: TreeOptions = {}): unknown {
  if (!exact && !LONG_NUMBER.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // Java is more lenient: leading zeros and trailing text.
    }
  }
  if (!whole && BLANK.test(text)) return null;
  try {
    return parseExact(text, exact ? exactNumber : longNumber, whole);
  } catch (error) {
    throw notJson(error as Error, topic);
  }
}

export function notJson(cause: Error, topic: string): DataError {
  return new DataError(
    `Converting byte[] to Kafka Connect data failed due to serialization error: the record is not JSON (${cause.message}). ` +
      `Check which converter wrote topic "${topic}".`,
    { code: 'CONVERTER_JSON', cause, place: { topic } },
  );
}

/**
 * Schemaless data: integers as number, or as bigint outside ±2^53 (wrapped to 64 bits as in Java), others as number.
 * Zero has no sign, because Java reads `-0` as an integer and `-0.0` as a decimal.
 */
export function plain(tree: unknown, topic: string, depth = 1): unknown {
  if (typeof tree !== 'object' || tree === null) return tree === 0 ? 0 : tree;
  if (tree instanceof JsonNumber) return tree.integral ? safeInteger(tree.toBigInt()) : tree.toNumber();
  expectDepth(depth, topic);
  if (Array.isArray(tree)) return tree.map((element) => plain(element, topic, depth + 1));
  for (const key of Object.keys(tree)) {
    const member = (tree as Record<string, unknown>)[key];
    if (typeof member === 'object' && member !== null) {
      Object.defineProperty(tree, key, {
        value: plain(member, topic, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else if (Object.is(member, -0)) (tree as Record<string, unknown>)[key] = 0;
  }
  return tree;
}

/** Throws DataError for a tree that is nested too deep for recursion. */
export function expectShallow(tree: unknown, topic: string, depth = 1): void {
  if (typeof tree !== 'object' || tree === null) return;
  expectDepth(depth, topic);
  for (const member of Object.values(tree)) expectShallow(member, topic, depth + 1);
}

/** `JSON.parse` has no such limit, but recursion over its result would overflow the stack. */
function expectDepth(depth: number, topic: string): void {
  if (depth <= MAX_DEPTH) return;
  throw new DataError(
    `Converting byte[] to Kafka Connect data failed due to serialization error: the record's JSON is nested deeper than ${MAX_DEPTH} levels.`,
    { code: 'CONVERTER_JSON', place: { topic } },
  );
}
