/** Debezium's smaller transformations of change events. */
import type { ConnectorConfig, TransformationPlugin } from '@millrace/sdk';
import * as transforms from '../../../connectors/transforms-debezium/src';
import { create, event, heartbeat, remove, tombstone, update } from '../../golden/transforms/cases/change-events';
import { struct, value } from '../../golden/transforms/cases/inputs';
import {
  readRecord,
  writeChanges,
  type Json,
  type RecordNotation,
  type SchemaNotation,
  type SchemaObject,
} from '../../golden/transforms/notation';

const changes = (plugin: TransformationPlugin, config: ConnectorConfig, record: RecordNotation): Json => {
  const transformation = plugin.create();
  transformation.configure(config);
  const before = readRecord(record);
  const after = transformation.apply(before);
  return after && writeChanges(before, after);
};
type Changes = Readonly<Record<string, Json>>;

describe('cdc-postgres 7.13: ExtractChangedRecordState', () => {
  const plugin = transforms.extractChangedRecordState;
  const list = (name: string): Json => ({ type: 'ARRAY', optional: true, name, values: 'STRING?' });
  const names = { 'header.changed.name': 'C', 'header.unchanged.name': 'U' };
  const headers = (record: RecordNotation, config: ConnectorConfig = names): Json =>
    (changes(plugin, config, record) as Changes).headers!;

  test('columns of an update; empty lists in other events', () => {
    const row = { id: 1, v: 'a', n: 1, at: 3 };
    expect(headers(event('u', { before: row, after: { ...row, v: 'b', o: 'new' } }))).toEqual([
      ['C', list('C'), ['v', 'o']],
      ['U', list('U'), ['id', 'n', 'at']],
    ]);
    for (const record of [create, remove])
      expect(headers(record)).toEqual([
        ['C', list('C'), []],
        ['U', list('U'), []],
      ]);
  });

  test('one header alone, or none', () => {
    expect(headers(update, { 'header.changed.name': 'only' })).toEqual([['only', list('only'), ['v', 'n']]]);
    expect(changes(plugin, { 'header.changed.name': ' ' }, update)).toEqual({});
    expect(changes(plugin, names, heartbeat)).toEqual({});
  });

  test('bytes and lists compare by value', () => {
    const row = struct([
      ['b', 'BYTES'],
      ['l', { type: 'ARRAY', values: 'INT32' }],
    ]);
    const schema = struct(
      [
        ['before', row],
        ['after', row],
        ['op', 'STRING'],
      ],
      { name: 'x.Envelope' },
    );
    const [changed, unchanged] = headers(
      value(schema, { before: { b: 'AQI=', l: [1] }, after: { b: 'AQI=', l: [2] }, op: 'u' }),
    ) as Json[][];
    expect([changed![2], unchanged![2]]).toEqual([['l'], ['b']]);
  });
});

describe('cdc-postgres 7.13: HeaderToValue', () => {
  const plugin = transforms.headerToValue;
  const config = (headers: string, fields: string, operation = 'copy'): ConnectorConfig => ({
    headers,
    fields,
    operation,
  });
  const row = struct(
    [
      ['id', 'INT32'],
      ['in', struct([['x', 'STRING?']], { optional: true })],
    ],
    { name: 'row', version: 2 },
  );
  const record: RecordNotation = {
    ...value(row, { id: 1, in: { x: 'y' } }),
    headers: [
      ['h', 'STRING', 'one'],
      ['n', 'INT32?', null],
      ['h', 'STRING', 'two'],
      ['plain', null, 'x'],
    ],
  };
  const fieldsOf = (names: readonly (readonly [string, SchemaNotation])[]): Json => ({
    ...(row as unknown as Record<string, Json>),
    fields: names as unknown as Json,
  });

  test('the last of several headers, at the top and inside structs', () => {
    expect(changes(plugin, config('h,n', 'a,in.b'), record)).toEqual({
      value: [
        fieldsOf([
          ['id', 'INT32'],
          [
            'in',
            struct(
              [
                ['x', 'STRING?'],
                ['b', 'INT32?'],
              ],
              { optional: true },
            ),
          ],
          ['a', 'STRING'],
        ]),
        { id: 1, in: { x: 'y', b: null }, a: 'two' },
      ],
    });
  });

  test('structs that do not exist are created, and headers move', () => {
    const result = changes(plugin, config('h', 'new.deep.a', ' MOVE '), record) as Changes;
    expect((result.value as Json[])[1]).toEqual({ id: 1, in: { x: 'y' }, new: { deep: { a: 'two' } } });
    expect(result.headers).toEqual([
      ['n', 'INT32?', null],
      ['plain', null, 'x'],
    ]);
  });

  test('records without these headers, and tombstones, pass', () => {
    expect(changes(plugin, config('none', 'a'), record)).toEqual({});
    expect(changes(plugin, config('h', 'a'), tombstone)).toEqual({});
  });

  test('what a header cannot be added to', () => {
    expect(() => changes(plugin, config('h', 'id.x'), record)).toThrow(
      "Field 'id' is a primitive type, not a struct. Cannot add nested field 'id.x'.",
    );
    expect(() => changes(plugin, config('plain', 'a'), record)).toThrow('has no schema');
    expect(() => changes(plugin, config('h', 'a'), value('STRING', 'x'))).toThrow(
      'Only Struct objects supported for [Header field insertion], found: java.lang.String',
    );
  });

  test.each([
    [{}, 'A value is required'],
    [config('a,b', 'c'), 'must have the same number of elements'],
    [config('a', 'b c'), 'Element(s) containing space not permitted'],
    [config('a,,b', 'a,b,c'), 'Empty string element(s) not permitted'],
    [config('a', 'b', 'x'), 'Value must be one of move, copy'],
  ])('refused: %j', (wrong: ConnectorConfig, message) => {
    expect(() => changes(plugin, wrong, record)).toThrow(message);
  });
});

