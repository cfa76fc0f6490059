/**
 * SQL for reading a table piece by piece in the order of its key. The server compares the keys, so collations and types
 * of all kinds are its concern. Pure.
 */
import { quoteIdentifier, quoteLiteral } from './identifiers';

/** Key values as the server prints them, in the order of the key columns. */
export type KeyValues = readonly string[];

interface KeyRangeQuery {
  /** SQL expressions. */
  readonly columns: readonly string[];
  /** A quoted table, or a subquery with an alias. */
  readonly from: string;
  /** Names of the key columns. Rows with NULL in one of them are in no range. */
  readonly key: readonly string[];
  /** Exclusive lower bound; null: none. */
  readonly after: KeyValues | null;
  /** Inclusive upper bound; null: none. */
  readonly upTo: KeyValues | null;
  /** SQL; null: every row. */
  readonly condition: string | null;
  /** Maximum number of rows; null: no limit. */
  readonly limit: number | null;
  /** Also returns the rows that share the key of the last one, for a key that is not unique. PostgreSQL 13. */
  readonly withTies?: boolean;
}

/** The rows of a key range, in the order of the key. */
export function keyRangeQuery(query: KeyRangeQuery): string {
  const { columns, from, key, after, upTo, condition, limit, withTies = false } = query;
  const names = key.map(quoteIdentifier);
  const row = `(${names.join(', ')})`;
  const conditions = [
    ...(after === null ? [] : [`${row} > ${literals(after)}`]),
    ...(upTo === null ? [] : [`${row} <= ${literals(upTo)}`]),
    ...enclosed(condition),
  ];
  const order = ` ORDER BY ${names.join(', ')}`;
  const first = withTies ? ` FETCH FIRST ${limit} ROWS WITH TIES` : ` LIMIT ${limit}`;
  return `SELECT ${columns.join(', ')} FROM ${from}${where(conditions)}${order}${limit === null ? '' : first}`;
}

/** The largest key, as one row of texts; no row for an empty table. */
export function lastKeyQuery(from: string, key: readonly string[], condition: string | null): string {
  const names = key.map(quoteIdentifier);
  const order = names.map((name) => `${name} DESC`).join(', ');
  const conditions = [...names.map((name) => `${name} IS NOT NULL`), ...enclosed(condition)];
  // Under names of their own, because ORDER BY refers to result columns first.
  const texts = names.map((name, i) => `${name}::text AS key_${i}`).join(', ');
  return `SELECT ${texts} FROM ${from}${where(conditions)} ORDER BY ${order} LIMIT 1`;
}

/** The number of rows up to a key, as `count`. */
export function rowCountQuery({
  from,
  key,
  upTo,
  condition,
}: Pick<KeyRangeQuery, 'from' | 'key' | 'condition'> & { readonly upTo: KeyValues }): string {
  const row = `(${key.map(quoteIdentifier).join(', ')})`;
  return `SELECT count(*) FROM ${from}${where([`${row} <= ${literals(upTo)}`, ...enclosed(condition)])}`;
}

/** Untyped literals: each takes the type of the column that it is compared with. */
function literals(values: KeyValues): string {
  return `(${values.map(quoteLiteral).join(', ')})`;
}

/** On a line of its own, so that a comment at its end does not hide the parenthesis. */
function enclosed(condition: string | null): string[] {
  return condition === null ? [] : [`(${condition}\n)`];
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}
