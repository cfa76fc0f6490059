/** Texts that the server sends for values of each type, some that it never sends, and the messages that hold them. */
import type { Seeded } from '../../../helpers/seeded';
import type { CatalogColumn, CatalogType } from './plugin-decoding';

export interface Generated extends CatalogColumn {
  readonly text: (random: Seeded) => string | Buffer;
}

export const TYPES: readonly CatalogType[] = [
  [18, 'char'],
  [19, 'name'],
  [21, 'int2'],
  [26, 'oid'],
  [114, 'json'],
  [142, 'xml'],
  [869, 'inet'],
  [1007, '_int4', 23],
  [1009, '_text', 25],
  [1042, 'bpchar'],
  [1043, 'varchar'],
  [1186, 'interval'],
  [1560, 'bit'],
  [2950, 'uuid'],
  [3802, 'jsonb'],
  [3904, 'int4range'],
  [16500, 'citext'],
  [16501, 'hstore'],
].map(([oid, name, of = 0]) => ({ oid, name, of }) as CatalogType);

const digits = (random: Seeded, count: number): string => {
  let text = String(1 + random.below(9));
  while (text.length < count) text += random.below(10);
  return text;
};
const sign = (random: Seeded): string => (random.chance(0.3) ? '-' : '');
const two = (value: number): string => String(value).padStart(2, '0');

const integer =
  (most: number, special: readonly string[]) =>
  (random: Seeded): string =>
    random.chance(0.1) ? random.one(special) : sign(random) + digits(random, 1 + random.below(most));

const CHARACTERS = [...'abc XYZ019 _-"\\/\b\t\n\f\r\u0000\u0001\u001f\u007fäß€漢😀\ufffd\u2028'];
const words = (random: Seeded): string | Buffer => {
  if (random.chance(0.01)) return Buffer.from([97, 0xff, 0xc3, 98]);
  if (random.chance(0.005)) return 'x'.repeat(5000);
  if (random.chance(0.0001)) return 'x'.repeat(random.one([1024 * 1024, 1024 * 1024 + 1]));
  return Array.from({ length: random.below(24) }, () => random.one(CHARACTERS)).join('');
};

const fraction = (random: Seeded, most: number): string =>
  random.chance(0.3) || most === 0 ? '' : `.${digits(random, 1 + random.below(most))}`;