describe('cdc-postgres 7.13: ExtractSchemaToNewRecord', () => {
  const column = (of: SchemaObject, parameters: Record<string, string>): SchemaObject => ({
    ...of,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, text]) => [`__debezium.source.column.${name}`, text]),
    ),
  });
  const envelope = (id: SchemaObject): SchemaObject => {
    const row = struct([['id', id]], { optional: true });
    const source = struct([['table', 'STRING']]);
    return struct(
      [
        ['before', row],
        ['after', row],
        ['source', source],
        ['op', 'STRING'],
      ],
      { name: 'x.Envelope', version: 2 },
    );
  };
  const of = (id: SchemaObject, rows: Record<string, Json> = { after: { id: 1 } }): RecordNotation =>
    value(envelope(id), { ...rows, source: { table: 't' }, op: 'c' });
  const run = (record: RecordNotation): Json => changes(transforms.extractSchemaToNewRecord, {}, record);

  test('columns with the types of the database', () => {
    const id = column({ type: 'INT32' }, { name: 'id', type: 'INT4', length: '10', scale: '0' });
    const [schema, after] = (run(of(id)) as Changes).value as [SchemaObject, Record<string, Json>];
    expect(schema.fields?.at(-1)?.[0]).toBe('sourceSchema');
    expect(schema).toMatchObject({ name: 'x.Envelope', version: 2 });
    expect(after.sourceSchema).toEqual({
      id: 't',
      table: { columns: [{ name: 'id', typeName: 'INT4', length: 10, scale: 0, comment: null }] },
    });
    expect(run(of(id, { before: { id: 1 } }))).toHaveProperty('value');
    expect(run(of(id, {}))).toEqual({});
  });

  test('columns without them are an error', () => {
    expect(() => run(of({ type: 'INT32' }))).toThrow('"column.propagate.source.type"');
    const wrong = column({ type: 'INT32' }, { name: 'id', type: 'INT4', length: 'x' });
    expect(() => run(of(wrong))).toThrow('For input string: "x"');
  });
});

describe('cdc-postgres 7.13: DecodeLogicalDecodingMessageContent', () => {
  const NAME = 'io.debezium.connector.postgresql.MessageValue';
  const message = struct(
    [
      ['prefix', 'STRING?'],
      ['content', 'BYTES?'],
    ],
    { optional: true },
  );
  const of = (content: string, name = NAME): RecordNotation => ({
    key: [struct([['prefix', 'STRING?']]), { prefix: 'p' }],
    ...value(
      struct(
        [
          ['op', 'STRING'],
          ['ts_ms', 'INT64?'],
          ['message', message],
        ],
        { name },
      ),
      {
        op: 'm',
        ts_ms: 5,
        message: { prefix: 'p', content: Buffer.from(content).toString('base64') },
      },
    ),
  });
  const run = (record: RecordNotation, config: ConnectorConfig = {}): Json =>
    changes(transforms.decodeLogicalDecodingMessageContent, config, record);

  test('the content becomes the row of an insert', () => {
    const after = struct(
      [
        ['id', 'INT32?'],
        ['in', struct([['x', 'STRING?']], { optional: true, name: 'in' })],
      ],
      { optional: true },
    );
    expect(run(of('{"id": 1, "in": {"x": "y"}, "n": null}'))).toEqual({
      key: [null, null],
      value: [
        struct(
          [
            ['op', 'STRING'],
            ['ts_ms', 'INT64?'],
            ['after', after],
          ],
          { name: `${NAME}.Envelope` },
        ),
        { op: 'c', ts_ms: 5, after: { id: 1, in: { x: 'y' } } },
      ],
    });
    const [schema] = (run(of('{"n": null}'), { 'fields.null.include': 'true' }) as Changes).value as unknown as [
      SchemaObject,
    ];
    expect(schema.fields?.at(-1)).toEqual(['after', struct([['n', 'BYTES?']], { optional: true })]);
  });

  test('other records pass; other contents are an error', () => {
    for (const record of [of('{}', 'other'), create, tombstone]) expect(run(record)).toEqual({});
    for (const content of ['text', '{"a":', '[1]', '']) {
      expect(() => run(of(content))).toThrow(
        `Unable to parse logical decoding message content JSON string '${content}'`,
      );
    }
  });
});

