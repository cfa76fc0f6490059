/** Raw rows against their plain values: the same bytes, from the fast way and from the general one. */
import {
  plainRecord,
  RawCursor,
  RawRow,
  schema,
  structSchema,
  type CellForm,
  type RawShape,
  type RawStruct,
  type Schema,
} from '@millrace/sdk';
import { createAvroFormat } from '../../../../connectors/converters-schema-registry/src/avro/avro-format';
import { ByteOutput } from '../../../../connectors/converters-schema-registry/src/byte-output';
import type { RawValueWriter, ValueWriter } from '../../../../connectors/converters-schema-registry/src/format';
import { encodedCells, envelope, keySchema, rawRecord, rawShape, rowGenerator, utf8 } from '../../../helpers/raw-rows';

const ROWS = 20_000;
/** A column and the table have names that Avro does not allow. */
const SETTINGS = { 'scrub.invalid.names': 'true' };

function writers(of: Schema, struct: RawStruct, config: Record<string, string> = {}): [ValueWriter, RawValueWriter] {
  const writer = createAvroFormat({ ...SETTINGS, ...config }, false).writer(of);
  return [writer, rawOf(writer, struct)];
}

function rawOf(writer: ValueWriter, struct: RawStruct): RawValueWriter {
  const raw = writer.raw?.(struct);
  if (!raw) throw new Error('the struct has no raw writer');
  return raw;
}

const plainBytes = (writer: ValueWriter, value: unknown): Buffer => {
  const output = new ByteOutput();
  expect(writer.write(value, output)).toBe(true);
  return Buffer.from(output.finish());
};

function rawBytes(raw: RawValueWriter, cursor: RawCursor, output = new ByteOutput(16)): Buffer | null {
  output.length = 0;
  return raw.write(cursor, output) ? Buffer.from(output.finish()) : null;
}

test.each([
  ['by default', {}],
  ['with nulls in place of defaults', { 'ignore.default.for.nullables': 'true' }],
  ['without metadata of Connect', { 'connect.meta.data': 'false' }],
])(`${ROWS} generated rows have the bytes of their plain values, %s`, (_, config) => {
  const [value, rawValue] = writers(envelope, rawShape.value, config);
  const [key, rawKey] = writers(keySchema, rawShape.key as RawStruct, config);
  const cursor = new RawCursor();
  const output = new ByteOutput(16);
  const make = rowGenerator(42);
  let shared = make.shared();
  for (let i = 0; i < ROWS; i++) {
    if (make.below(5) === 0) shared = make.shared();
    const own = make.below(2 ** 30) * (make.below(2) === 0 ? 1 : 1000);
    const row = new RawRow(rawShape, encodedCells(make.row()), 6, shared, own, make.decoded());
    const expected = plainRecord(rawRecord(row));
    cursor.locate(row);
    for (const [writer, raw, plain] of [
      [key, rawKey, expected.key],
      [value, rawValue, expected.value],
    ] as const) {
      const bytes = rawBytes(raw, cursor, output);
      if (bytes === null) throw new Error(`row ${i} was not written`);
      const wanted = plainBytes(writer, plain);
      if (!bytes.equals(wanted)) expect([i, bytes.toString('hex')]).toEqual([i, wanted.toString('hex')]);
    }
  }
  expect(output.length).toBeGreaterThan(0);
});

test('a registered schema with its fields in another order, other types and a field of its own', () => {
  const format = createAvroFormat(SETTINGS, false);
  const own = structSchema(
    [
      ['id', schema('INT64')],
      ['small', schema('INT32')],
      ['note', schema('STRING', { optional: true })],
    ],
    { name: 'r' },
  );
  const text = JSON.stringify({
    type: 'record',
    name: 'r',
    fields: [
      { name: 'added', type: 'string', default: 'by default' },
      { name: 'note', type: ['string', 'null'] },
      { name: 'small', type: 'double' },
      { name: 'id', type: 'long' },
    ],
  });
  const registered = { type: 'AVRO', text, references: [], id: 1, version: 1, guid: null, dependencies: new Map() };
  const writer = format.writerOf(registered as never, own, true);
  const text32: CellForm = { form: 'integer', decode: (bytes, from, to) => Number(utf8(bytes, from, to)) };
  const struct: RawStruct = {
    schema: own,
    members: [
      { from: 'cell', cell: 0, form: text32 },
      { from: 'cell', cell: 1, form: text32 },
      { from: 'cell', cell: 2, form: { form: 'text', decode: utf8 } },
    ],
  };
  const cursor = new RawCursor();
  const make = rowGenerator(1);
  for (const note of ['näher', null]) {
    const cells = [...make.row().with(0, '-7').with(1, '42').with(2, note)];
    cursor.locate(new RawRow(rawShape, encodedCells(cells), 6, [], 0, null));
    expect(rawBytes(rawOf(writer, struct), cursor)).toEqual(plainBytes(writer, { id: -7, small: 42, note }));
  }
});

