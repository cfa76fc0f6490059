/** Differences that docs/compatibility.md documents. Everything else that differs is unexplained. */
import { concerns, type DefinitionChange } from './definition-changes';
import type { EventRecord } from './event-record';
import { PLACEHOLDERS } from './modes';
import { exactJson, type Difference } from './record-differences';

export interface Pair {
  readonly java: EventRecord;
  readonly own: EventRecord;
  /** `c`, `u`, `d`, `t`, `r`, or `tombstone`. */
  readonly op: string;
  /** What the transaction of the row changes of its table's definition. */
  readonly definitionChange: DefinitionChange | null;
  /** Changes of its table after which no inserted or updated row was compared. */
  readonly unread: readonly DefinitionChange[];
  /** Changes of its table that messages of decoderbufs do not show. */
  readonly silent: readonly DefinitionChange[];
  /** Columns that are required in Debezium's schema only. */
  readonly optionalHere: ReadonlySet<string>;
  /** `plugin.name` of both connectors. */
  readonly plugin: string;
  /** Offset of Millrace's record before this one. */
  readonly previousOffset: string | null;
}

interface Explanation {
  readonly why: string;
  readonly path: RegExp;
  readonly holds?: (difference: Difference, pair: Pair) => boolean;
  /** It holds for two runs of Debezium's code, too. */
  readonly ofRuns?: true;
}

/** The output plugin decoderbufs, whose values are not always the texts of the server. */
const isDecoderbufs = ({ plugin }: Pair): boolean => plugin === 'decoderbufs';
const isRead = (_: unknown, { op }: Pair): boolean => op === 'r';
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
/** All items that differ satisfy the test. */
const items =
  (test: (java: unknown, own: unknown) => boolean) =>
  ({ java, own }: Difference): boolean => {
    const [left, right] = [list(java), list(own)];
    return left.length === right.length && left.every((item, i) => item === right[i] || test(item, right[i]));
  };
const number = (value: unknown): number => Number(typeof value === 'string' ? value.replace('number ', '') : value);

/** As text, and in the binary modes. */
const SHOWN_PLACEHOLDERS: ReadonlySet<string> = new Set(
  PLACEHOLDERS.map((one) => (one.startsWith('hex:') ? Buffer.from(one.slice(4), 'hex') : Buffer.from(one))).flatMap(
    (bytes) => [bytes.toString(), bytes.toString('base64'), bytes.toString('base64url')],
  ),
);

/** Itself, or as a member of an hstore. */
function showsPlaceholder(item: unknown): boolean {
  const text = typeof item === 'string' ? item : JSON.stringify(item);
  return [...SHOWN_PLACEHOLDERS].some((one) => text === one || text.includes(JSON.stringify(one)));
}

/** A whole number as 64 bits hold it. */
const long = (value: unknown): bigint | null =>
  /^(?:number )?-?\d+$/.test(String(value)) ? BigInt.asIntN(64, BigInt(String(value).replace('number ', ''))) : null;

/** Infinity in milliseconds, and in microseconds. */
const MILLIS_INFINITY: ReadonlyMap<string, string> = new Map([
  ['9223372036825200000', '9223372036854775807'],
  ['-9223372036832400000', '-9223372036854775808'],
]);
/** Milliseconds are microseconds of 64 bits in Debezium, in which 24:00 is 0. */
function hasLostDigits(difference: Difference): boolean {
  if (difference.path.includes('.schema.'))
    return (
      /^(?:int64|io\.debezium\.time\.Micro)/.test(String(difference.java)) &&
      /^(?:int|io\.)/.test(String(difference.own))
    );
  return items((java, own) => {
    const [micros, millis] = [number(java), number(own)];
    if (MILLIS_INFINITY.get(String(long(own))) === String(long(java))) return true;
    // Microseconds do not reach this time.
    if (isLate(own) && [...MILLIS_INFINITY.values()].includes(String(long(java)))) return true;
    const wrapped = long(own) === null ? null : BigInt.asIntN(64, (long(own) as bigint) * 1000n);
    return (
      (wrapped !== null && wrapped === long(java)) ||
      Math.abs(micros - millis * 1000) <= Math.abs(micros) * 1e-15 ||
      (micros === 0 && millis === 86_400_000) ||
      // Documented of its own.
      (difference.path.endsWith('_timestamp3_array') && beforeGregorian(own))
    );
  })(difference);
}

/** Columns of a table that was altered since are optional, and null where an old row lacks them. */
const isOptionalHere = ({ path, java, own }: Difference): boolean =>
  path.endsWith('.optional') ? java === false && own === true : path.startsWith('value.before.') && own === null;

