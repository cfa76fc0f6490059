/**
 * What the recorded results of Debezium 3.7 do not cover: the settings of 1.x, and how much is created per record.
 */
import { schema, structSchema, type ConnectorConfig, type SourceRecord } from '@millrace/sdk';
import { extractNewRecordState } from '../../../connectors/transforms-debezium/src';

const row = structSchema(
  [
    ['id', schema('INT32')],
    ['v', schema('STRING', { optional: true })],
  ],
  { name: 'shop.todo.Value', optional: true },
);
const envelope = structSchema(
  [
    ['before', row],
    ['after', row],
    ['source', structSchema([['table', schema('STRING')]])],
    ['op', schema('STRING')],
  ],
  { name: 'shop.todo.Envelope' },
);
const event = (op: string, before: object | null, after: object | null): SourceRecord => ({
  sourcePartition: null,
  sourceOffset: null,
  topic: 'shop.todo',
  keySchema: null,
  key: 1,
  valueSchema: envelope,
  value: { before, after, source: { table: 'todo' }, op },
});
const CREATE = event('c', null, { id: 1, v: 'one' });
const DELETE = event('d', { id: 1, v: 'one' }, null);
const TOMBSTONE: SourceRecord = { ...CREATE, valueSchema: null, value: null };

const unwrap = (config: ConnectorConfig) => {
  const transformation = extractNewRecordState.create();
  transformation.configure(config);
  return (record: SourceRecord) => transformation.apply(record);
};

test.each<[ConnectorConfig, object, object | null | undefined, boolean]>([
  [{ 'delete.handling.mode': 'drop' }, { id: 1, v: 'one' }, undefined, false],
  [{ 'delete.handling.mode': 'drop', 'drop.tombstones': 'false' }, { id: 1, v: 'one' }, null, false],
  [{ 'drop.tombstones': 'true' }, { id: 1, v: 'one' }, undefined, false],
  [{ 'drop.tombstones': 'false' }, { id: 1, v: 'one' }, null, false],
  [{ 'delete.handling.mode': 'none', 'drop.tombstones': 'false' }, { id: 1, v: 'one' }, null, false],
  [
    { 'delete.handling.mode': 'rewrite' },
    { id: 1, v: 'one', __deleted: 'false' },
    { id: 1, v: 'one', __deleted: 'true' },
    false,
  ],
  [
    { 'delete.handling.mode': 'rewrite', 'drop.tombstones': 'false' },
    { id: 1, v: 'one', __deleted: 'false' },
    { id: 1, v: 'one', __deleted: 'true' },
    true,
  ],
  [{ 'add.source.fields': 'table' }, { id: 1, v: 'one', __table: 'todo' }, null, false],
])('cdc-postgres 107: %j of Debezium 1.x', (config, created, deleted, keepsTombstone) => {
  const apply = unwrap(config);
  expect(apply(CREATE)?.value).toEqual(created);
  expect(apply(DELETE)?.value).toEqual(deleted);
  expect(apply(TOMBSTONE) !== null).toBe(keepsTombstone);
});

test('cdc-postgres 107: operation.header of Debezium 1.x adds the operation as a header', () => {
  const header = unwrap({ 'operation.header': 'true' })(CREATE)?.headers?.[0];
  expect(header).toMatchObject({ key: '__op', value: 'c' });
});

test('cdc-postgres 107: a tombstone has no headers that were added to its delete, but for the operation', () => {
  const headers = [{ key: 'run', schema: schema('STRING'), value: '1' }];
  const apply = unwrap({
    'add.headers': 'op,source.table',
    'delete.tombstone.handling.mode': 'rewrite-with-tombstone',
  });
  const named = (record: SourceRecord): unknown => apply(record)?.headers?.map(({ key, value }) => [key, value]);
  // The source gives both the same headers.
  expect(named({ ...DELETE, headers })).toEqual([
    ['run', '1'],
    ['__op', 'd'],
    ['__source_table', 'todo'],
  ]);
  expect(named({ ...TOMBSTONE, headers })).toEqual([
    ['run', '1'],
    ['__op', 'd'],
  ]);
});

test('cdc-postgres 107: an invalid mode of Debezium 1.x is rejected', () => {
  expect(() => unwrap({ 'delete.handling.mode': 'keep' })).toThrow(
    "Invalid value keep for configuration delete.handling.mode: The 'delete.handling.mode' value is invalid: Value must be one of drop, rewrite, none",
  );
});

test('cdc-postgres 107: rows of one table share one schema, and so the serializer that a converter created for it', () => {
  const apply = unwrap({ 'add.fields': 'op' });
  expect(apply(CREATE)?.valueSchema).toBe(apply(event('u', null, { id: 2, v: null }))?.valueSchema);
});

test('cdc-postgres 95: a column called __proto__ is handled as any other', () => {
  const odd = structSchema([['__proto__', schema('STRING')]], { name: 'shop.odd.Value', optional: true });
  const valueSchema = structSchema([['after', odd]], { name: 'shop.odd.Envelope' });
  const record = { ...CREATE, valueSchema, value: { after: JSON.parse('{"__proto__":"x"}') as object } };
  const configs: ConnectorConfig[] = [{}, { 'delete.tombstone.handling.mode': 'rewrite' }];
  for (const config of configs)
    expect(Object.entries(unwrap(config)(record)?.value as object)[0]).toEqual(['__proto__', 'x']);
  const dropping = { ...record, headers: [{ key: 'drop', schema: null, value: ['other'] }] };
  const kept = unwrap({ 'drop.fields.header.name': 'drop', 'drop.fields.keep.schema.compatible': 'false' })(dropping);
  expect(Object.entries(kept?.value as object)).toEqual([['__proto__', 'x']]);
});
