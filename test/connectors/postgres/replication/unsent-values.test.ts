/** Updates that lack a large value that they left unchanged: every type stored out of line, every plugin. */
import type { SourceRecord } from '@millrace/sdk';
import { PluginDecoding, type CatalogColumn, type CatalogType } from './plugin-decoding';

const PLACEHOLDER = '__debezium_unavailable_value';
const BYTES = Buffer.from(PLACEHOLDER);
const NUMBERS = [...BYTES];
const HSTORE = `{"${PLACEHOLDER}":"${PLACEHOLDER}"}`;
/** Nothing in the row shows that the value is missing. */
const HIDDEN = Symbol('hidden');

const cases: readonly (readonly [type: string, shown: unknown, settings?: Readonly<Record<string, string>>])[] = [
  ...['text', 'varchar', 'bpchar', 'citext', 'json', 'jsonb', 'xml', 'ltree', 'tsvector', 'numrange'].flatMap(
    (type): [string, unknown][] => [
      [type, PLACEHOLDER],
      ...(type === 'xml' ? [] : [[`_${type}`, [PLACEHOLDER]] satisfies [string, unknown]]),
    ],
  ),
  ['bytea', BYTES],
  ['bytea', BYTES.toString('base64'), { 'binary.handling.mode': 'base64' }],
  ['bytea', PLACEHOLDER, { 'binary.handling.mode': 'hex' }],
  ['_bytea', [BYTES]],
  ['_bytea', [BYTES.toString('base64')], { 'binary.handling.mode': 'base64' }],
  ['_bytea', [PLACEHOLDER], { 'binary.handling.mode': 'hex' }],
  ['hstore', HSTORE],
  ['hstore', new Map([[PLACEHOLDER, PLACEHOLDER]]), { 'hstore.handling.mode': 'map' }],
  ['_hstore', [HSTORE]],
  ['unlisted', BYTES, { 'include.unknown.datatypes': 'true' }],
  ['_int4', NUMBERS],
  ['_int8', NUMBERS],
  ['_date', NUMBERS],
  ['_date', HIDDEN, { 'time.precision.mode': 'isostring' }],
  ['_uuid', ['b68a35a7-17ad-35b3-af2a-ae46edb4545a']],
  ...[
    'numeric _numeric bit varbit _bit _bool _int2 _oid _float4 _float8 _time _timetz _timestamp _timestamptz',
    'path polygon _path _polygon _box geometry geography _geometry vector halfvec sparsevec _vector',
  ].flatMap((names) => names.split(' ').map((type): [string, unknown] => [type, HIDDEN])),
  ['numeric', HIDDEN, { 'decimal.handling.mode': 'double' }],
  ['numeric', HIDDEN, { 'decimal.handling.mode': 'string' }],
];
/** Their schemas are optional everywhere. */
const NEVER_REQUIRED = new Set(['path', 'polygon', 'geometry']);

const ELEMENT = 50_000;
const ARRAY = 50_001;
const typesOf = (type: string): CatalogType[] =>
  type.startsWith('_')
    ? [
        { oid: ELEMENT, name: type.slice(1), of: 0 },
        { oid: ARRAY, name: type, of: ELEMENT },
      ]
    : [{ oid: ELEMENT, name: type, of: 0 }];

type Column = CatalogColumn & { readonly value?: string };

const PLUGINS = {
  pgoutput: (columns: readonly Column[]) => {
    const text = (value: string): Buffer => Buffer.from(`${value}\0`);
    const int16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255);
    const int32 = (value: number): Buffer => {
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(value);
      return bytes;
    };
    const header = columns.flatMap(({ name, oid }, i) => [
      Buffer.of(Number(i === 0)),
      text(name),
      int32(oid),
      int32(-1),
    ]);
    const tuple = columns.flatMap(({ value }) =>
      value === undefined ? [Buffer.from('u')] : [Buffer.from('t'), int32(value.length), Buffer.from(value)],
    );
    return [
      Buffer.concat([Buffer.from('B'), Buffer.alloc(8, 1), Buffer.alloc(8), int32(7)]),
      Buffer.concat([
        Buffer.from('R'),
        int32(1),
        text('S s'),
        text('t.1'),
        Buffer.from('d'),
        int16(columns.length),
        ...header,
      ]),
      Buffer.concat([Buffer.from('U'), int32(1), Buffer.from('N'), int16(columns.length), ...tuple]),
    ];
  },
  wal2json: (columns: readonly Column[]) => {
    const sent = columns.filter(({ value }) => value !== undefined);
    const list = (values: readonly unknown[]): string => JSON.stringify(values);
    return [
      `{"xid":7,"timestamp":"2026-01-01 00:00:00+00","change":[{"kind":"update","schema":"S s","table":"t.1",` +
        `"columnnames":${list(sent.map(({ name }) => name))},"columntypes":${list(sent.map(({ type }) => type))},` +
        `"columnvalues":[${sent.map(({ value }) => value).join()}]}]}`,
    ];
  },
  decoderbufs: (columns: readonly Column[]) => {
    const varint = (value: number): number[] =>
      value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
    const bytes = (field: number, value: Buffer): Buffer =>
      Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(value.length)]), value]);
    const number = (field: number, value: number): Buffer => Buffer.from([...varint(field * 8), ...varint(value)]);
    const datums = columns.map(({ name, oid, value }) =>
      Buffer.concat([
        ...[bytes(1, Buffer.from(name)), number(2, oid)],
        value === undefined ? number(11, 1) : number(3, Number(value)),
      ]),
    );
    return [
      Buffer.concat([number(1, 7), number(2, 1), number(4, 3)]),
      Buffer.concat([
        ...[number(1, 7), number(2, 1), bytes(3, Buffer.from('"S s"."t.1"')), number(4, 1)],
        ...datums.map((datum) => bytes(5, datum)),
      ]),
    ];
  },
};