/** A time after 294247-01-10, as text or number of any unit. */
const isLate = (value: unknown): boolean =>
  /^\+29424[7-9]|^\+2942[5-7]/.test(String(value)) || Math.abs(number(value)) > 9.2e15;

/** Days, milliseconds or microseconds before the Gregorian calendar, or an ISO text of them; or infinity. */
function beforeGregorian(value: unknown): boolean {
  if (typeof value === 'string' && !value.startsWith('number '))
    return value.startsWith('-') || value.endsWith('infinity') || value < '1582-10-15';
  return [-141_427, -12_219_292_800_000].some((limit, i) => number(value) < limit && (i > 0 || number(value) > -3e6));
}
const DATE_INFINITY = [2146033979, -2147472691];
const column = (tag: string): RegExp =>
  new RegExp(`^(?:value\\.(?:before|after)|key|headers\\.[^ ]*key)\\.\\w+_(?:${tag})$`);

export const UNREAD_DEFINITION =
  'decoderbufs: Debezium reads a changed definition with an insert or update, not with a delete';

export const SILENT_CHANGE =
  'decoderbufs: a default or key that is changed alone is known from the next read of the catalog, which is another in Debezium';

const OBJECT_IDENTITY = 'decoderbufs: include.unknown.datatypes: name is the identity of a Java object in Debezium';

