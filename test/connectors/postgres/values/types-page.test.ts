/** TYPES.md of the connector against the type resolver: a row with a wrong schema or value fails. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainDecimal, type Decimal, type Schema } from '@millrace/sdk';
import { checkConfig } from '../../../../connectors/postgres/src/config/check';
import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import { SUPPORTED_TYPES, TypeResolver } from '../../../../connectors/postgres/src/values/resolve-type';
import type { PgType, ValueType } from '../../../../connectors/postgres/src/values/value-type';

const PAGE = join(__dirname, '../../../../connectors/postgres/TYPES.md');

/** SQL names of types that pg_type lists under another name. */
const CATALOG_NAMES: Readonly<Record<string, string>> = {
  boolean: 'bool',
  smallint: 'int2',
  integer: 'int4',
  bigint: 'int8',
  real: 'float4',
  'double precision': 'float8',
  '"char"': 'char',
  enum: 'mood',
};

const CONFIG = {
  'topic.prefix': 'p',
  'database.hostname': 'h',
  'database.user': 'u',
  'database.dbname': 'd',
};

function pair(setting: string): Record<string, string> {
  const [key = '', value = ''] = setting.split('=');
  return { [key]: value };
}

/** Resolves `numeric(5,2)`, `time(3)`, `text[]`; `setting` is `key=value`. */
function resolve(sqlType: string, setting: string | null): ValueType | null {
  const [, name = '', modifier, array] = /^([^([]+?)(?:\(([\d,]+)\))?(\[\])?$/.exec(sqlType) ?? [];
  const catalogName = CATALOG_NAMES[name] ?? name;
  const config = { ...CONFIG, ...(setting === null ? {} : pair(setting)) };
  const base: PgType = {
    oid: 1,
    schema: 'public',
    name: catalogName,
    kind: catalogName === 'mood' ? 'e' : 'b',
    isArray: false,
    of: 0,
    typmod: -1,
    labels: ['happy', 'sad'],
  };
  const arrayOf: PgType = { ...base, oid: 2, name: `_${catalogName}`, kind: 'b', isArray: true, of: 1 };
  const types = new Map([base, arrayOf].map((type) => [type.oid, type]));
  const options = { ...parseConfig(config).values, currencyDigits: 2 };
  const resolver = new TypeResolver(types, options, { unlisted: null, accepted: new Map() });
  return resolver.resolve(array === undefined ? 1 : 2, typmod(catalogName, modifier));
}

function typmod(type: string, modifier: string | undefined): number {
  if (modifier === undefined) return -1;
  const [first = 0, second = 0] = modifier.split(',').map(Number);
  if (type === 'numeric') return first * 65_536 + second + 4;
  return ['bpchar', 'varchar'].includes(type) ? first + 4 : first;
}

/** `INT32 io.debezium.time.Date`, `STRUCT {scale: INT32, value: BYTES}`, `ARRAY of optional STRING`. */
function describeSchema(schema: Schema): string {
  const optional = schema.optional ? 'optional ' : '';
  const name = schema.name == null ? '' : ` ${schema.name}`;
  const parameters = Object.entries(schema.parameters ?? {}).map(([key, value]) => `${key}=${value}`);
  const inner = schema.fields
    ? ` {${schema.fields.map((field) => `${field.name}: ${describeSchema(field.schema)}`).join(', ')}}`
    : schema.type === 'ARRAY'
      ? ` of ${describeSchema(schema.valueSchema as Schema)}`
      : schema.type === 'MAP'
        ? ` of ${describeSchema(schema.keySchema as Schema)} to ${describeSchema(schema.valueSchema as Schema)}`
        : '';
  return `${optional}${schema.type}${name}${parameters.length > 0 ? ` (${parameters.join(', ')})` : ''}${inner}`;
}

function describeValue(value: unknown): string {
  if (typeof value === 'symbol') return 'null, with a warning';
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (Buffer.isBuffer(value)) return `bytes ${value.toString('hex')}`;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Map) return `{${[...value].map(([key, item]) => `${key}: ${describeValue(item)}`).join(', ')}}`;
  if (Array.isArray(value)) return `[${value.map(describeValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('unscaled' in value) return plainDecimal(value as Decimal);
  return `{${Object.entries(value)
    .map(([key, item]) => `${key}: ${describeValue(item)}`)
    .join(', ')}}`;
}

interface Row {
  readonly line: string;
  readonly types: readonly string[];
  readonly settings: readonly string[];
  readonly text: string;
}

/** The contents of its code spans. */
const code = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, inner]) => inner as string);

/** Rows of the tables `| type | setting | schema | text | value |`. */
function rows(): Row[] {
  return readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [types = '', settings = '', , text = ''] = line.split(' | ');
      return { line, types: code(types), settings: code(settings), text: code(text)[0] ?? '' };
    });
}

test.each(rows().map((row) => [row.line.slice(0, 70), row] as const))('%s', (_, { line, types, settings, text }) => {
  for (const type of types)
    for (const setting of settings.length > 0 ? settings : [null]) {
      const resolved = resolve(type, setting) as ValueType;
      const bytes = Buffer.from(text);
      const value = resolved.decode(bytes, 0, bytes.length);
      const cells = line.split(' | ');
      cells[2] = `\`${describeSchema(resolved.schema)}\``;
      cells[4] = `\`${describeValue(value)}\` |`;
      expect(line).toBe(cells.join(' | '));
    }
});

test('settings in the tables are valid', () => {
  for (const setting of rows().flatMap(({ settings }) => settings))
    expect(checkConfig({ ...CONFIG, ...pair(setting) }).problems).toEqual([]);
});

test('every supported type has a row', () => {
  const listed = new Set(rows().flatMap(({ types }) => types.map((type) => type.replace(/[([].*$/, ''))));
  const names = new Set([...listed].map((name) => CATALOG_NAMES[name] ?? name));
  expect(SUPPORTED_TYPES.filter((name) => !names.has(name))).toEqual([]);
});