describe('cdc-postgres 7.13: SchemaChangeEventFilter', () => {
  const KEY = 'schema.change.event.exclude.list';
  const schema = (name: string): SchemaObject =>
    struct([['tableChanges', { type: 'ARRAY', values: struct([['type', 'STRING']]), optional: true }]], { name });
  const of = (kinds: readonly string[] | null, name = 'io.debezium.connector.x.SchemaChangeValue'): RecordNotation =>
    value(schema(name), { tableChanges: kinds?.map((type) => ({ type })) ?? null });
  const passes = (record: RecordNotation, list = 'ALTER, DATABASE'): boolean =>
    changes(transforms.schemaChangeEventFilter, { [KEY]: list }, record) !== null;

  test('kinds of changes', () => {
    expect([of(['CREATE']), of(['ALTER', 'CREATE']), of([]), of(null), create].map((one) => passes(one))).toEqual([
      ...[true, false, false, false, true],
    ]);
    for (const list of ['', 'CREATED', 'create']) expect(() => passes(create, list)).toThrow(KEY);
  });
});

describe('cdc-postgres 7.13: VectorToJsonConverter', () => {
  const vector = (name: string, values: string): SchemaObject => ({
    type: 'ARRAY',
    values,
    name: `io.debezium.data.${name}`,
    optional: true,
  });
  const sparse = struct(
    [
      ['dimensions', 'INT16'],
      ['vector', { type: 'MAP', keys: 'INT16', values: 'FLOAT64' }],
    ],
    {
      ...{ name: 'io.debezium.data.SparseDoubleVector', optional: true },
    },
  );
  const row = struct(
    [
      ['d', vector('DoubleVector', 'FLOAT64')],
      ['f', vector('FloatVector', 'FLOAT32')],
      ['s', sparse],
    ],
    { optional: true },
  );
  const run = (record: RecordNotation): Json => changes(transforms.vectorToJsonConverter, {}, record);
  const JSON_TEXT = { type: 'STRING', optional: true, name: 'io.debezium.data.Json', version: 1 };

  test('vectors at any depth', () => {
    const of = (schema: (of: SchemaObject) => SchemaObject, after: Json): Json =>
      run(value(schema(row), { after, op: 'c' }));
    const schema = (inner: SchemaObject): SchemaObject =>
      struct(
        [
          ['after', inner],
          ['op', 'STRING'],
        ],
        { name: 'x.Envelope' },
      );
    const text = struct(
      [
        ['d', JSON_TEXT],
        ['f', JSON_TEXT],
        ['s', JSON_TEXT],
      ] as never,
      { optional: true },
    );
    expect(
      of(schema, {
        d: [1, 2.5, 1e10],
        f: [0.1],
        s: {
          dimensions: 5,
          vector: [
            [3, 1.5],
            [1, 2],
          ],
        },
      }),
    ).toEqual({
      value: [
        schema(text),
        {
          after: {
            d: '{ "values": [1.0, 2.5, 1.0E10] }',
            f: '{ "values": [0.1] }',
            s: '{ "dimensions": 5, "vector": { "1": 2.0, "3": 1.5 } }',
          },
          op: 'c',
        },
      ],
    });
    expect((of(schema, { d: [], f: null, s: null }) as Changes).value).toEqual([
      schema(text),
      { after: { d: '{ "values": [] }', f: null, s: null }, op: 'c' },
    ]);
  });

  test('records without vectors pass', () => {
    for (const record of [create, tombstone]) expect(run(record)).toEqual({});
    expect(() => run(value('STRING', 'x'))).toThrow('Only Struct objects supported for [Value should be a struct]');
  });
});
