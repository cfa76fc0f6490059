/** Generated Connect schemas with values, to be written. */
import {
  arraySchema,
  dateSchema,
  DAY_MS,
  decimalSchema,
  LogicalName,
  mapSchema,
  schema as primitiveSchema,
  structSchema,
  timeSchema,
  timestampSchema,
  type Schema,
  type SchemaOptions,
  type SchemaType,
} from '@millrace/sdk';
import type { Seeded } from '../../test/helpers/seeded';
import type { WriteCase } from './cases';
import { bytes, double, fieldName, integer, schemaName, settings, text } from './words';

const PRIMITIVES = ['INT8', 'INT16', 'INT32', 'INT64', 'FLOAT32', 'FLOAT64', 'BOOLEAN', 'STRING', 'BYTES'] as const;
/** Debezium's types, by the Connect type that carries them. */
const SEMANTIC: readonly (readonly [(typeof PRIMITIVES)[number], string, Record<string, string>?])[] = [
  ['INT32', 'io.debezium.time.Date'],
  ['INT64', 'io.debezium.time.MicroTimestamp'],
  ['INT64', 'io.debezium.time.MicroTime'],
  ['INT64', 'io.debezium.time.NanoTimestamp'],
  ['INT64', 'io.debezium.time.MicroDuration'],
  ['STRING', 'io.debezium.time.ZonedTimestamp'],
  ['STRING', 'io.debezium.time.Interval'],
  ['STRING', 'io.debezium.data.Json'],
  ['STRING', 'io.debezium.data.Uuid'],
  ['STRING', 'io.debezium.data.Enum', { allowed: 'a,b,c' }],
  ['BYTES', 'io.debezium.data.Bits', { length: '12' }],
];

/** Those that a converter takes for something else, and others. */
const PARAMETERS = [
  'p',
  'length',
  'connect.name',
  '__proto__x',
  'avro.more',
  'avro',
  'connect.record.doc',
  'connect.enum.doc',
  'io.confluent.connect.avro.record.doc',
  'io.confluent.connect.avro.field.doc.id',
  'io.confluent.connect.avro.field.default',
  'io.confluent.connect.avro.Enum',
];

class Generator {
  /** Structs that may be used again. */
  private readonly made: Schema[] = [];
  private readonly oddity: number;
  private readonly defaults: number;

  constructor(private readonly random: Seeded) {
    this.oddity = random.chance(0.75) ? 0 : 0.2;
    this.defaults = random.chance(0.5) ? 0.25 : 0;
  }

  struct(depth: number): Schema {
    const { random } = this;
    const fields = new Map<string, Schema>();
    const size = random.chance(0.05) ? 0 : 1 + random.below(depth > 1 ? 4 : 6);
    for (let i = 0; i < size; i++) fields.set(fieldName(random, this.oddity), this.any(depth - 1));
    const options = this.options();
    if (random.chance(0.75)) options.name = schemaName(random, this.oddity);
    const plain = structSchema([...fields], options);
    const schema = this.withDefault(plain, (fallback) => structSchema([...fields], { ...options, default: fallback }));
    this.made.push(schema);
    return schema;
  }

  any(depth: number): Schema {
    const { random } = this;
    if (depth <= 0 || random.chance(0.5)) return this.leaf();
    switch (random.below(7)) {
      case 0:
      case 1:
        return this.container((options) => this.array(depth, options));
      case 2:
      case 3:
        return this.container((options) => this.map(depth, options));
      case 4:
        return this.made.length > 0 && random.chance(0.7) ? this.again(random.one(this.made)) : this.struct(depth);
      case 5:
        return random.chance(0.4) ? this.union(depth) : this.struct(depth);
      default:
        return this.struct(depth);
    }
  }

  /** The same object, or one that differs in being optional. */
  private again(schema: Schema): Schema {
    if (this.random.chance(0.6) || schema.default !== undefined) return schema;
    return Object.freeze({ ...schema, optional: !schema.optional });
  }

  private leaf(): Schema {
    const { random } = this;
    if (random.chance(0.25)) return this.logical();
    if (random.chance(0.12)) return this.semantic();
    if (random.chance(0.06)) return this.enumeration();
    const options = this.options();
    if (random.chance(0.12)) options.name = schemaName(random, this.oddity);
    const type = random.one(PRIMITIVES);
    if (type === 'BYTES' && random.chance(0.3)) {
      options.parameters = { ...options.parameters, 'connect.fixed.size': String(random.one([0, 1, 2, 9])) };
      options.name ??= schemaName(random, this.oddity);
    }
    return this.withDefault(primitiveSchema(type, options), (fallback) =>
      primitiveSchema(type, { ...options, default: fallback }),
    );
  }

