/** Raw rows against their plain values: the same bytes, from the fast way and from the general one. */
import { plainRecord, RawCursor, RawRow, schema, structSchema, type CellForm, type RawShape } from '@millrace/sdk';
import { JsonConverter } from '../../../src/converters/json/json-converter';
import { encodedCells, envelope, keySchema, rawRecord, rawShape, rowGenerator, utf8 } from '../../helpers/raw-rows';

const ROWS = 20_000;

describe.each([
  ['without schemas', { 'schemas.enable': 'false' }],
  ['with schemas', {}],
  ['with numeric decimals', { 'schemas.enable': 'false', 'decimal.format': 'NUMERIC' }],
  ['with nulls kept', { 'schemas.enable': 'false', 'replace.null.with.default': 'false' }],
])('raw rows %s', (_, config: Record<string, string>) => {
  const [raw, plain] = [new JsonConverter(), new JsonConverter()];
  raw.configure(config);
  plain.configure(config);
  const cursor = new RawCursor();

  test(`${ROWS} generated rows have the bytes of their plain values`, () => {
    const make = rowGenerator(42);
    let shared = make.shared();
    let written = 0;
    for (let i = 0; i < ROWS; i++) {
      if (make.below(5) === 0) shared = make.shared();
      const bytes = encodedCells(make.row());
      const value = new RawRow(rawShape, bytes, 6, shared, make.below(2 ** 30) * 1000, make.decoded());
      const expected = plainRecord(rawRecord(value));
      cursor.locate(value);
      const key = raw.fromRaw('t', rawShape.key as NonNullable<RawShape['key']>, cursor);
      expect(key?.toString()).toBe(String(plain.fromConnectData('t', keySchema, expected.key)));
      const bytesOfValue = raw.fromRaw('t', rawShape.value, cursor);
      const expectedBytes = plain.fromConnectData('t', envelope, expected.value) as Buffer;
      if (bytesOfValue === null) throw new Error(`row ${i} was not written`);
      if (Buffer.compare(bytesOfValue, expectedBytes) !== 0)
        expect(bytesOfValue.toString()).toBe(expectedBytes.toString());
      written++;
    }
    expect(written).toBe(ROWS);
  });

  test('a row whose values do not fit is left to the general way, and the next one is written', () => {
    const make = rowGenerator(7);
    const good = make.row();
    const shared = make.shared();
    const write = (cells: readonly (string | Buffer | null)[], own = 1, decoded: unknown[] = [null]) => {
      cursor.locate(new RawRow(rawShape, encodedCells(cells), 6, shared, own, decoded));
      return raw.fromRaw('t', rawShape.value, cursor);
    };
    expect(write(good.with(2, null))).toBeNull();
    expect(write(good, 2 ** 60)).toBeNull();
    expect(write(good, 1, [12])).toBeNull();
    expect(write(good)).not.toBeNull();
  });

  test.each(['', '-', '007', '12x', '-0', '99999999999999999999'])(
    '%p as an integer is what its decoder makes of it',
    (text) => {
      const make = rowGenerator(3);
      const decode = (bytes: Buffer, start: number, end: number): number => utf8(bytes, start, end).length;
      const form: CellForm = { form: 'integer', decode };
      const one = { schema: keySchema, members: [{ from: 'cell', cell: 0, form }] } as const;
      const cells = make.row();
      cells[0] = text;
      cursor.locate(new RawRow({ ...rawShape, key: one }, encodedCells(cells), 6, [], 0, null));
      expect(raw.fromRaw('t', one, cursor)?.toString()).toBe(
        String(plain.fromConnectData('t', keySchema, { id: text.length })),
      );
    },
  );
});

test('a shared member whose null would be its default is not written from bytes', () => {
  const json = new JsonConverter();
  json.configure({});
  const of = structSchema([['a', schema('STRING', { optional: true, default: 'x' })]]);
  const cursor = new RawCursor();
  cursor.locate(new RawRow({ ...rawShape, cells: 0, locate: () => {} }, Buffer.alloc(0), 0, [null], 0, null));
  expect(json.fromRaw('t', { schema: of, members: [{ from: 'shared', slot: 0 }] }, cursor)).toBeNull();
});
