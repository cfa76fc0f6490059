/** Raw rows of one table with every kind of member, generated from a seed. */
import {
  decimalSchema,
  schema,
  structSchema,
  timestampSchema,
  type CellForm,
  type RawMember,
  type RawRow,
  type RawShape,
  type Schema,
  type SourceRecord,
} from '@millrace/sdk';

/** Numbers from 0 to 1, the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const utf8 = (bytes: Buffer, start: number, end: number): string => bytes.toString('utf8', start, end);
const integerOf = (bytes: Buffer, start: number, end: number): number => Number(utf8(bytes, start, end));
const int64Of = (bytes: Buffer, start: number, end: number): number | bigint => {
  const value = BigInt(utf8(bytes, start, end));
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
};

const TEXT: CellForm = { form: 'text', decode: utf8 };
const INT32: CellForm = { form: 'integer', decode: integerOf };
const INT64: CellForm = { form: 'integer', decode: int64Of };
const BOOLEAN: CellForm = { form: 'boolean', decode: (bytes, start) => bytes[start] === 0x74 };
const INSTANT: CellForm = { form: 'number', decode: (...at) => new Date(integerOf(...at)), read: integerOf };
const DECIMAL: CellForm = {
  form: 'decimal',
  decode: (...at) => ({ unscaled: BigInt(utf8(...at).replace('.', '')), scale: 2 }),
  read: (...at) => Number(utf8(...at).replace('.', '')),
};
const MICROS: CellForm = { form: 'number', decode: int64Of, read: integerOf };

const optionalString = schema('STRING', { optional: true });
const columns: readonly (readonly [string, Schema, CellForm])[] = [
  ['id', schema('INT64'), INT64],
  ['small', schema('INT32', { optional: true, default: 7 }), INT32],
  ['name "quoted"', schema('STRING'), TEXT],
  ['note', schema('STRING', { optional: true, default: 'näher' }), TEXT],
  ['open', schema('BOOLEAN', { optional: true }), BOOLEAN],
  ['at', timestampSchema({ optional: true }), INSTANT],
  ['micros', schema('INT64', { optional: true }), MICROS],
  ['amount', decimalSchema(2, { optional: true }), DECIMAL],
  ['__proto__', optionalString, TEXT],
];
const row = structSchema(
  columns.map(([name, of]) => [name, of] as const),
  { optional: true, name: 'row' },
);
const source = structSchema([
  ['version', schema('STRING')],
  ['sequence', optionalString],
  ['ts_ms', schema('INT64')],
  ['ts_ns', schema('INT64')],
  ['txId', schema('INT64', { optional: true })],
  ['origin', optionalString],
  ['lsn', schema('INT64')],
]);
export const envelope = structSchema(
  [
    ['before', row],
    ['after', row],
    ['source', source],
    ['tags', schema('BYTES', { optional: true })],
    ['op', schema('STRING')],
  ],
  { name: 't.Envelope' },
);
export const keySchema = structSchema([['id', schema('INT64')]], { name: 'key' });

const cell = (i: number): RawMember => ({ from: 'cell', cell: i, form: (columns[i] as (typeof columns)[number])[2] });
export const rawShape: RawShape = {
  key: { schema: keySchema, members: [cell(0)] },
  value: {
    schema: envelope,
    members: [
      { from: 'constant', value: null },
      { from: 'struct', struct: { schema: row, members: columns.map((_, i) => cell(i)) } },
      {
        from: 'struct',
        struct: {
          schema: source,
          members: [
            { from: 'constant', value: '3.7 "final"' },
            { from: 'joined', slot: 0, tail: '"]' },
            { from: 'shared', slot: 1 },
            { from: 'shared', slot: 2 },
            { from: 'shared', slot: 3 },
            { from: 'shared', slot: 4 },
            { from: 'own' },
          ],
        },
      },
      { from: 'decoded', index: 0 },
      { from: 'constant', value: 'c' },
    ],
  },
  cells: columns.length,
  // Each cell: a byte of length, 255 for null, and the text.
  locate: (bytes, at, spans) => {
    let from = at;
    for (let i = 0; i < columns.length; i++) {
      const length = bytes.readInt32BE(from);
      from += 4;
      spans[i * 2] = length < 0 ? -1 : from;
      if (length > 0) from += length;
      spans[i * 2 + 1] = from;
    }
  },
};

export function encodedCells(cells: readonly (string | Buffer | null)[]): Buffer {
  const parts = cells.flatMap((text) => {
    const length = Buffer.alloc(4);
    if (text === null) length.writeInt32BE(-1);
    const bytes = text === null ? Buffer.alloc(0) : Buffer.from(text as string);
    if (text !== null) length.writeInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat([Buffer.from('before'), ...parts, Buffer.from('behind')]);
}

const ALPHABET = [
  'a',
  'Z',
  ' ',
  '"',
  '\\',
  '\n',
  '\t',
  '\u0001',
  '\u007f',
  'é',
  '€',
  '\uf8ff',
  '\ufffd',
  '😀',
  '\u0000',
];

export function rowGenerator(seed: number) {
  const next = random(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const text = (): string | Buffer => {
    if (below(200) === 0) return 'long '.repeat(below(4000));
    if (below(50) === 0) return Buffer.from([0x61, pick([0xff, 0xc3, 0xed, 0xf0]), below(256)]);
    const plain = below(2) === 0;
    return Array.from({ length: below(60) }, () => (plain ? pick(['x', 'y', ' ']) : pick(ALPHABET))).join('');
  };
  const integer = (): string => {
    const digits = below(19) + 1;
    const value = Array.from({ length: digits }, (_, i) => (i === 0 && digits > 1 ? below(9) + 1 : below(10))).join('');
    return below(2) === 0 || value === '0' ? value : `-${value}`;
  };
  const small = (): string => String(below(2 ** 32) - 2 ** 31);
  const some = <T>(make: () => T): T | null => (below(8) === 0 ? null : make());
  const safe = (): string => String(Math.floor((next() - 0.5) * 2 ** below(53)));
  const amount = (): string => {
    const unscaled = String(Math.floor(next() * 10 ** below(15))).padStart(3, '0');
    return `${pick(['', '-'])}${unscaled.slice(0, -2)}.${unscaled.slice(-2)}`;
  };
  const valid = (): string => `${below(2) === 0 ? '' : '-'}${below(2 ** 30) * 2 ** 10}`;
  return {
    below,
    row: (): (string | Buffer | null)[] => [
      BigInt.asIntN(64, BigInt(integer())).toString(),
      some(small),
      text(),
      some(text),
      some(() => pick(['t', 'f'])),
      some(valid),
      some(safe),
      some(amount),
      some(text),
    ],
    shared: () => [
      pick(['["1234","', '[null,"', 'ö"']),
      below(2 ** 31) * 1000,
      BigInt(below(2 ** 31)) * 10n ** 9n,
      some(() => below(1e6)),
      some(() => pick(['pg_1', 'ursprüngliche "Quelle"'])),
    ],
    decoded: () => [some(() => Buffer.from(String(next())))],
  };
}

export const rawRecord = (value: RawRow): SourceRecord => ({
  ...{ sourcePartition: null, sourceOffset: null, topic: 't', keySchema, key: value, valueSchema: envelope, value },
});
