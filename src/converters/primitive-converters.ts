/**
 * Converters for one fixed-width value: Short, Integer, Long, Float, Double and Boolean. Source: connect-runtime §6.3.
 */
import {
  safeInteger,
  DataError,
  schema as makeSchema,
  type ConnectValue,
  type Converter,
  type Schema,
  type SchemaAndValue,
  kindOf,
} from '@millrace/sdk';

interface Primitive {
  readonly type: 'INT16' | 'INT32' | 'INT64' | 'FLOAT32' | 'FLOAT64' | 'BOOLEAN';
  readonly bytes: number;
  accepts(value: unknown): boolean;
  write(buffer: Buffer, value: never): void;
  /** Undefined: the bytes are not such a value. */
  read(buffer: Buffer): unknown;
}

const integer =
  (bits: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1);
const isNumber = (value: unknown): boolean => typeof value === 'number';

const PRIMITIVES = {
  ShortConverter: {
    type: 'INT16',
    bytes: 2,
    accepts: integer(16),
    write: (buffer, value: number) => void buffer.writeInt16BE(value),
    read: (buffer) => buffer.readInt16BE(),
  },
  IntegerConverter: {
    type: 'INT32',
    bytes: 4,
    accepts: integer(32),
    write: (buffer, value: number) => void buffer.writeInt32BE(value),
    read: (buffer) => buffer.readInt32BE(),
  },
  LongConverter: {
    type: 'INT64',
    bytes: 8,
    accepts: (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : integer(64)(value)),
    write: (buffer, value: number | bigint) => void buffer.writeBigInt64BE(BigInt(value)),
    read: (buffer) => safeInteger(buffer.readBigInt64BE()),
  },
  FloatConverter: {
    type: 'FLOAT32',
    bytes: 4,
    accepts: isNumber,
    write: (buffer, value: number) => void buffer.writeFloatBE(value),
    read: (buffer) => buffer.readFloatBE(),
  },
  DoubleConverter: {
    type: 'FLOAT64',
    bytes: 8,
    accepts: isNumber,
    write: (buffer, value: number) => void buffer.writeDoubleBE(value),
    read: (buffer) => buffer.readDoubleBE(),
  },
  BooleanConverter: {
    type: 'BOOLEAN',
    bytes: 1,
    accepts: (value) => typeof value === 'boolean',
    write: (buffer, value: boolean) => void buffer.writeUInt8(value ? 1 : 0),
    read: (buffer) => (buffer[0] === 0 ? false : buffer[0] === 1 ? true : undefined),
  },
} satisfies Record<string, Primitive>;

type PrimitiveConverterName = keyof typeof PRIMITIVES;
export const PRIMITIVE_CONVERTERS = Object.keys(PRIMITIVES) as PrimitiveConverterName[];

export class PrimitiveConverter implements Converter {
  private readonly primitive: Primitive;
  private readonly schema: Schema;

  constructor(private readonly name: PrimitiveConverterName) {
    this.primitive = PRIMITIVES[name] as Primitive;
    this.schema = makeSchema(this.primitive.type, { optional: true });
  }

  configure(): void {}

  fromConnectData(topic: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    const { type, bytes, accepts, write } = this.primitive;
    if (schema !== null && schema.type !== type) {
      throw new DataError(`Invalid schema type for ${this.name}: ${schema.type}. It supports only ${type}.`, {
        place: { topic },
      });
    }
    if (value === null || value === undefined) return null;
    if (!accepts(value)) {
      throw new DataError(`${this.name} is not compatible with ${kindOf(value)}: it requires ${type}.`, {
        place: { topic },
      });
    }
    const buffer = Buffer.allocUnsafe(bytes);
    write(buffer, value as never);
    return buffer;
  }

  toConnectData(topic: string, bytes: Uint8Array | null): SchemaAndValue {
    if (bytes === null) return { schema: this.schema, value: null };
    const value =
      bytes.length === this.primitive.bytes
        ? this.primitive.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
        : undefined;
    if (value === undefined) {
      throw new DataError(
        `Failed to deserialize data with ${this.name}: ${this.primitive.bytes} byte(s) of ${this.primitive.type} expected, ${bytes.length} found. ` +
          `Check which converter wrote topic "${topic}".`,
        { place: { topic } },
      );
    }
    return { schema: this.schema, value };
  }
}