const date = (random: Seeded): string => {
  const year = random.chance(0.1) ? random.one([1, 999, 1699, 1700, 2199, 2200, 9999]) : 1900 + random.below(200);
  return `${String(year).padStart(4, '0')}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
};
const clock = (random: Seeded, most: number): string =>
  `${two(random.below(24))}:${two(random.below(60))}:${two(random.below(60))}${fraction(random, most)}`;
const FAR = ['infinity', '-infinity', '0044-03-15 BC', '12024-01-02', '294276-12-31'];
const FAR_TIMES = [
  'infinity',
  '-infinity',
  '0044-03-15 01:02:03 BC',
  '12024-01-02 03:04:05.6',
  '294276-12-31 23:59:59',
];

const decimal = (random: Seeded, scale: number): string => {
  if (random.chance(0.05)) return random.one(['NaN', '0', '-5', '1.234', '123456789012345678.12', 'Infinity']);
  const whole = random.chance(0.2) ? '0' : digits(random, 1 + random.below(13));
  return sign(random) + whole + (scale === 0 ? '' : `.${String(random.below(10 ** scale)).padStart(scale, '0')}`);
};

const column = (name: string, oid: number, type: string, text: Generated['text'], typmod = -1): Generated => ({
  ...{ name, oid, type, typmod, text },
});
const wordsOf = (name: string, oid: number, typmod = -1): Generated => column(name, oid, name, words, typmod);
const numericTypmod = (precision: number, scale: number): number => (precision << 16) + scale + 4;

/** A column of every kind. */
export const COLUMNS: readonly Generated[] = [
  column('i4', 23, 'integer', integer(10, ['2147483647', '-2147483648', '2147483648', '0', '-0', '007', '', 'x1'])),
  column('i2', 21, 'smallint', integer(5, ['32767', '-32768', '32768', '0', '1e3'])),
  column('i8', 20, 'bigint', integer(19, ['9223372036854775807', '-9223372036854775808', '9007199254740993', '0'])),
  column('oid', 26, 'oid', integer(9, ['4294967295', '0'])),
  column('bo', 16, 'boolean', (random) => random.one(['t', 'f', 't', 'f', 'f', 'true', ''])),
  column('f4', 700, 'real', (random) => random.one(['1.5', '-0', '1e+20', 'NaN', 'Infinity', '3.4028235e+38', '0'])),
  column('f8', 701, 'double precision', (random) => random.one(['0.1', '-0', '1e-300', 'NaN', '-Infinity', '42'])),
  column('n2', 1700, 'numeric(20,2)', (random) => decimal(random, 2), numericTypmod(20, 2)),
  column('n0', 1700, 'numeric(10,0)', (random) => decimal(random, 0), numericTypmod(10, 0)),
  column('n', 1700, 'numeric', (random) => decimal(random, random.below(6))),
  column('m', 790, 'money', (random) => `${sign(random)}$1,${digits(random, 3)}.${digits(random, 2)}`),
  wordsOf('text', 25),
  wordsOf('varchar', 1043),
  wordsOf('bpchar', 1042, 12),
  wordsOf('citext', 16500),
  wordsOf('name', 19),
  wordsOf('char', 18),
  column('json', 114, 'json', (random) => JSON.stringify({ a: String(words(random)), b: [1, null] })),
  column('jsonb', 3802, 'jsonb', (random) => JSON.stringify([String(words(random))])),
  column('xml', 142, 'xml', () => '<a b="c">ä</a>'),
  column('inet', 869, 'inet', (random) => `10.0.0.${random.below(256)}/24`),
  column('range', 3904, 'int4range', (random) => `[1,${random.below(100)})`),
  column('uuid', 2950, 'uuid', (random) =>
    random.chance(0.02) ? 'é' : `b68a35a7-17ad-35b3-af2a-ae46edb${digits(random, 5)}`,
  ),
  column('e', 16386, '"S s"."My E"', (random) => random.one(['a', 'b', 'a', 'b', ''])),
  column('b', 17, 'bytea', (random) => (random.chance(0.02) ? String.raw`\000` : String.raw`\x00ff0a`)),
  column('d', 1082, 'date', (random) => (random.chance(0.05) ? random.one(FAR) : date(random))),
  column('t6', 1083, 'time', (random) => (random.chance(0.05) ? '24:00:00' : clock(random, 6))),
  column('t3', 1083, 'time(3)', (random) => clock(random, 3), 3),
  column('tz', 1266, 'timetz', (random) => `${clock(random, 6)}+00`),
  column('ts6', 1114, 'timestamp', (random) =>
    random.chance(0.05) ? random.one(FAR_TIMES) : `${date(random)} ${clock(random, 6)}`,
  ),
  column(
    'ts3',
    1114,
    'timestamp(3)',
    (random) => (random.chance(0.05) ? random.one(FAR_TIMES) : `${date(random)} ${clock(random, 3)}`),
    3,
  ),
  column('tt6', 1184, 'timestamptz', (random) => zoned(random, 6)),
  column('tt3', 1184, 'timestamptz(3)', (random) => zoned(random, 3), 3),
  column('tt0', 1184, 'timestamptz(0)', (random) => zoned(random, 0), 0),
  column('iv', 1186, 'interval', () => '1 year 2 mons -3 days +04:05:06.7'),
  column('bit', 1560, 'bit(1)', (random) => random.one(['0', '1']), 1),
  column('hs', 16501, 'hstore', () => '"1"=>"a\\"b", "k"=>NULL'),
  column('p', 600, 'point', (random) => `(${random.below(9)},-1.5)`),
  column('ia', 1007, 'integer[]', (random) => random.one(['{1,2}', '{}', '{{1},{2}}', '{NULL,3}'])),
  column('ta', 1009, 'text[]', () => '{a,"b c",NULL}'),
];

function zoned(random: Seeded, most: number): string {
  if (random.chance(0.05)) return random.one(FAR_TIMES.map((text) => text.replace(/(?= BC|$)/, '+00')));
  return `${date(random)} ${clock(random, most)}${random.chance(0.03) ? random.one(['+01', '-05:30']) : '+00'}`;
}

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

/** Null: NULL; undefined: an unchanged value, which is not sent. */
export type Cell = Buffer | null | undefined;

export function tuple(cells: readonly Cell[]): Buffer {
  const parts = cells.map((cell) => {
    if (cell == null) return Buffer.from(cell === null ? 'n' : 'u');
    return Buffer.concat([Buffer.from('t'), int32(cell.length), cell]);
  });
  return Buffer.concat([int16(cells.length), ...parts]);
}

export const begin = (lsn: number, xid: number, micros: bigint): Buffer => {
  const bytes = Buffer.alloc(21);
  bytes.write('B');
  bytes.writeBigUInt64BE(BigInt(lsn), 1);
  bytes.writeBigInt64BE(micros, 9);
  bytes.writeUInt32BE(xid, 17);
  return bytes;
};

export const commit = (): Buffer => Buffer.concat([Buffer.from('C'), Buffer.alloc(25)]);

export const relation = (columns: readonly CatalogColumn[]): Buffer =>
  Buffer.concat([
    Buffer.from('R\0\0\0\x01S s\0t.1\0d', 'latin1'),
    int16(columns.length),
    ...columns.map(({ name, oid, typmod = -1 }, i) =>
      Buffer.concat([Buffer.from([i === 0 ? 1 : 0]), Buffer.from(`${name}\0`), int32(oid), int32(typmod)]),
    ),
  ]);

const TABLE = int32(1);

export const insert = (row: readonly Cell[]): Buffer =>
  Buffer.concat([Buffer.from('I'), TABLE, Buffer.from('N'), tuple(row)]);

/** @param kind of the old row: `K` or `O` */
export const update = (row: readonly Cell[], old: readonly Cell[] | null, kind = 'O'): Buffer =>
  Buffer.concat([
    Buffer.from('U'),
    TABLE,
    ...(old === null ? [] : [Buffer.from(kind), tuple(old)]),
    Buffer.from('N'),
    tuple(row),
  ]);

export const remove = (old: readonly Cell[], kind: string): Buffer =>
  Buffer.concat([Buffer.from('D'), TABLE, Buffer.from(kind), tuple(old)]);
