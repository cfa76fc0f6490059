/** Translates the supported subset of the query language to SQL with typed columns. Source: analytics-sink §7.6. */
import { badRequest } from '../kusto-error';
import { typeFacts, type Column, type ColumnType } from '../engine/column-types';
import type { Selection } from '../engine/run-selection';
import { quoteName, quoteText } from '../engine/sql-names';
import type { Reader } from './reader';

/** The stages after the first: `| …` to the end. */
export function pipeline(reader: Reader, source: Selection): Selection {
  let selection = source;
  while (reader.skip('|')) selection = stage(reader, selection);
  reader.end();
  return selection;
}

/** `print x=1, 'text'` */
export function print(reader: Reader): Selection {
  const columns: Column[] = [];
  const values: string[] = [];
  do {
    const value = literalOrNamed(reader, columns.length);
    columns.push({ name: value.name, type: value.type });
    values.push(`${value.sql} AS ${quoteName(value.name)}`);
  } while (reader.skip(','));
  return { sql: `SELECT ${values.join(', ')}`, columns };
}

function literalOrNamed(reader: Reader, index: number): Literal & { name: string } {
  const unnamed = reader.nextIsString() || reader.nextIsNumber() ? literal(reader) : tryLiteral(reader);
  if (unnamed) return { ...unnamed, name: `print_${index}` };
  const name = reader.name();
  reader.expect('=');
  return { ...literal(reader), name };
}

function stage(reader: Reader, from: Selection): Selection {
  const operator = reader.oneOf(
    'count',
    'take',
    'limit',
    'where',
    'project',
    'order by',
    'sort by',
    'summarize',
    'distinct',
  );
  switch (operator) {
    case 'count':
      return { sql: `SELECT count(*) AS "Count" FROM (${from.sql})`, columns: [{ name: 'Count', type: 'long' }] };
    case 'take':
    case 'limit':
      return { ...from, sql: `SELECT * FROM (${from.sql}) LIMIT ${Number(reader.number())}` };
    case 'where':
      return { ...from, sql: `SELECT * FROM (${from.sql}) WHERE ${disjunction(reader, from)}` };
    case 'project':
      return selectColumns(from, names(reader, from), '');
    case 'distinct':
      return selectColumns(from, reader.skip('*') ? from.columns : names(reader, from), 'DISTINCT ');
    case 'summarize':
      return summarize(reader, from);
    default:
      return order(reader, from);
  }
}

function selectColumns(from: Selection, columns: readonly Column[], how: string): Selection {
  return { sql: `SELECT ${how}${columns.map(({ name }) => quoteName(name)).join(', ')} FROM (${from.sql})`, columns };
}

function names(reader: Reader, from: Selection): Column[] {
  const columns: Column[] = [];
  do columns.push(column(reader, from));
  while (reader.skip(','));
  return columns;
}

function column(reader: Reader, from: Selection): Column {
  const name = reader.name();
  const found = from.columns.find((candidate) => candidate.name === name);
  if (!found) throw badRequest(`Failed to resolve column named '${name}'`, 'SEM0100');
  return found;
}

function summarize(reader: Reader, from: Selection): Selection {
  const name = aggregateName(reader);
  reader.expect('count', '(', ')');
  const by = reader.skip('by') ? names(reader, from) : [];
  const grouped = by.map(({ name }) => quoteName(name));
  const select = [...grouped, `count(*) AS ${quoteName(name)}`].join(', ');
  const group = grouped.length > 0 ? ` GROUP BY ${grouped.join(', ')}` : '';
  return { sql: `SELECT ${select} FROM (${from.sql})${group}`, columns: [...by, { name, type: 'long' }] };
}

/** `n=count()`: an aggregate may have a name. */
function aggregateName(reader: Reader): string {
  if (reader.nextIs('count', '(')) return 'count_';
  const name = reader.name();
  reader.expect('=');
  return name;
}

