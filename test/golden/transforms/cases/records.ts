/** Change events for Debezium's smaller transformations. */
import type { RecordNotation, SchemaNotation, SchemaObject } from '../notation';
import {
  create,
  event,
  heartbeat,
  keyOnly,
  read,
  remove,
  schemaless,
  tombstone,
  truncate,
  typedTombstone,
  update,
} from './change-events';
import { on as cases, struct, typedNull, value, type Case } from './inputs';

const PACKAGE = 'io.debezium.transforms';
const all = [create, update, read, remove, keyOnly, truncate, tombstone, typedTombstone, heartbeat, schemaless];

const changed = (): Case[] => {
  const bytes = struct([['data', 'BYTES'], ['list', { type: 'ARRAY', values: 'INT32' }], ['n', 'FLOAT64?'], ['big', 'INT64?']], { optional: true });
  const envelope = struct([['before', bytes], ['after', bytes], ['op', 'STRING']], { name: 'x.Envelope' });
  const of = (before: object, after: object): RecordNotation => ({
    ...value(envelope, { before, after, op: 'u' } as never),
    headers: [['old', null, 'x']],
  });
  const row = { data: { $raw: { $buffer: 'AQID' } }, list: [1, 2], n: 1, big: '9007199254740993' };
  return cases(
    `${PACKAGE}.ExtractChangedRecordState`,
    [
      {},
      { 'header.changed.name': 'Changed' },
      { 'header.unchanged.name': 'Unchanged' },
      { 'header.changed.name': 'c', 'header.unchanged.name': 'u' },
      { 'header.changed.name': '', 'header.unchanged.name': ' ' },
    ],
    [
      ...all,
      event('u', { before: { id: 1, v: 'a', n: 1, at: 3 }, after: { id: 1, v: 'b', n: 1, at: 3 } }),
      event('u', { before: { id: 1, v: null, n: 1 }, after: { id: 2, v: null, n: 1, at: 3, o: 'oh' } }),
      of(row, row),
      of(row, { ...row, data: { $raw: { $buffer: 'AQIE' } }, list: [1] }),
      of({ ...row, n: 'NaN' }, { ...row, n: 'NaN' }),
      of({ ...row, n: 0 }, { ...row, n: '-0.0' }),
      of({ ...row, n: null }, { ...row, big: 5 }),
    ],
  );
};

const headers = (): Case[] => {
  const config = (names: string, fields: string, operation: string): Case['config'] => ({ headers: names, fields, operation });
  const headed: RecordNotation = {
    ...create,
    headers: [
      ['h1', 'STRING', 'one'],
      ['h2', 'INT32?', null],
      ['h1', 'STRING', 'again'],
      ['h3', null, 'plain'],
      ['list', { type: 'ARRAY', values: 'STRING' }, ['a']],
    ],
  };
  const row: RecordNotation = { ...value(struct([['id', 'INT32'], ['v', 'STRING?']], { name: 'row', version: 2, doc: 'd' }), { id: 1 }), headers: headed.headers! };
  const records = [headed, { ...headed, headers: [['h1', 'STRING', 'one'] as const] }, row, create, tombstone, typedNull, schemaless, value('STRING', 'x')];
  return [
    ...cases(
      `${PACKAGE}.HeaderToValue`,
      [
        config('h1', 'a', 'copy'),
        config('h1', 'a', 'move'),
        config('h1,h2', 'a,b', ' MOVE '),
        config('h1,list', 'after.a,after.list', 'copy'),
        config('h1,h2', 'more.a,more.b', 'copy'),
        config('h1', 'source.deep.a', 'copy'),
        config('h1', 'id', 'copy'),
        config('h1', 'op.x', 'copy'),
        config('h3', 'a', 'copy'),
        config('none', 'a', 'move'),
        config('h1,h1', 'a,b', 'copy'),
      ],
      records,
    ),
    ...cases(
      `${PACKAGE}.HeaderToValue`,
      [
        {},
        config('a', 'b', 'x'),
        config('a,b', 'c', 'copy'),
        config('a', 'b c', 'copy'),
        config('a,,b', 'a,b,c', 'copy'),
        { headers: 'a', fields: 'b' },
        { headers: 'a', operation: 'copy' },
      ],
      [],
    ),
  ];
};

const schemas = (): Case[] => {
  const typed = (type: SchemaNotation, parameters: Record<string, string>): SchemaNotation => ({ ...(type as SchemaObject), parameters });
  const p = '__debezium.source.column.';
  const row = struct(
    [
      ['id', typed({ type: 'INT32' }, { [`${p}type`]: 'INT4', [`${p}name`]: 'id', [`${p}length`]: '10', [`${p}scale`]: '0' })],
      ['v', typed({ type: 'STRING', optional: true }, { [`${p}type`]: 'VARCHAR', [`${p}name`]: 'v', [`${p}length`]: '20', [`${p}comment`]: 'text' })],
    ],
    { optional: true, name: 'x.Value' },
  );
  const source = struct([['table', 'STRING']], { name: 'Source' });
  const envelope = (of: SchemaObject): SchemaObject => struct([['before', of], ['after', of], ['source', source], ['op', 'STRING']], { name: 'x.Envelope', version: 2 });
  const of = (schema: SchemaObject, rows: object, op: string): RecordNotation => ({ ...value(schema, { ...rows, source: { table: 'tx1' }, op } as never), source: true });
  const untyped = struct([['id', 'INT32']], { optional: true });
  const bad = struct([['id', typed({ type: 'INT32' }, { [`${p}type`]: 'INT4', [`${p}name`]: 'id', [`${p}length`]: 'x' })]], { optional: true });
  return cases(`${PACKAGE}.ExtractSchemaToNewRecord`, [{}, { 'schema.name.adjustment.mode': 'avro' }], [
    of(envelope(row), { after: { id: 1, v: 'a' } }, 'c'),
    of(envelope(row), { before: { id: 1 }, after: { id: 1, v: null } }, 'u'),
    of(envelope(row), { before: { id: 1 } }, 'd'),
    of(envelope(row), {}, 't'),
    of(envelope(untyped), { after: { id: 1 } }, 'c'),
    of(envelope(bad), { after: { id: 1 } }, 'c'),
    tombstone,
    typedTombstone,
    heartbeat,
    schemaless,
  ]);
};