  private logical(): Schema {
    const { random } = this;
    const options = this.options();
    delete options.version;
    const scale = random.one([0, 2, 10, -2]);
    if (random.chance(0.5))
      options.parameters = { ...options.parameters, 'connect.decimal.precision': random.one(['5', '38', '64', '70']) };
    const make = random.one([
      (more: SchemaOptions) => decimalSchema(scale, { ...options, ...more }),
      (more: SchemaOptions) => dateSchema({ ...options, ...more }),
      (more: SchemaOptions) => timeSchema({ ...options, ...more }),
      (more: SchemaOptions) => timestampSchema({ ...options, ...more }),
    ]);
    return this.withDefault(make({}), (fallback) => make({ default: fallback }));
  }

  private semantic(): Schema {
    const { random } = this;
    const [type, name, parameters] = random.one(SEMANTIC);
    const options = { ...this.options(), name, version: 1, ...(parameters && { parameters }) };
    const plain = primitiveSchema(type, options);
    return this.withDefault(plain, (fallback) => primitiveSchema(type, { ...options, default: fallback }));
  }

  /** A string whose parameters say that it was an enum. */
  private enumeration(): Schema {
    const { random } = this;
    const isGeneral = random.chance(0.5);
    const key = isGeneral ? 'org.apache.kafka.connect.data.Enum' : 'io.confluent.connect.avro.Enum';
    const symbols = random.one([['A'], ['RED', 'GREEN', 'B']]);
    const parameters: Record<string, string> = { [key]: schemaName(random, this.oddity) };
    symbols.forEach((symbol, i) => (parameters[`${key}.${symbol}`] = isGeneral ? String(i) : symbol));
    const options: SchemaOptions = { ...this.options(), parameters };
    if (random.chance(0.7))
      options.name = random.chance(0.8) ? (parameters[key] as string) : schemaName(random, this.oddity);
    return primitiveSchema('STRING', options);
  }

  private union(depth: number): Schema {
    const { random } = this;
    const isGeneral = random.chance(0.5);
    const fields = new Map<string, Schema>();
    const size = 1 + random.below(3);
    const branches = ['int', 'string', 'boolean', 'double', 'bytes', 'array'];
    const types = { int: 'INT32', string: 'STRING', boolean: 'BOOLEAN', double: 'FLOAT64', bytes: 'BYTES' } as const;
    for (let i = 0; i < size; i++) {
      const branch = random.one(branches);
      const inner =
        branch === 'array'
          ? arraySchema(this.any(depth - 2), { optional: true })
          : primitiveSchema(types[branch as keyof typeof types], { optional: true });
      fields.set(isGeneral ? `connect_union_field_${i}` : branch, inner);
    }
    const optional = random.chance(0.3);
    return isGeneral
      ? structSchema([...fields], {
          optional,
          name: 'connect_union_0',
          parameters: { 'org.apache.kafka.connect.data.Union': 'connect_union_0' },
        })
      : structSchema([...fields], { optional, name: 'io.confluent.connect.avro.Union' });
  }

  private array(depth: number, options: SchemaOptions): (more: SchemaOptions) => Schema {
    const items = this.any(depth - 1);
    return (more) => arraySchema(items, { ...options, ...more });
  }

  private map(depth: number, options: SchemaOptions): (more: SchemaOptions) => Schema {
    const { random } = this;
    const optionalKey = random.chance(0.15);
    const keys = random.chance(0.7) ? primitiveSchema('STRING', { optional: optionalKey }) : this.leaf();
    const values = this.any(depth - 1);
    return (more) => mapSchema(keys, values, { ...options, ...more });
  }

  private container(make: (options: SchemaOptions) => (more: SchemaOptions) => Schema): Schema {
    const options = this.options();
    if (this.random.chance(0.1)) options.name = schemaName(this.random, this.oddity);
    const of = make(options);
    return this.withDefault(of({}), (fallback) => of({ default: fallback }));
  }

  private options(): SchemaOptions {
    const { random } = this;
    const out: SchemaOptions = { optional: random.chance(0.4) };
    if (random.chance(0.08)) out.version = random.below(6);
    if (random.chance(0.08)) out.doc = random.chance(0.8) ? 'a doc' : text(random);
    if (random.chance(0.08)) out.parameters = { [random.one(PARAMETERS)]: random.one(['1', '', 'ä', 'false']) };
    return out;
  }