function order(reader: Reader, from: Selection): Selection {
  const keys: string[] = [];
  do {
    const key = column(reader, from);
    // Descending is the language's default.
    const ascending = reader.skip('asc');
    if (!ascending) reader.skip('desc');
    keys.push(`${quoteName(key.name)} ${ascending ? 'ASC NULLS FIRST' : 'DESC NULLS LAST'}`);
  } while (reader.skip(','));
  return { ...from, sql: `SELECT * FROM (${from.sql}) ORDER BY ${keys.join(', ')}` };
}

function disjunction(reader: Reader, from: Selection): string {
  const parts = [conjunction(reader, from)];
  while (reader.skip('or')) parts.push(conjunction(reader, from));
  return `(${parts.join(' OR ')})`;
}

function conjunction(reader: Reader, from: Selection): string {
  const parts = [condition(reader, from)];
  while (reader.skip('and')) parts.push(condition(reader, from));
  return `(${parts.join(' AND ')})`;
}

const COMPARISONS: Record<string, string> = { '==': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' };

function condition(reader: Reader, from: Selection): string {
  if (reader.skip('(')) {
    const inner = disjunction(reader, from);
    reader.expect(')');
    return inner;
  }
  for (const [word, test] of [
    ['isnull', 'IS NULL'],
    ['isnotnull', 'IS NOT NULL'],
  ] as const)
    if (reader.skip(word, '(')) {
      const subject = column(reader, from);
      reader.expect(')');
      return `${quoteName(subject.name)} ${test}`;
    }
  const subject = column(reader, from);
  const name = quoteName(subject.name);
  const operator = reader.oneOf('==', '!=', '<=', '>=', '<', '>', 'has', 'contains', 'startswith', 'in');
  if (operator === 'in') {
    reader.expect('(');
    const values: string[] = [];
    do values.push(comparable(reader, subject.type));
    while (reader.skip(','));
    reader.expect(')');
    return `${name} IN (${values.join(', ')})`;
  }
  const value = comparable(reader, subject.type);
  const text = `lower(CAST(${name} AS VARCHAR))`;
  switch (operator) {
    case 'has':
      // A whole term: not adjacent to an alphanumeric character.
      return `regexp_matches(${text}, '(^|[^a-z0-9])' || regexp_escape(lower(${value})) || '($|[^a-z0-9])')`;
    case 'contains':
      return `contains(${text}, lower(${value}))`;
    case 'startswith':
      return `starts_with(${text}, lower(${value}))`;
    default:
      return `${name} ${COMPARISONS[operator] ?? '='} ${value}`;
  }
}

function comparable(reader: Reader, type: ColumnType): string {
  const value = literal(reader);
  if (value.type === 'string' && type !== 'string' && type !== 'dynamic') return typeFacts(type).fromText(value.sql);
  return value.sql;
}

interface Literal {
  readonly sql: string;
  readonly type: ColumnType;
}

function literal(reader: Reader): Literal {
  if (reader.nextIsString()) return { sql: quoteText(reader.string()), type: 'string' };
  if (reader.nextIsNumber()) {
    const text = reader.number();
    return /^-?[0-9]+$/.test(text)
      ? { sql: `CAST(${text} AS BIGINT)`, type: 'long' }
      : { sql: `CAST(${text} AS DOUBLE)`, type: 'real' };
  }
  const found = tryLiteral(reader);
  if (!found) throw reader.unexpected('a literal');
  return found;
}

/** `true`, `false`, `datetime(…)`, `guid(…)`, `long(…)`. */
function tryLiteral(reader: Reader): Literal | null {
  for (const word of ['true', 'false']) if (reader.skip(word)) return { sql: word, type: 'bool' };
  for (const type of ['datetime', 'guid', 'timespan', 'long', 'int', 'real', 'decimal', 'bool', 'dynamic'] as const)
    if (reader.skip(type, '(')) {
      // `datetime(2007-01-01T00:00:00Z)` needs no quotes.
      const text = reader.nextIsString() ? reader.string() : reader.rawUntil(')');
      reader.expect(')');
      return { sql: typeFacts(type).fromText(quoteText(text)), type };
    }
  return null;
}