async function decoded(
  plugin: keyof typeof PLUGINS,
  type: string,
  isRequired: boolean,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly record: SourceRecord; readonly log: readonly string[] }> {
  const types = typesOf(type);
  const oid = (types.at(-1) as CatalogType).oid;
  const columns: Column[] = [
    { name: 'id', oid: 23, type: 'integer', value: '1' },
    { name: 'v', oid, type, isToastable: true, isRequired },
  ];
  const decoding = new PluginDecoding(plugin, { columns, types, settings });
  const records = await decoding.feed(PLUGINS[plugin](columns));
  expect(records).toHaveLength(1);
  return { record: records[0] as SourceRecord, log: decoding.log };
}

const valueOf = ({ value }: SourceRecord): unknown => (value as { after: { v: unknown } }).after.v;
const unavailable = ({ headers }: SourceRecord): unknown =>
  headers?.find(({ key }) => key === '__debezium.unavailable.columns')?.value;

describe.each(Object.keys(PLUGINS) as (keyof typeof PLUGINS)[])(
  'cdc-postgres 41: an unsent large value, %s',
  (plugin) => {
    test.each(cases.map(([type, shown, settings = {}]) => [type, shown, settings] as const))(
      '%s is never shown as a value that the column may have: %p, %p',
      async (type, shown, settings) => {
        const nullable = await decoded(plugin, type, false, settings);
        expect(valueOf(nullable.record)).toEqual(shown === HIDDEN ? null : shown);
        expect(unavailable(nullable.record)).toEqual(shown === HIDDEN ? 'v' : undefined);
        expect(nullable.log.filter((line) => line.startsWith('PG_UNSENT_VALUE'))).toHaveLength(
          shown === HIDDEN ? 1 : 0,
        );
        const required = decoded(plugin, type, true, settings);
        if (shown === HIDDEN && !NEVER_REQUIRED.has(type)) {
          await expect(required).rejects.toMatchObject({
            code: 'PG_UNSENT_VALUE',
            message: expect.stringMatching(
              /^An update of table S s\.t\.1 does not hold the value of column "v".*post\.processors/,
            ),
            place: { table: 'S s.t.1', column: 'v' },
          });
        } else {
          const { record } = await required;
          expect(valueOf(record)).toEqual(shown === HIDDEN ? null : shown);
          expect(unavailable(record)).toEqual(shown === HIDDEN ? 'v' : undefined);
        }
      },
    );

    test('an unsent value of a NOT NULL column fails the task only if it is not read again', async () => {
      const reselect = {
        'post.processors': 'again',
        'again.type': 'io.debezium.processors.reselect.ReselectColumnsPostProcessor',
      };
      await decoded(plugin, '_float8', true, reselect);
      const elsewhere = { ...reselect, 'again.reselect.columns.include.list': 'S s.t.1:other' };
      await expect(decoded(plugin, '_float8', true, elsewhere)).rejects.toMatchObject({ code: 'PG_UNSENT_VALUE' });
    });

    test('an unsent value that a mask changes is named in the header, because nothing else shows it', async () => {
      const { record } = await decoded(plugin, 'text', true, { 'column.truncate.to.3.chars': 'S s.t.1.v' });
      expect([valueOf(record), unavailable(record)]).toEqual(['__d', 'v']);
      const hidden = await decoded(plugin, 'text', true, { 'column.mask.with.3.chars': 'S s.t.1.v' });
      expect([valueOf(hidden.record), unavailable(hidden.record)]).toEqual(['***', undefined]);
    });
  },
);
