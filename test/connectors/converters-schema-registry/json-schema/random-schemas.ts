/** Random Connect schemas with values, and all settings that change what is written. */
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
import type { Config } from './json-schema-harness';

// Ajv ignores `__proto__`, and cannot compile lone surrogates.
const NAMES = ['id', 'a b', 'ä', 'hasOwnProperty', 'constructor', '1', '"', 'toString', 'key', 'value', '\ufffd', ''];
const TEXTS = ['', 'x', 'ä😀', '\u0000"\\', '\udc00', 'null', '2024-01-01', 'long '.repeat(30)];
const UNION = 'io.confluent.connect.json.OneOf';

export class RandomSchemas {
  constructor(private readonly random: Seeded) {}

  private options(): SchemaOptions {
    const { random } = this;
    return {
      ...(random.chance(0.4) && { optional: true }),
      ...(random.chance(0.2) && { name: `n.${random.one(NAMES)}`, version: random.below(9) }),
      ...(random.chance(0.1) && { doc: random.one(TEXTS) }),
      ...(random.chance(0.1) && { parameters: Object.fromEntries([[random.one(NAMES), random.one(TEXTS)]]) }),
    };
  }

  schema(depth: number): Schema {
    const { random } = this;
    const plain = this.type(depth);
    if (!random.chance(0.15) || plain.name === UNION) return plain;
    return Object.freeze({ ...plain, default: this.nonNull(plain) });
  }

  private type(depth: number): Schema {
    const { random } = this;
    const isOptional = { optional: random.chance(0.4) };
    switch (random.below(depth > 0 ? 15 : 11)) {
      case 0:
        return decimalSchema(random.below(6) - 2, isOptional);
      case 1:
        return dateSchema(isOptional);
      case 2:
        return timeSchema(isOptional);
      case 3:
        return timestampSchema(isOptional);
      case 4:
        return schema('STRING', {
          ...isOptional,
          parameters: Object.fromEntries([
            [`${UNION.replace('OneOf', 'Enum')}`, ''],
            ...['A', 'b c', '__proto__'].map((one) => [`${UNION.replace('OneOf', 'Enum')}.${one}`, one]),
          ]),
        });
      case 11:
        return arraySchema(this.schema(depth - 1), this.options());
      case 12:
        return mapSchema(random.chance(0.5) ? schema('STRING') : this.key(), this.schema(depth - 1), this.options());
      case 13:
        return this.struct(depth);
      case 14:
        return structSchema(
          (['STRING', 'BOOLEAN', 'INT32'] as const).map((type, i) => [
            `${UNION}.field.${i}`,
            schema(type, { optional: true }),
          ]),
          { ...isOptional, name: UNION },
        );
      default:
        return schema(
          random.one(['INT8', 'INT16', 'INT32', 'INT64', 'FLOAT32', 'FLOAT64', 'BOOLEAN', 'STRING', 'BYTES'] as const),
          this.options(),
        );
    }
  }

  struct(depth: number): Schema {
    const names = NAMES.filter(() => this.random.chance(0.5));
    return structSchema(
      names.map((name) => [name, this.schema(depth - 1)]),
      this.options(),
    );
  }

  /** Equal keys would be one key. */
  private key(): Schema {
    return this.random.one([schema('INT64'), schema('STRING', { optional: true }), schema('BOOLEAN')]);
  }

  value(of: Schema): unknown {
    const isNull = of.optional && of.default === undefined && this.random.chance(0.3);
    return isNull ? null : this.nonNull(of);
  }

  private nonNull(of: Schema): unknown {
    const { random } = this;
    const integer = (bits: number) => Math.floor((random.next() - 0.5) * 2 ** bits);
    if (of.name === 'org.apache.kafka.connect.data.Decimal')
      return { unscaled: BigInt(integer(50)) ** BigInt(1 + random.below(4)), scale: Number(of.parameters?.scale) };
    if (of.name === 'org.apache.kafka.connect.data.Date') return new Date(integer(20) * 86_400_000);
    if (of.name === 'org.apache.kafka.connect.data.Time') return new Date(random.below(86_400_000));
    if (of.name === 'org.apache.kafka.connect.data.Timestamp') return new Date(random.below(2 ** 47) - 2 ** 45);
    switch (of.type) {
      case 'STRUCT': {
        const chosen = of.name === UNION ? random.below(3) : -1;
        const entries = of.fields?.map(({ name, schema: part, index }) => {
          if (chosen < 0) return [name, this.value(part)];
          return [name, index === chosen ? this.nonNull(part) : null];
        });
        return Object.fromEntries(entries as [string, unknown][]);
      }
      case 'ARRAY':
        return Array.from({ length: random.below(4) }, () => this.value(of.valueSchema as Schema));
      case 'MAP':
        return new Map(
          Array.from({ length: random.below(4) }, (_, i) => [
            this.mapKey(of.keySchema as Schema, i),
            this.value(of.valueSchema as Schema),
          ]),
        );
      case 'STRING':
        return of.parameters && Object.keys(of.parameters)[0]?.startsWith('io.')
          ? random.one(['A', 'b c', '__proto__'])
          : random.one(TEXTS);
      case 'BYTES':
        return Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)));
      case 'BOOLEAN':
        return random.chance(0.5);
      case 'FLOAT32':
        return Math.fround((random.next() - 0.5) * 10 ** (random.below(60) - 30));
      case 'FLOAT64':
        return (random.next() - 0.5) * 10 ** (random.below(600) - 300);
      case 'INT64':
        return random.chance(0.5)
          ? integer(53)
          : BigInt.asIntN(64, BigInt(integer(53)) * 1_000_003n * 2n ** 8n + 2n ** 60n);
      default:
        return integer(Number(of.type.slice(3)));
    }
  }

  private mapKey(of: Schema, i: number): unknown {
    if (of.type === 'BOOLEAN') return i % 2 === 0;
    if (of.type === 'STRING') return of.optional && i === 0 ? null : NAMES[i];
    return i === 0 ? 2n ** 62n : i;
  }
}

export const SETTINGS: Config[] = [];
for (let bits = 0; bits < 32; bits++)
  SETTINGS.push({
    'json.oneof.for.nullables': String((bits & 1) === 0),
    'json.write.dates.iso8601': String((bits & 2) !== 0),
    'object.additional.properties': String((bits & 4) === 0),
    'use.optional.for.nonrequired': String((bits & 8) !== 0),
    'decimal.format': (bits & 16) === 0 ? 'BASE64' : 'NUMERIC',
    'json.schema.spec.version': (['draft_7', 'draft_2019_09', 'draft_2020_12'] as const)[bits % 3] as string,
  });
