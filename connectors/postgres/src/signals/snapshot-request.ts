/** The data of `execute-snapshot` and `stop-snapshot` (cdc-postgres §4.9). */
import { anchored, compileJavaRegex, type JsonObject, type JsonValue } from '@millrace/sdk';
import { isObject } from './signal';

type SnapshotKind = 'incremental' | 'blocking';

export interface SnapshotRequest {
  readonly kind: SnapshotKind;
  /** Regular expressions of `schema.table`; empty: not given. */
  readonly collections: readonly string[];
  /** The first that matches a table applies to it. */
  readonly conditions: readonly { readonly collection: string; readonly filter: string }[];
  readonly surrogateKey: string | null;
}

const MAX_COLLECTIONS = 10_000;
/** Characters: patterns match the names of tables, which are short. */
const MAX_PATTERN_LENGTH = 1000;

/** Throws an Error whose message completes "The signal …". */
export function snapshotRequest(data: JsonObject): SnapshotRequest {
  const kind = (text(data.type, 'type') ?? 'incremental').toLowerCase();
  if (kind !== 'incremental' && kind !== 'blocking')
    throw new Error(`asks for a snapshot of the unknown type "${kind.slice(0, 100)}"; use incremental or blocking`);
  const collections = list(data['data-collections'], 'data-collections').map((one) => pattern(one, 'data-collections'));
  const conditions = list(data['additional-conditions'], 'additional-conditions').map((one) => {
    if (!isObject(one)) throw new Error('has additional-conditions that are not JSON objects');
    const collection = pattern(one['data-collection'], 'additional-conditions');
    return { collection, filter: text(one.filter, 'filter') ?? '' };
  });
  const old = text(data['additional-condition'], 'additional-condition');
  if (old !== null) conditions.push({ collection: '.*', filter: old });
  return {
    kind,
    collections,
    conditions: conditions.filter(({ filter }) => filter.trim() !== ''),
    surrogateKey: text(data['surrogate-key'], 'surrogate-key'),
  };
}

/** Whether the pattern of a signal matches the whole name, ignoring case. */
export function matcherOf(source: string): (table: string) => boolean {
  const compiled = anchored(compileJavaRegex(source, 'i'));
  return (table) => compiled.test(table);
}

/** Whether the pattern of an incremental snapshot matches the whole name, as in Java with its case. */
export function exactMatcherOf(source: string): (table: string) => boolean {
  const compiled = anchored(compileJavaRegex(source));
  return (table) => compiled.test(table);
}

/** The condition of a table; null: every row. */
export function conditionFor(request: SnapshotRequest, table: string): string | null {
  return request.conditions.find(({ collection }) => matcherOf(collection)(table))?.filter ?? null;
}

function list(value: JsonValue | undefined, member: string): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`has ${member} that are not a list`);
  if (value.length > MAX_COLLECTIONS) throw new Error(`has more than ${MAX_COLLECTIONS} ${member}`);
  return value as readonly JsonValue[];
}

function text(value: JsonValue | undefined, member: string): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw new Error(`has a ${member} that is not a text`);
  return value;
}

function pattern(value: JsonValue | undefined, member: string): string {
  const source = text(value, member)?.trim() ?? '';
  if (source === '') throw new Error(`has an empty pattern in ${member}`);
  if (source.length > MAX_PATTERN_LENGTH)
    throw new Error(`has a pattern of more than ${MAX_PATTERN_LENGTH} characters in ${member}`);
  try {
    compileJavaRegex(source, 'i');
  } catch (error) {
    throw new Error(`has an invalid pattern in ${member}: ${(error as Error).message}`, { cause: error });
  }
  return source;
}
