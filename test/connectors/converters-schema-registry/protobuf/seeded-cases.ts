/** Seeded schemas with values that Protobuf can hold, and settings of the converter. */
import {
  arraySchema,
  dateSchema,
  decimalSchema,
  mapSchema,
  schema,
  structSchema,
  timeSchema,
  timestampSchema,
  type Schema,
  type SchemaOptions,
} from '@millrace/sdk';
import type { Seeded } from '../../../helpers/seeded';
import type { Config } from './protobuf-harness';

const FLAGS = [
  'enhanced.protobuf.schema.support',
  'int.for.enums',
  'optional.for.nullables',
  'generate.index.for.unions',
  'wrapper.for.nullables',
  'wrapper.for.raw.primitives',
  'flatten.unions',
  'generalized.sum.type.support',
  'optional.for.proto2',
];
/** A schema, and values that it allows. */
export interface Case {
  readonly schema: Schema;
  value(): unknown;
}

export class Cases {
  private count = 0;

  constructor(
    private readonly random: Seeded,
    /** Whether null and the type's default are told apart. */
    private readonly nulls: boolean,
  ) {}

  struct(depth: number, options: SchemaOptions): Case {
    const fields = Array.from({ length: 1 + this.random.below(8) }, (_, i): [string, Case] => [
      `f${i}`,
      this.field(depth),
    ]);
    return {
      schema: structSchema(
        fields.map(([name, of]) => [name, of.schema]),
        { name: `ns.T${this.count++}`, ...options },
      ),
      value: () => Object.fromEntries(fields.map(([name, of]) => [name, of.value()])),
    };
  }

  private field(depth: number): Case {
    const optional = this.random.chance(0.5);
    const of = this.any(depth, { optional });
    const { type } = of.schema;
    const isMessage = type === 'STRUCT' || of.schema.name !== null;
    // Lists and maps have no null in Protobuf.
    const mayBeNull = optional && type !== 'ARRAY' && type !== 'MAP' && (this.nulls || isMessage);
    return { schema: of.schema, value: () => (mayBeNull && this.random.chance(0.3) ? null : of.value()) };
  }

  any(depth: number, options: SchemaOptions = {}): Case {
    const { random } = this;
    if (depth === 0 || random.chance(0.6)) return this.scalar(options);
    switch (random.below(3)) {
      case 0: {
        const element = this.any(depth - 1);
        return { schema: arraySchema(element.schema, options), value: () => this.some(() => element.value()) };
      }
      case 1: {
        const key = this.scalar({});
        const value = this.any(depth - 1);
        return {
          schema: mapSchema(key.schema, value.schema, options),
          value: () => new Map(this.some(() => [this.key(key), value.value()] as const)),
        };
      }
      default:
        return this.struct(depth - 1, options);
    }
  }

  /** Objects are no keys that Jest can compare, nor is NaN one. */
  private key(of: Case): unknown {
    for (;;) {
      const value = of.value();
      if (typeof value !== 'object' && !Number.isNaN(value) && !Object.is(value, -0)) return value;
      if (typeof value === 'object')
        return of.schema.type === 'BYTES' && of.schema.name === null ? Buffer.alloc(0) : value;
    }
  }

  private some<T>(one: () => T): T[] {
    return Array.from({ length: this.random.below(4) }, one);
  }

  private scalar(options: SchemaOptions): Case {
    const { random } = this;
    const whole = (bits: number): number => Math.floor((random.next() - 0.5) * 2 ** random.below(bits + 1));
    const plain = (type: 'INT8', value: () => unknown): Case => ({ schema: schema(type, options), value });
    switch (random.below(13)) {
      case 0:
        return plain('INT8', () => random.one([-128, 127, 0, -1]));
      case 1:
        return plain('INT16' as 'INT8', () => whole(15));
      case 2:
        return plain('INT32' as 'INT8', () => random.one([-(2 ** 31), 2 ** 31 - 1, 0, whole(31)]));
      case 3:
        return plain('INT64' as 'INT8', () =>
          random.one([0, whole(53), -(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, 2 ** 53 - 1, -(2n ** 53n)]),
        );
      case 4:
        return plain('FLOAT32' as 'INT8', () => Math.fround(random.one([0, -0, NaN, Infinity, random.next(), 1e-45])));
      case 5:
        return plain('FLOAT64' as 'INT8', () =>
          random.one([0, -0, NaN, -Infinity, random.next(), 5e-324, Number.MAX_VALUE]),
        );
      case 6:
        return plain('BOOLEAN' as 'INT8', () => random.chance(0.5));
      case 7:
        return plain('STRING' as 'INT8', () =>
          random.one(['', 'a', 'ä😀\u0000', '\ufffd', 'x'.repeat(random.below(300))]),
        );
      case 8:
        return plain('BYTES' as 'INT8', () => Buffer.from(this.some(() => random.below(256))));
      case 9: {
        const scale = random.below(7) - 2;
        return {
          schema: decimalSchema(scale, options),
          value: () => ({ unscaled: BigInt(whole(53)) * BigInt(whole(53)) * 10n ** BigInt(random.below(20)), scale }),
        };
      }
      case 10:
        return { schema: dateSchema(options), value: () => new Date(random.below(2_932_896) * 86_400_000) };
      case 11:
        return { schema: timeSchema(options), value: () => new Date(random.below(86_400_001)) };
      default:
        return { schema: timestampSchema(options), value: () => new Date(whole(47)) };
    }
  }
}

export const configOf = (random: Seeded): Config =>
  Object.fromEntries(FLAGS.filter(() => random.chance(0.5)).map((flag) => [flag, String(random.chance(0.5))]));

/** Whether null and the type's default are told apart. */
export const tellsNull = (config: Config): boolean =>
  config['optional.for.nullables'] === 'true' || config['wrapper.for.nullables'] === 'true';