  private withDefault(plain: Schema, make: (fallback: unknown) => Schema): Schema {
    if (!this.random.chance(this.defaults)) return plain;
    const fallback = this.value(plain, true);
    return fallback === null ? plain : make(fallback);
  }

  /** @param isNeeded not null */
  value(schema: Schema, isNeeded = false): unknown {
    const { random } = this;
    if (!isNeeded && (schema.optional ? random.chance(0.3) : schema.default !== undefined && random.chance(0.2)))
      return null;
    if (schema.name === LogicalName.DECIMAL) {
      const unscaled = random.chance(0.3)
        ? BigInt(random.one([0, -1, 127, 128, -128, -129, 255]))
        : BigInt(integer(random, 64)) ** BigInt(1 + random.below(2));
      return { unscaled, scale: Number(schema.parameters?.scale) };
    }
    if (schema.name === LogicalName.DATE) return new Date((random.below(40_000) - 20_000) * DAY_MS);
    if (schema.name === LogicalName.TIME) return new Date(random.below(DAY_MS));
    if (schema.name === LogicalName.TIMESTAMP) return new Date(random.below(2 ** 42) - 2 ** 41);
    return this.plainValue(schema);
  }

  private plainValue(schema: Schema): unknown {
    const { random } = this;
    switch (schema.type) {
      case 'STRUCT':
        return this.members(schema);
      case 'ARRAY':
        return Array.from({ length: random.below(4) }, () => this.value(schema.valueSchema as Schema));
      case 'MAP': {
        const keySchema = schema.keySchema as Schema;
        // Java does not write more entries of a map in their order.
        const size = random.chance(0.85) ? random.below(2) : random.below(4);
        return new Map(
          Array.from({ length: size }, () => [this.value(keySchema), this.value(schema.valueSchema as Schema)]),
        );
      }
      case 'STRING': {
        const enumerated = Object.keys(schema.parameters ?? {}).filter((key) => /\.Enum\./.test(key));
        return enumerated.length > 0 ? random.one(enumerated).replace(/.*\.Enum\./, '') : text(random);
      }
      case 'BYTES': {
        const size = schema.parameters?.['connect.fixed.size'];
        return size === undefined || random.chance(0.1) ? bytes(random) : bytes(random, Number(size));
      }
      case 'BOOLEAN':
        return random.chance(0.5);
      case 'FLOAT32':
        return Math.fround(double(random));
      case 'FLOAT64':
        return double(random);
      default:
        return integer(random, BITS[schema.type] as number);
    }
  }

  private members(schema: Schema): unknown {
    const { random } = this;
    const fields = schema.fields ?? [];
    const isUnion =
      schema.name === 'io.confluent.connect.avro.Union' ||
      schema.parameters?.['org.apache.kafka.connect.data.Union'] !== undefined;
    const chosen = isUnion && !random.chance(0.03) ? random.below(fields.length) : -1;
    const entries = fields.map((field) => {
      if (chosen >= 0 && field.index !== chosen) return [field.name, null];
      return [field.name, this.value(field.schema, field.index === chosen)];
    });
    return Object.fromEntries(entries);
  }

  /** A value without a schema. */
  schemaless(depth: number): unknown {
    const { random } = this;
    switch (random.below(depth > 0 ? 9 : 6)) {
      case 0:
        return random.chance(0.5);
      case 1:
        return integer(random, 64);
      case 2:
        return double(random);
      case 3:
        return bytes(random);
      case 4:
        return random.chance(0.5) ? null : text(random);
      case 5:
        return text(random);
      case 6:
        return Array.from({ length: random.below(4) }, () => this.schemaless(depth - 1));
      case 7:
        return new Map([[text(random), this.schemaless(depth - 1)]]);
      default:
        return Object.fromEntries(
          Array.from({ length: random.below(2) }, () => [fieldName(random, 0.2), this.schemaless(depth - 1)]),
        );
    }
  }
}

const BITS: Partial<Record<SchemaType, number>> = { INT8: 8, INT16: 16, INT32: 32, INT64: 64 };

export function connectCase(random: Seeded): WriteCase {
  const generator = new Generator(random);
  const isKey = random.chance(0.2);
  const kind = random.next();
  const schema = kind < 0.04 ? null : kind < 0.2 ? generator.any(2) : generator.struct(1 + random.below(3));
  const value = schema === null ? generator.schemaless(3) : generator.value(schema);
  return { kind: 'write', settings: settings(random), isKey, schema, value };
}
