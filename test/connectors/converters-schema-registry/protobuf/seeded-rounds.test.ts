/**
 * Seeded schemas and values, with all settings: what is written is read again, and by other implementations;
 * Protobuf-ES writes the same bytes from it. FUZZ_SEED and FUZZ_PROTOBUF change the run.
 */
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
import { fuzzRun, seeded, type Seeded } from '../../../helpers/seeded';
import { ForeignMessage, foreignType } from './foreign-protobuf';
import { formatOf, read, registered, schemaText, writeAs, writeFor, type Config } from './protobuf-harness';

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
const { seed, cases } = fuzzRun('FUZZ_PROTOBUF', 120, 20_261_130);
const RUNS = Array.from({ length: cases }, (_, i) => seed + i);

/** A schema, and values that it allows. */
interface Case {
  readonly schema: Schema;
  value(): unknown;
}

class Cases {
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

const configOf = (random: Seeded): Config =>
  Object.fromEntries(FLAGS.filter(() => random.chance(0.5)).map((flag) => [flag, String(random.chance(0.5))]));

const tellsNull = (config: Config): boolean =>
  config['optional.for.nullables'] === 'true' || config['wrapper.for.nullables'] === 'true';

test.each([RUNS])('structs: %#', (...runs) => {
  let bytes = 0;
  for (const run of runs) {
    const random = seeded(run);
    const config = configOf(random);
    const one = new Cases(random, tellsNull(config)).struct(3, {});
    const { schema: text, recordName } = formatOf(config).writer(one.schema);
    const foreign = new ForeignMessage(text.text, recordName as string);
    const type = foreignType(text.text, recordName as string);
    for (let i = 0; i < 3; i++) {
      const value = one.value();
      const written = writeAs(one.schema, value, config);
      const message = written.subarray(1);
      bytes += message.length;
      try {
        const again = read(written, text.text, config);
        expect(again.value).toEqual(value);
        const same = foreign.again(message);
        // Protobuf-ES orders the keys of maps its own way.
        if (text.text.includes('map<')) expect(same).toHaveLength(message.length);
        else expect(same).toEqual(message);
        expect(read(Buffer.concat([Buffer.from([0]), same]), text.text, config).value).toEqual(value);
        // protobuf.js writes fields in another order, and their defaults: what it wrote is read as the same.
        const theirs = Buffer.concat([Buffer.from([0]), type.encode(type.decode(message)).finish()]);
        expect(read(theirs, text.text, config).value).toEqual(value);
        // What was read can be written for the same schema, and for one of our own.
        expect(writeFor(registered(text.text), again.schema, again.value, { config })).toEqual(written);
        const own = schemaText(again.schema, config);
        expect(read(writeAs(again.schema, again.value, config), own, config).value).toEqual(value);
      } catch (error) {
        throw new Error(`FUZZ_SEED=${run}: ${JSON.stringify(config)}\n${text.text}\n${(error as Error).message}`, {
          cause: error,
        });
      }
    }
  }
  expect(bytes).toBeGreaterThan(runs.length);
});

test.each([RUNS])('records that are no structs: %#', (...runs) => {
  for (const run of runs) {
    const random = seeded(run + 1_000_000);
    const config = configOf(random);
    const one = new Cases(random, tellsNull(config)).any(2);
    const text = schemaText(one.schema, config);
    const value = one.value();
    const again = read(writeAs(one.schema, value, config), text, config);
    expect(again.value).toEqual(value);
    expect(again.schema).toMatchObject({ type: one.schema.type, optional: false });
  }
});

test.each([RUNS])('changed bytes are values or errors, and never anything else: %#', (...runs) => {
  let errors = 0;
  for (const run of runs) {
    const random = seeded(run + 2_000_000);
    const one = new Cases(random, true).struct(3, {});
    const bytes = writeAs(one.schema, one.value());
    const reader = formatOf().reader(registered(schemaText(one.schema)));
    for (let i = 0; i < 20; i++) {
      const changed = Buffer.from(bytes);
      for (let n = random.below(3); n >= 0; n--) changed[1 + random.below(changed.length)] = random.below(256);
      const cut = random.chance(0.3) ? changed.subarray(0, random.below(changed.length)) : changed;
      try {
        reader.read(cut, 0, null);
      } catch (error) {
        expect((error as { code: string }).code).toBe('PROTOBUF_DATA');
        errors++;
      }
    }
  }
  expect(errors).toBeGreaterThan(runs.length);
});
