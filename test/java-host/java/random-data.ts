import {
  arraySchema,
  DAY_MS,
  dateSchema,
  decimalSchema,
  LogicalName,
  mapSchema,
  schema,
  type Schema,
  type SchemaAndValue,
  type SchemaOptions,
  setMember,
  structSchema,
  timeSchema,
  timestampSchema,
} from '@millrace/sdk';

const STRINGS = ['', 'a', '__proto__', 'grüße', '日本語', '😀', 'x'.repeat(40), '\0\n'];
const FIELDS = ['a', '__proto__', 'constructor', 'ü', '', 'b.c'];
const PRIMITIVES = ['INT8', 'INT16', 'INT32', 'INT64', 'FLOAT32', 'FLOAT64', 'BOOLEAN', 'STRING', 'BYTES'] as const;

/** Random schemas and values; the same for the same seed. */
export function* randomData(seed: number, count: number): Generator<SchemaAndValue> {
  const random = new RandomData(seed);
  const known: Schema[] = [];
  for (let i = 0; i < count; i++) {
    if (random.below(5) === 0) {
      yield { schema: null, value: random.free(3) };
      continue;
    }
    const of = (random.below(2) === 0 && known[random.below(known.length)]) || random.schema(3);
    known.push(of);
    yield { schema: of, value: random.value(of) };
  }
}

class RandomData {
  constructor(private state: number) {}

  /** An integer from 0; mulberry32. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  schema(depth: number): Schema {
    const optional = this.below(2) === 0;
    const kind = this.below(depth === 0 ? 13 : 16);
    const options: SchemaOptions = {
      optional,
      ...(this.below(4) === 0 && { doc: this.string() }),
    };
    switch (kind) {
      case 9:
        return decimalSchema(this.below(5) - 1, options);
      case 10:
        return dateSchema(options);
      case 11:
        return timeSchema(options);
      case 12:
        return timestampSchema(options);
    }
    if (this.below(3) === 0) options.name = `Name${this.below(3)}`;
    if (this.below(3) === 0) options.version = this.below(3);
    if (this.below(4) === 0) options.parameters = { [`p${this.below(3)}`]: this.string(), q: 'q' };
    switch (kind) {
      case 13:
        return arraySchema(this.schema(depth - 1), options);
      case 14:
        return mapSchema(this.schema(0), this.schema(depth - 1), options);
      case 15:
        return structSchema(
          FIELDS.slice(0, this.below(FIELDS.length + 1)).map((name) => [name, this.schema(depth - 1)] as const),
          options,
        );
      default:
        return this.primitive(kind, options);
    }
  }

  value(of: Schema): unknown {
    return of.optional && this.below(4) === 0 ? null : this.present(of);
  }

  free(depth: number): unknown {
    switch (this.below(depth === 0 ? 8 : 11)) {
      case 0:
        return null;
      case 1:
        return this.below(2) === 0;
      case 2:
        return this.integer(53);
      case 3:
        return this.integer(31) + 0.5;
      case 4:
        return this.string();
      case 5:
        return this.bytes();
      case 6:
        return { unscaled: BigInt(this.integer(53)) ** 3n, scale: this.below(9) };
      case 7:
        return new Date(this.integer(50));
      case 8:
        return Array.from({ length: this.below(4) }, () => this.free(depth - 1));
      case 9:
        return new Map([
          [1, 'one'],
          [this.integer(53), this.free(depth - 1)],
        ]);
      default: {
        const map: Record<string, unknown> = {};
        for (let left = this.below(4); left > 0; left--) setMember(map, this.string(), this.free(depth - 1));
        return map;
      }
    }
  }

  private primitive(kind: number, options: SchemaOptions): Schema {
    const type = PRIMITIVES[kind] as (typeof PRIMITIVES)[number];
    const of = schema(type, options);
    return this.below(3) === 0 && type !== 'BYTES' ? schema(type, { ...options, default: this.present(of) }) : of;
  }

  private present(of: Schema): unknown {
    switch (of.name) {
      case LogicalName.DECIMAL:
        return { unscaled: BigInt(this.integer(53)) ** BigInt(this.below(4)), scale: Number(of.parameters?.scale) };
      case LogicalName.DATE:
        return this.below(4) === 0 ? 2 ** 31 - 1 : new Date((this.integer(31) % 10_000_000) * DAY_MS);
      case LogicalName.TIME:
        return new Date(this.below(DAY_MS));
      case LogicalName.TIMESTAMP:
        return this.below(4) === 0 ? -(2n ** 62n) : new Date(this.integer(52));
    }
    switch (of.type) {
      case 'INT8':
        return this.below(256) - 128;
      case 'INT16':
        return this.below(65_536) - 32_768;
      case 'INT32':
        return this.integer(31);
      case 'INT64':
        return this.below(4) === 0 ? 2n ** 63n - BigInt(1 + this.below(1000)) : this.integer(53);
      case 'FLOAT32':
        return [NaN, Infinity, -0, Math.fround(this.integer(31) / 7)][this.below(4)];
      case 'FLOAT64':
        return [NaN, -Infinity, -0, this.integer(53) / 7][this.below(4)];
      case 'BOOLEAN':
        return this.below(2) === 0;
      case 'STRING':
        return this.string();
      case 'BYTES':
        return this.bytes();
      case 'ARRAY':
        return Array.from({ length: this.below(4) }, () => this.value(of.valueSchema as Schema));
      case 'MAP':
        return new Map(
          Array.from({ length: this.below(2) }, () => [
            this.value(of.keySchema as Schema),
            this.value(of.valueSchema as Schema),
          ]),
        );
      case 'STRUCT': {
        const value: Record<string, unknown> = {};
        for (const field of of.fields ?? []) setMember(value, field.name, this.value(field.schema));
        return value;
      }
    }
  }

  private integer(bits: number): number {
    const magnitude = this.below(2 ** Math.min(bits, 31)) * (bits > 31 ? 2 ** (bits - 31) - 1 : 1);
    return this.below(2) === 0 ? magnitude : -magnitude - 1;
  }

  private string(): string {
    return STRINGS[this.below(STRINGS.length)] as string;
  }

  private bytes(): Buffer {
    return Buffer.from(Array.from({ length: this.below(5) }, () => this.below(256)));
  }
}
