/** The service's column types and their DuckDB equivalents. Source: analytics-sink §7.7. */
import { badRequest } from '../kusto-error';

export type ColumnType =
  'bool' | 'int' | 'long' | 'real' | 'decimal' | 'string' | 'datetime' | 'timespan' | 'guid' | 'dynamic';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

interface TypeFacts {
  /** Column definition. */
  readonly sql: string;
  /** The .NET type name in v1 responses. */
  readonly dataType: string;
  /** SQL that parses a text into the column's value. Invalid text becomes null, or empty for strings. */
  fromText(text: string): string;
  /** SQL for the value in a response. */
  toReply(value: string): string;
}

const same = (value: string): string => value;
const digits = (text: string, type: string): string =>
  `CASE WHEN regexp_full_match(trim(${text}), '[+-]?[0-9]+') THEN try_cast(trim(${text}) AS ${type}) END`;
const TIMESPAN = String.raw`'^(-)?(?:([0-9]+)\.)?([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,7}))?$'`;

/** `d.hh:mm:ss.fffffff` as ticks of 100 ns. */
function timespanTicks(text: string): string {
  const part = (group: number): string =>
    `coalesce(try_cast(nullif(regexp_extract(trim(${text}), ${TIMESPAN}, ${group}), '') AS BIGINT), 0)`;
  const fraction = `rpad(regexp_extract(trim(${text}), ${TIMESPAN}, 6), 7, '0')`;
  const seconds = `((${part(2)} * 24 + ${part(3)}) * 60 + ${part(4)}) * 60 + ${part(5)}`;
  return (
    `CASE WHEN regexp_matches(trim(${text}), ${TIMESPAN}) THEN ` +
    `(CASE WHEN starts_with(trim(${text}), '-') THEN -1 ELSE 1 END) * ((${seconds}) * 10000000 + try_cast(${fraction} AS BIGINT)) END`
  );
}

function timespanText(ticks: string): string {
  const abs = `abs(${ticks})`;
  const two = (value: string): string => `lpad(CAST(${value} AS VARCHAR), 2, '0')`;
  const days = `${abs} // 864000000000`;
  const clock = [`(${abs} // 36000000000) % 24`, `(${abs} // 600000000) % 60`, `(${abs} // 10000000) % 60`]
    .map(two)
    .join(` || ':' || `);
  const fraction = `CASE WHEN ${abs} % 10000000 = 0 THEN '' ELSE '.' || lpad(CAST(${abs} % 10000000 AS VARCHAR), 7, '0') END`;
  return `CASE WHEN ${ticks} < 0 THEN '-' ELSE '' END || CASE WHEN ${days} = 0 THEN '' ELSE CAST(${days} AS VARCHAR) || '.' END || ${clock} || ${fraction}`;
}

const FACTS: Record<ColumnType, TypeFacts> = {
  bool: {
    sql: 'BOOLEAN',
    dataType: 'SByte',
    fromText: (text) =>
      `CASE lower(trim(${text})) WHEN 'true' THEN true WHEN '1' THEN true WHEN 'false' THEN false WHEN '0' THEN false END`,
    toReply: same,
  },
  int: { sql: 'INTEGER', dataType: 'Int32', fromText: (text) => digits(text, 'INTEGER'), toReply: same },
  long: { sql: 'BIGINT', dataType: 'Int64', fromText: (text) => digits(text, 'BIGINT'), toReply: same },
  real: { sql: 'DOUBLE', dataType: 'Double', fromText: (text) => `try_cast(${text} AS DOUBLE)`, toReply: same },
  decimal: {
    sql: 'DECIMAL(34,10)',
    dataType: 'SqlDecimal',
    fromText: (text) => `try_cast(${text} AS DECIMAL(34,10))`,
    toReply: (value) => `rtrim(rtrim(CAST(${value} AS VARCHAR), '0'), '.')`,
  },
  string: {
    sql: `VARCHAR NOT NULL DEFAULT ''`,
    dataType: 'String',
    fromText: (text) => `coalesce(${text}, '')`,
    toReply: same,
  },
  datetime: {
    sql: 'TIMESTAMP_NS',
    dataType: 'DateTime',
    // A text of digits only is not a date, although DuckDB would parse it.
    fromText: (text) => `try_cast(${text} AS TIMESTAMP_NS)`,
    toReply: (value) => `left(strftime(${value}, '%Y-%m-%dT%H:%M:%S.%n'), 27) || 'Z'`,
  },
  timespan: { sql: 'BIGINT', dataType: 'TimeSpan', fromText: timespanTicks, toReply: timespanText },
  guid: {
    sql: 'UUID',
    dataType: 'Guid',
    fromText: (text) => `try_cast(${text} AS UUID)`,
    toReply: (value) => `CAST(${value} AS VARCHAR)`,
  },
  dynamic: {
    sql: 'JSON',
    dataType: 'Object',
    fromText: (text) =>
      `CASE WHEN json_valid(${text}) THEN CAST(${text} AS JSON) ELSE to_json(nullif(${text}, '')) END`,
    toReply: (value) => `CAST(${value} AS VARCHAR)`,
  },
};

/** Aliases of the types. */
const ALIASES: Record<string, ColumnType> = {
  boolean: 'bool',
  int32: 'int',
  int64: 'long',
  double: 'real',
  date: 'datetime',
  time: 'timespan',
  uuid: 'guid',
  uniqueid: 'guid',
  'system.string': 'string',
  'system.int32': 'int',
  'system.int64': 'long',
  'system.double': 'real',
  'system.datetime': 'datetime',
  'system.boolean': 'bool',
  'system.object': 'dynamic',
};

/** @throws KustoError for an unknown type. */
export function parseColumnType(text: string): ColumnType {
  const lower = text.toLowerCase();
  const type = lower in FACTS ? (lower as ColumnType) : ALIASES[lower];
  if (!type) throw badRequest(`Unknown column type '${text}'`, 'BadRequest_UnknownType');
  return type;
}

export function typeFacts(type: ColumnType): TypeFacts {
  return FACTS[type];
}
