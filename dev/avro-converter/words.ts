/** Names, texts and numbers from which cases are made: ordinary ones, and those that break something. */
import type { Seeded } from '../../test/helpers/seeded';

const NAMES = ['id', 'name', 'value', 'after', 'before', 'op', 'created_at', 'x1', 'Übung', 'ID', 'type'];
/** Not Avro's, or special to JavaScript. */
const ODD_NAMES = ['a-b', '1st', 'a.b', 'a b', '', '__proto__', 'constructor', '$', 'ä', '😀', '-', 'toString', '_'];
const SPACES = ['', 'com.example', 'io.debezium.data', 'a', 'Server1.inventory.todo'];
const ODD_SPACES = ['a-b', '1.2', 'a..b', '.', 'com.example-x.1y', 'ä.ö'];
const TEXTS = ['', 'x', 'plain text', 'äöü €', '😀𝒳', 'new\nline', '"quoted" \\', '\u0000', '\uffff', "it's", 'null'];
const INT64 = [0n, 1n, -1n, 9007199254740993n, -9007199254740993n, 9223372036854775807n, -9223372036854775808n];
const DOUBLES = [
  0,
  -0,
  1,
  -1,
  0.1,
  1.5,
  1e21,
  5e-324,
  1.7976931348623157e308,
  Number.NaN,
  Infinity,
  -Infinity,
  16777217,
];

/** @param oddity share of names that are no Avro names */
export function fieldName(random: Seeded, oddity: number): string {
  if (random.chance(oddity)) return random.one(ODD_NAMES);
  return random.chance(0.5) ? random.one(NAMES) : `f${random.below(30)}`;
}

export function schemaName(random: Seeded, oddity: number): string {
  const space = random.chance(oddity) ? random.one(ODD_SPACES) : random.one(SPACES);
  const name = random.chance(oddity)
    ? random.one(ODD_NAMES)
    : random.one(['Value', 'Key', 'Envelope', 'Row', 'Block', 'T']);
  const own = random.chance(0.85) ? `${name}${random.below(1_000)}` : name;
  return space === '' ? own : `${space}.${own}`;
}

export function text(random: Seeded): string {
  if (random.chance(0.03)) return random.one(['\ud800', 'a\udc00b', '\ud83dx']);
  return random.chance(0.1) ? 'long '.repeat(random.below(60)) : random.one(TEXTS);
}

/** As Connect data has it: a bigint beyond the safe integers. */
export function integer(random: Seeded, bits: number): number | bigint {
  if (bits === 64) {
    const wide = random.chance(0.5) ? random.one(INT64) : BigInt(Math.floor((random.next() - 0.5) * 2 ** 50));
    return Number.isSafeInteger(Number(wide)) ? Number(wide) : wide;
  }
  const half = 2 ** (bits - 1);
  return random.chance(0.4) ? random.one([0, 1, -1, half - 1, -half, 64, -65]) : random.below(2 * half) - half;
}

export function double(random: Seeded): number {
  return random.chance(0.7) ? random.one(DOUBLES) : (random.next() - 0.5) * 10 ** random.below(30);
}

export function bytes(random: Seeded, length = random.one([0, 1, 2, 9])): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

const FLAGS = [
  'enhanced.avro.schema.support',
  'connect.meta.data',
  'scrub.invalid.names',
  'generalized.sum.type.support',
  'ignore.default.for.nullables',
  'flatten.singleton.unions',
  'discard.type.doc.default',
  'allow.optional.map.keys',
];
const ON = new Set(['connect.meta.data', 'flatten.singleton.unions']);

/** Settings of the converter: often the defaults, otherwise a few others. */
export function settings(random: Seeded): Record<string, string> {
  if (random.chance(0.35)) return {};
  const out: Record<string, string> = {};
  for (const flag of FLAGS) if (random.chance(0.25)) out[flag] = String(!ON.has(flag));
  return out;
}