export const EXPLANATIONS: readonly Explanation[] = [
  { why: 'the clock of each connector', path: /^value\.ts_(?:ms|us|ns)$/, ofRuns: true },
  { why: 'the id of the run', path: /^headers\.__debezium\.context\.runId$/, ofRuns: true },
  {
    why: 'source.snapshot is "false", which Debezium leaves to the default',
    path: /^value\.source\.snapshot$/,
    holds: ({ java, own }) => java === null && own === 'false',
  },
  {
    why: "the position and time of each connector's own snapshot",
    path: /^(?:value\.source\.(?:ts_(?:ms|us|ns)|txId|lsn|sequence)|offset\.\w+)$/,
    holds: isRead,
    ofRuns: true,
  },
  {
    why: 'the position of the commit before the first transaction after the snapshot',
    path: /^value\.source\.sequence$/,
    holds: ({ java, own }) => String(java).replace(/"[^"]*"|null/, '') === String(own).replace(/"[^"]*"|null/, ''),
    ofRuns: true,
  },
  {
    why: 'offsets contain the ordinal in the transaction and the timeline of the WAL, which Debezium ignores',
    path: /^offset\.(?:tx_event_index|wal_timeline)$/,
    holds: ({ java }) => java === undefined,
  },
  {
    why: 'records before the last one of their event have the offset before it',
    path: /^offset\.\w+$/,
    holds: (_, { own, previousOffset }) => JSON.stringify(own.sourceOffset) === previousOffset,
  },
  {
    why: 'name is null in the stream of Debezium',
    path: column('name'),
    holds: ({ java }) => java === null || java === '',
  },
  {
    why: 'time[] has milliseconds in Debezium, and 24:00 is 0',
    path: column('time3?_array'),
    holds: items((java, own) => {
      if (typeof own === 'string')
        return String(own).startsWith('24:') || String(own).startsWith(String(java).slice(0, -1));
      const cut = (unit: number): boolean => number(java) === Math.floor(number(own) / unit) * unit;
      // Microseconds or nanoseconds.
      return java === 0 || cut(1_000) || cut(1_000_000);
    }),
  },
  {
    why: 'timetz[] has no fractions in Debezium',
    path: column('timetz_array'),
    holds: items((java, own) => String(own).startsWith(String(java).slice(0, 8))),
  },
  {
    why: 'isostring: infinity and 24:00 are other times in Debezium',
    path: column('(?:date|time3?|timestamp3?)(?:_array)?'),
    holds: items((_, own) => ['infinity', '-infinity', '24:00:00Z'].includes(String(own))),
  },
  {
    why: 'dates before 1582-10-15, and infinity, in snapshots and arrays of Debezium',
    path: column('date|date_array|timestamp3?_array|timestamptz_array'),
    holds: (difference, { op }) =>
      (op === 'r' || difference.path.endsWith('_array')) &&
      items((_, own) => beforeGregorian(own) || DATE_INFINITY.includes(number(own)))(difference),
  },
  {
    why: 'arrays of more than one dimension are lists of nulls in Debezium',
    path: column('int4_array'),
    holds: ({ java, own }) => own === null && JSON.stringify(java) === '[null,null]',
  },
  {
    why: 'bit[] has the schema of one value in Debezium, and is null',
    path: /(?:^value\.|\.)(?:before|after)\.\w+_bit\d+_array(?:\.\w+){0,2}$/,
    holds: ({ path, java }) => path.startsWith('value.schema.') || java === null,
  },
  {
    why: 'column.propagate.source.type: a numeric without precision has other parameters in the stream of Debezium',
    path: /^value\.schema\.(?:before|after)\.\w+_numeric\.parameters\.__debezium\.source\.column\.(?:length|scale)$/,
    holds: ({ java, own }, { op }) =>
      op !== 'r' && ((java === '131089' && own === '0') || (java === '0' && own === undefined)),
  },
  {
    why: 'arrays of geometric types are null in the stream of Debezium',
    path: column('(?:box|circle|line|lseg|path|polygon|point)_array'),
    holds: ({ java }) => java === null,
  },
  {
    why: 'decoderbufs: infinite dates are another date in Debezium',
    path: column('date'),
    holds: ({ java, own }, pair) =>
      isDecoderbufs(pair) && (DATE_INFINITY.includes(number(own)) || String(own).endsWith('infinity')) && java !== null,
  },
  {
    why: 'decoderbufs: timestamps after 294247-01-10 are -infinity in Debezium',
    path: column('timestamp3?|timestamptz'),
    holds: ({ own }, pair) => isDecoderbufs(pair) && isLate(own),
  },
  {
    why: 'decoderbufs: timestamptz(n)[] has six digits in Debezium',
    path: column('timestamptz0_array'),
    holds: (difference, pair) =>
      isDecoderbufs(pair) && items((java, own) => java === String(own).replace('Z', '.000000Z'))(difference),
  },
  {
    why: 'decoderbufs: time(n)[] and timestamp(n)[] lose their digits in Debezium',
    path: /_(?:time3|timestamp3)_array(?:\.items\.(?:type|name))?$/,
    holds: (difference, pair) => isDecoderbufs(pair) && hasLostDigits(difference),
  },
  {
    why: 'decoderbufs: column.propagate.source.type has the digits of time(n)[] and timestamp(n)[] as length in Debezium',
    path: /_(?:time3|timestamp3|timestamptz0)_array\.parameters\.__debezium\.source\.column\.(?:length|scale)$/,
    holds: ({ path, java }, pair) =>
      isDecoderbufs(pair) && (path.endsWith('length') ? /^[03]$/ : /^6$/).test(String(java)),
  },
  {
    why: OBJECT_IDENTITY,
    path: column('name'),
    holds: ({ java }, pair) => isDecoderbufs(pair) && String(java).startsWith('[B@'),
  },
  {
    why: 'decoderbufs: a line that is null is {0,0,0} in Debezium',
    path: /^value\.(?:before|after)\.\w+_line(?:\.b)?$/,
    holds: ({ java, own }, pair) =>
      isDecoderbufs(pair) &&
      ((own === null && JSON.stringify(java) === '{"a":0,"b":0,"c":0}') || (java === 0 && own === 1)),
  },
  {
    why: 'decoderbufs: geometric columns that a delete lacks are null in Debezium',
    path: /^value\.before\.\w+_(?:box|circle|lseg|path|polygon)$/,
    holds: ({ java }, pair) => isDecoderbufs(pair) && pair.op === 'd' && java === null,
  },
  {
    why: 'enum schemas of Debezium lack new labels: of a table until a row has one, of arrays always',
    path: /_mood(?:_array\.items)?\.parameters\.allowed$/,
    holds: ({ java, own }) => String(own).startsWith(`${String(java)},`),
  },
  {
    why: 'rows of a transaction that also changes definitions have the definition of their time, not a later one',
    path: /^(?:key|value|headers\.[^ ]*key)\b/,
    holds: (difference, { definitionChange }) =>
      definitionChange !== null && (concerns(definitionChange, difference.path) || isOptionalHere(difference)),
  },
  {
    why: 'columns that were NULL before SET NOT NULL are required in Debezium, with another value in old rows',
    path: /^value\.(?:before\.[^.]+|schema\.(?:before|after)\.[^.]+\.optional)$/,
    holds: ({ path, own }, { optionalHere }) =>
      path.endsWith('.optional') ? own === true : own === null && optionalHere.has(path.slice('value.before.'.length)),
  },
  {
    why: UNREAD_DEFINITION,
    path: /^(?:key|value|headers)\b/,
    holds: ({ path }, pair) =>
      isDecoderbufs(pair) &&
      (pair.op === 'd' || pair.op === 'tombstone') &&
      pair.unread.some((change) => concerns(change, path)),
  },
  {
    why: SILENT_CHANGE,
    path: /^(?:key|headers)\b|^value\.schema\..*\.default$/,
    holds: ({ path }, pair) => isDecoderbufs(pair) && pair.silent.some((change) => concerns(change, path)),
  },
  {
    why: 'numeric[] with NaN or infinity is null in Debezium, also as double and text',
    path: column('numeric(?:52)?_array'),
    holds: ({ java, own }) =>
      java === null && list(own).some((item) => /^(?:NaN|NAN|-?Infinity|\w+_INFINITY)$/.test(String(item))),
  },
  {
    why: 'an unchanged bytea in the base64 modes is null in Debezium',
    path: column('bytea'),
    holds: ({ java, own }) => java === null && SHOWN_PLACEHOLDERS.has(String(own)),
  },
  {
    why: 'unchanged arrays of most types are null in Debezium, and not the placeholder of their items',
    path: column(String.raw`\w+_array`),
    holds: ({ java, own }) => java === null && list(own).every(showsPlaceholder),
  },
  {
    why: 'the header __debezium.unavailable.columns names columns of which nothing else shows that they were not sent',
    path: /^headers$/,
    holds: ({ java, own }) =>
      own === [java, '__debezium.unavailable.columns'].filter((names) => names !== '').join(','),
  },
];