test('a row whose values do not fit is left to the general way, and the next one is written', () => {
  const [, raw] = writers(envelope, rawShape.value);
  const cursor = new RawCursor();
  const make = rowGenerator(7);
  const good = make.row();
  const fine = make.shared();
  const write = (
    cells: readonly (string | Buffer | null)[],
    { own = 1, decoded = [null] as unknown[], shared = fine as readonly unknown[] } = {},
  ): Buffer | null => {
    cursor.locate(new RawRow(rawShape, encodedCells(cells), 6, shared as never, own, decoded));
    return rawBytes(raw, cursor);
  };
  expect(write(good.with(2, null))).toBeNull();
  expect(write(good, { own: 2 ** 60 })).toBeNull();
  expect(write(good, { decoded: [12] })).toBeNull();
  expect(write(good, { shared: fine.with(1, 'no integer') })).toBeNull();
  expect(write(good, { shared: fine.with(0, '\ud800') })).toBeNull();
  expect(write(good)).not.toBeNull();
});

test.each(['', '-', '007', '12x', '-0', '99999999999999999999', '999999999999999', '-1000000000000000'])(
  '%p as an integer is what its decoder makes of it',
  (text) => {
    const decode = (bytes: Buffer, start: number, end: number): number => {
      const number = Number(utf8(bytes, start, end));
      return Number.isSafeInteger(number) ? number : utf8(bytes, start, end).length;
    };
    const struct: RawStruct = {
      schema: keySchema,
      members: [{ from: 'cell', cell: 0, form: { form: 'integer', decode } }],
    };
    const [writer, raw] = writers(keySchema, struct);
    const cursor = new RawCursor();
    const cells = rowGenerator(3).row();
    cells[0] = text;
    const bytes = encodedCells(cells);
    cursor.locate(new RawRow({ ...rawShape, key: struct }, bytes, 6, [], 0, null));
    const id = decode(Buffer.from(text), 0, text.length);
    expect(rawBytes(raw, cursor)).toEqual(plainBytes(writer, { id }));
  },
);

test.each([
  ['an integer at the end of what a double represents', Number.MAX_SAFE_INTEGER],
  ['a negative one', -Number.MAX_SAFE_INTEGER],
  ['small ones', -1],
  ['zero', 0],
  ['two bytes', 64],
  ['-65', -65],
  ['beyond 30 bits', 2 ** 30],
  ['its negative', -(2 ** 30) - 1],
])('the row’s own integer, alone and in a joined text: %s', (_, own) => {
  const of = structSchema([
    ['lsn', schema('INT64')],
    ['sequence', schema('STRING', { optional: true })],
  ]);
  const struct: RawStruct = { schema: of, members: [{ from: 'own' }, { from: 'joined', slot: 0, tail: 'ö]' }] };
  const [writer, raw] = writers(of, struct);
  const cursor = new RawCursor();
  const shape: RawShape = { key: null, value: struct, cells: 0, locate: () => undefined };
  cursor.locate(new RawRow(shape, Buffer.alloc(0), 0, ['["ä'], own, null));
  expect(rawBytes(raw, cursor)).toEqual(plainBytes(writer, { lsn: own, sequence: `["ä${own}ö]` }));
});

test('members whose types have no raw way leave the struct to the general one', () => {
  const of = structSchema([['lsn', schema('STRING')]]);
  expect(
    createAvroFormat({}, false)
      .writer(of)
      .raw?.({ schema: of, members: [{ from: 'own' }] }),
  ).toBeNull();
});

test('after shared values of another length that do not fit, the next ones are at their places', () => {
  const [writer, raw] = writers(envelope, rawShape.value);
  const cursor = new RawCursor();
  const make = rowGenerator(11);
  const cells = make.row();
  const first = make.shared().with(0, '["1",');
  const longer = first.with(0, '["1234567890","');
  const write = (shared: readonly unknown[]): [Buffer | null, Buffer] => {
    const row = new RawRow(rawShape, encodedCells(cells), 6, shared as never, 5, [null]);
    cursor.locate(row);
    return [rawBytes(raw, cursor), plainBytes(writer, plainRecord(rawRecord(row)).value)];
  };
  const [before, expectedBefore] = write(first);
  expect(before).toEqual(expectedBefore);
  cursor.locate(new RawRow(rawShape, encodedCells(cells), 6, longer.with(1, 'no integer') as never, 5, [null]));
  expect(rawBytes(raw, cursor)).toBeNull();
  const [after, expectedAfter] = write(longer);
  expect(after).toEqual(expectedAfter);
});
