/** Random Connect schemas and values for them. */
import {
  arraySchema,
  dateSchema,
  decimalSchema,
  mapSchema,
  optional,
  schema,
  structSchema,
  timeSchema,
  timestampSchema,
  type Schema,
} from '@millrace/sdk';
import type { Seeded } from '../../../helpers/seeded';

export interface RandomData {
  readonly schema: Schema;
  value(): unknown;
}

const SCALARS = ['INT8', 'INT16', 'INT32', 'INT64', 'FLOAT32', 'FLOAT64', 'BOOLEAN', 'STRING', 'BYTES'] as const;
const DAY = 86_400_000;

/** @param exact whether int64 is only what a number represents exactly */
export function randomData(random: Seeded, exact: boolean, depth = 3): RandomData {
  let names = 0;
  const uniqueName = (): string => `test.ns.T${++names}`;

  const int64 = (): number | bigint => {
    const numbers = [0, -1, 63, 64, -64, -65, 2 ** 30, -(2 ** 30), 2 ** 31, 2 ** 40 + 5, -(2 ** 50) - 1];
    const ends = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    const large = [2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n), 1764500000123456789n];
    return exact ? random.one(numbers) : random.one<number | bigint>([...numbers, ...ends, ...large]);
  };
  const scalar = (type: (typeof SCALARS)[number]): unknown => {
    switch (type) {
      case 'INT8':
        return random.below(256) - 128;
      case 'INT16':
        return random.below(65_536) - 32_768;
      case 'INT32':
        return random.one([0, -1, 2 ** 31 - 1, -(2 ** 31), random.below(1_000_000)]);
      case 'INT64':
        return int64();
      case 'FLOAT32':
        return Math.fround(random.one([0, -0, 1.5, 3.4e38, Infinity, random.next()]));
      case 'FLOAT64':
        return random.one([0, -0, Math.PI, 5e-324, -Infinity, random.next() * 1e9]);
      case 'BOOLEAN':
        return random.chance(0.5);
      case 'STRING':
        return random.one([
          '',
          'a',
          'größe',
          '漢字',
          '😀',
          'x'.repeat(random.below(300)),
          'é'.repeat(random.below(90)),
        ]);
      case 'BYTES':
        return Buffer.from(Array.from({ length: random.below(70) }, () => random.below(256)));
    }
  };
  const logical = (isOptional: boolean): RandomData => {
    const options = { optional: isOptional };
    const scale = random.below(4);
    const unscaled = [0n, -1n, 127n, 128n, -128n, -129n, 2n ** 47n, -(2n ** 47n) - 1n, 2n ** 90n, -(2n ** 71n)];
    return random.one<RandomData>([
      { schema: decimalSchema(scale, options), value: () => ({ unscaled: random.one(unscaled), scale }) },
      { schema: dateSchema(options), value: () => new Date((random.below(40_000) - 10_000) * DAY) },
      { schema: timeSchema(options), value: () => new Date(random.below(DAY)) },
      { schema: timestampSchema(options), value: () => new Date(random.below(2 ** 31) * 1_000 - 5e11) },
    ]);
  };
  const any = (level: number): RandomData => {
    const isOptional = random.chance(0.4);
    const options = { optional: isOptional };
    switch (random.below(level > 0 ? 8 : 4)) {
      case 0:
        return logical(isOptional);
      case 4: {
        const of = any(level - 1);
        const value = (): unknown => Array.from({ length: random.below(4) }, () => nullable(of));
        return { schema: arraySchema(of.schema, options), value };
      }
      case 5: {
        const of = any(level - 1);
        const value = (): unknown => new Map(['a', '', 'ö'].slice(random.below(4)).map((key) => [key, nullable(of)]));
        return { schema: mapSchema(schema('STRING'), of.schema, options), value };
      }
      case 6: {
        const of = any(level - 1);
        const value = (): unknown => new Map([1, -7].slice(random.below(3)).map((key) => [key, nullable(of)]));
        return { schema: mapSchema(schema('INT32'), of.schema, { ...options, name: uniqueName() }), value };
      }
      case 7: {
        const fields = Array.from({ length: random.below(7) }, (_, i) => [`f${i}`, any(level - 1)] as const);
        const value = (): unknown => Object.fromEntries(fields.map(([name, of]) => [name, nullable(of)]));
        const struct = structSchema(
          fields.map(([name, of]) => [name, of.schema]),
          { name: uniqueName() },
        );
        return { schema: isOptional ? optional(struct) : struct, value };
      }
      default: {
        const type = random.one(SCALARS);
        return { schema: schema(type, options), value: () => scalar(type) };
      }
    }
  };
  const nullable = (of: RandomData): unknown => (of.schema.optional && random.chance(0.3) ? null : of.value());
  return any(depth);
}