export const KEYLESS_TOMBSTONE = 'Debezium has tombstones without a key';
export const UNSEEN_CHANGE =
  'skip.messages.without.change: Debezium skips changes of columns that it publishes as null, or without what changed';

/** Why only Debezium has the record. */
export function explainDebeziumOnly(java: EventRecord): string | null {
  return java.value[1] === null && java.key[1] === null ? KEYLESS_TOMBSTONE : null;
}

/** Columns whose changes Debezium may not see. */
const UNSEEN = /_(?:name|(?:bit\d+|box|circle|line|lseg|path|polygon|point|time3?|timetz|int4|numeric(?:52)?)_array)$/;

/** Why only Millrace has the record. */
export function explainMillraceOnly(own: EventRecord, plugin: string): string | null {
  const event = own.value[1] === null ? null : (exactJson(own.value[1]) as Record<string, Record<string, unknown>>);
  const { before, after } = event ?? {};
  if (!before || !after) return null;
  const changed = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const midnight = (value: unknown): boolean => value === '00:00:00Z' || value === '24:00:00Z';
  const isUnseen = (name: string): boolean =>
    UNSEEN.test(name) ||
    (/_time3?$/.test(name) && midnight(before[name]) && midnight(after[name])) ||
    (plugin === 'decoderbufs' && /_timestamp(?:3|tz)?$/.test(name) && [before[name], after[name]].some(isLate));
  return changed.length > 0 && changed.every(isUnseen) ? UNSEEN_CHANGE : null;
}

/** Of all differences of a pair. */
export function columnsOptionalHere(differences: readonly Difference[]): ReadonlySet<string> {
  const found = differences.flatMap(({ path, java, own }) =>
    java === false && own === true ? (/^value\.schema\.before\.([^.]+)\.optional$/.exec(path)?.[1] ?? []) : [],
  );
  return new Set(found);
}

/** An array of bytes, as Java shows objects. */
const isIdentity = (value: unknown): boolean => /^\[B@[\da-f]+$/.test(String(value));

const OF_RUNS: readonly Explanation[] = [
  ...EXPLANATIONS.filter(({ ofRuns }) => ofRuns),
  {
    why: OBJECT_IDENTITY,
    path: column('name'),
    holds: ({ java, own }, pair) => isDecoderbufs(pair) && isIdentity(java) && isIdentity(own),
  },
  {
    // Changes are sent when the commit is on disk, which is before other connections see it.
    why: 'rows of a transaction that also changes definitions: each run may read the catalog before or after its end',
    path: /^(?:key|value|headers\.[^ ]*key)\.schema\b/,
    holds: ({ path }, { definitionChange }) => definitionChange !== null && concerns(definitionChange, path),
  },
];

/** @param isSameCode both sides run Debezium */
export function explain(difference: Difference, pair: Pair, isSameCode: boolean): string | null {
  const found = (isSameCode ? OF_RUNS : EXPLANATIONS).find(
    ({ path, holds }) => path.test(difference.path) && (holds?.(difference, pair) ?? true),
  );
  return found?.why ?? null;
}