const messages = (): Case[] => {
  const message = struct([['prefix', 'STRING?'], ['content', 'BYTES?']], { optional: true, name: 'io.debezium.connector.postgresql.MessageValue.Block' });
  const schema = (name: string, of = message): SchemaObject =>
    struct([['op', 'STRING'], ['ts_ms', 'INT64?'], ['source', struct([['lsn', 'INT64?']])], ['message', of]], { name });
  const NAME = 'io.debezium.connector.postgresql.MessageValue';
  const of = (content: string | null, name = NAME): RecordNotation => ({
    source: true,
    topic: 'shop.message',
    key: [struct([['prefix', 'STRING?']], { name: 'io.debezium.connector.postgresql.MessageKey' }), { prefix: 'p' }],
    value: [
      schema(name),
      { op: 'm', ts_ms: 5, source: { lsn: 1 }, message: { prefix: 'p', content: content === null ? null : Buffer.from(content).toString('base64') } },
    ],
  });
  const text = struct([['prefix', 'STRING?'], ['content', 'STRING?']], { optional: true, name: 'b' });
  return cases(
    'io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent',
    [{}, { 'fields.null.include': 'true' }],
    [
      of('{"id": 1, "name": "x", "none": null, "deep": {"a": [1, 2]}}'),
      of('{}'),
      of('[1]'),
      of('text'),
      of('{"a":'),
      of(null),
      of('{"a": 1}', 'other'),
      { ...of('x'), value: [schema(NAME, text), { op: 'm', message: { content: '{}' } }] },
      { ...of('x'), value: [schema(NAME), { op: 'm' }] },
      create,
      tombstone,
      typedTombstone,
      schemaless,
    ],
  );
};

const ddl = (): Case[] => {
  const change = struct([['type', 'STRING'], ['id', 'STRING']], { name: 'io.debezium.connector.schema.Change', version: 1 });
  const schema = (name: string): SchemaObject =>
    struct([['ddl', 'STRING?'], ['tableChanges', { type: 'ARRAY', values: change, optional: true }]], { name });
  const of = (changes: readonly string[] | null, name = 'io.debezium.connector.postgresql.SchemaChangeValue'): RecordNotation =>
    value(schema(name), { ddl: 'x', tableChanges: changes?.map((type) => ({ type, id: 't' })) ?? null });
  const KEY = 'schema.change.event.exclude.list';
  return [
    ...cases(
      `${PACKAGE}.SchemaChangeEventFilter`,
      [{ [KEY]: 'CREATE,ALTER' }, { [KEY]: ' DROP , DATABASE' }],
      [of(['CREATE']), of(['DROP', 'CREATE']), of([]), of(null), of(['OTHER']), of(['CREATE'], 'x'), create, tombstone, typedTombstone, schemaless],
    ),
    ...cases(`${PACKAGE}.SchemaChangeEventFilter`, [{}, { [KEY]: 'CREATED' }, { [KEY]: 'create' }, { [KEY]: '' }], []),
  ];
};

const vectors = (): Case[] => {
  const vector = (name: string, values: string, optional = false): SchemaObject => ({ type: 'ARRAY', values, name: `io.debezium.data.${name}`, version: 1, ...(optional && { optional }) });
  const sparse = struct([['dimensions', 'INT16'], ['vector', { type: 'MAP', keys: 'INT16', values: 'FLOAT64' }]], { name: 'io.debezium.data.SparseDoubleVector', version: 1, optional: true });
  const row = struct(
    [
      ['id', 'INT32'],
      ['d', vector('DoubleVector', 'FLOAT64')],
      ['f', vector('FloatVector', 'FLOAT32', true)],
      ['s', sparse],
    ],
    { optional: true, name: 'x.Value' },
  );
  const envelope = struct([['before', row], ['after', row], ['op', 'STRING']], { name: 'x.Envelope', version: 2, doc: 'd' });
  const of = (after: object): RecordNotation => value(envelope, { after, op: 'c' } as never);
  return cases(`${PACKAGE}.VectorToJsonConverter`, [{}], [
    of({ id: 1, d: [1, 2.5, -3e10, 1e-7, 123456789.125, 1e21], f: [1, 0.1, 1e10, -0.5], s: { dimensions: 5, vector: [[3, 1.5], [1, 2]] } }),
    of({ id: 1, d: [], f: null, s: null }),
    of({ id: 1, d: ['NaN', 'Infinity', '-0.0'], f: ['NaN', '-Infinity'], s: { dimensions: 3, vector: [] } }),
    value(row, { id: 1, d: [1] }),
    create,
    remove,
    tombstone,
    typedTombstone,
    schemaless,
    value('STRING', 'x'),
  ]);
};

export const records: Case[] = [...changed(), ...headers(), ...schemas(), ...messages(), ...ddl(), ...vectors()];
