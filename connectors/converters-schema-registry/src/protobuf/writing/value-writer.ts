/** Writes values of one Protobuf type, which is that of a Connect schema. */
import { decimalScale, kindOf, type Schema } from '@millrace/sdk';
import type { ByteOutput } from '../../byte-output';
import { dataFault, mismatch } from '../faults';
import { enumNumber } from '../reading/enum-names';
import { checkDepth } from '../wire/wire-input';
import type { EnumType, ProtoField, Scalar } from '../schema/proto-model';
import * as wire from '../wire/wire-output';
import { writeDate, writeDecimal, writeTime, writeTimestamp } from './logical-messages';

export type WriteKind =
  | Scalar
  | 'enum name'
  | 'enum number'
  | 'struct'
  | 'timestamp'
  | 'date'
  | 'time'
  | 'decimal'
  /** A message with the value as its only field: a wrapper, or one that stands for its field. */
  | 'inner';

const RANGES: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['INT8', [-128, 127]],
  ['INT16', [-32_768, 32_767]],
  ['INT32', [-2_147_483_648, 2_147_483_647]],
  ['int32', [-2_147_483_648, 2_147_483_647]],
  ['sint32', [-2_147_483_648, 2_147_483_647]],
  ['sfixed32', [-2_147_483_648, 2_147_483_647]],
  ['uint32', [0, 4_294_967_295]],
  ['fixed32', [0, 4_294_967_295]],
]);
const MOST_FLOAT = 3.4028235677973366e38;

/** Writes the fields of a message. */
export interface FieldsWriter {
  write(output: ByteOutput, value: unknown, depth: number): void;
}

export class ValueWriter {
  /** For `struct` and `inner`. */
  fields: FieldsWriter | null = null;
  enumType: EnumType | null = null;
  private readonly scale: number;
  /** Of the Connect type, and of Protobuf's. */
  private readonly own: readonly [number, number] | undefined;
  private readonly target: readonly [number, number] | undefined;

  constructor(
    private readonly schema: Schema,
    readonly field: ProtoField,
    readonly kind: WriteKind,
  ) {
    this.own = RANGES.get(schema.type);
    this.target = RANGES.get(kind);
    this.scale = kind === 'decimal' ? decimalScale(schema) : 0;
  }

  /** Whether a field without presence leaves the value out. */
  isDefault(value: unknown): boolean {
    switch (this.kind) {
      case 'float':
      case 'double':
        return Object.is(value, 0);
      case 'bool':
        return value === false;
      case 'string':
        return value === '';
      case 'bytes':
        return value instanceof Uint8Array && value.length === 0;
      case 'enum name':
        return enumNumber(this.enumType as EnumType, value as string) === 0;
      default:
        return value === 0 || value === 0n;
    }
  }

  /** Without a tag; messages with their length. */
  write(output: ByteOutput, value: unknown, depth: number): void {
    switch (this.kind) {
      case 'int32':
        wire.putInt32(output, this.int32(value));
        return;
      case 'uint32':
        wire.putUint32(output, this.int32(value));
        return;
      case 'sint32':
        wire.putSint32(output, this.int32(value));
        return;
      case 'fixed32':
      case 'sfixed32':
        wire.putFixed32(output, this.int32(value) | 0);
        return;
      case 'int64':
      case 'uint64':
        wire.putInt64(output, this.int64(value));
        return;
      case 'sint64':
        wire.putSint64(output, this.int64(value));
        return;
      case 'fixed64':
      case 'sfixed64':
        wire.putFixed64(output, this.int64(value));
        return;
      case 'float':
        wire.putFloat(output, this.float(value));
        return;
      case 'double':
        if (typeof value !== 'number') throw this.wrong(value);
        wire.putDouble(output, value);
        return;
      case 'bool':
        if (typeof value !== 'boolean') throw this.wrong(value);
        wire.putUint32(output, value ? 1 : 0);
        return;
      case 'string':
        if (typeof value !== 'string') throw this.wrong(value);
        wire.putText(output, value);
        return;
      case 'bytes':
        if (!(value instanceof Uint8Array)) throw this.wrong(value);
        wire.putBytes(output, value);
        return;
      case 'enum name':
        wire.putInt32(output, this.enumNumber(value));
        return;
      case 'enum number':
        wire.putInt32(output, this.int32(value));
        return;
      default:
        this.message(output, value, depth + 1);
    }
  }

  private message(output: ByteOutput, value: unknown, depth: number): void {
    checkDepth(depth);
    // A group has no length: it ends with a tag.
    const start = this.field.group ? 0 : wire.begin(output);
    this.content(output, value, depth);
    if (this.field.group) wire.putUint32(output, ((this.field.number << 3) | 4) >>> 0);
    else wire.end(output, start);
  }

  /** Of a message. */
  content(output: ByteOutput, value: unknown, depth: number): void {
    switch (this.kind) {
      case 'timestamp':
        writeTimestamp(output, value);
        return;
      case 'date':
        writeDate(output, value);
        return;
      case 'time':
        writeTime(output, value);
        return;
      case 'decimal':
        writeDecimal(output, value, this.scale, this.schema);
        return;
      default:
        (this.fields as FieldsWriter).write(output, value, depth);
    }
  }

  private int32(value: unknown): number {
    const [least, most] = this.own ?? [-Infinity, Infinity];
    if (typeof value === 'bigint') return this.int32(Number(this.int64(value)));
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) throw this.wrong(value);
    const { target } = this;
    if (target !== undefined && (value < target[0] || value > target[1]))
      throw dataFault(`its value is out of the range of ${this.kind}`);
    return value;
  }

  private int64(value: unknown): number | bigint {
    if (typeof value === 'number') {
      const [least, most] = this.own ?? [-(2 ** 63), 2 ** 63 - 1024];
      if (!Number.isInteger(value) || value < least || value > most) throw this.wrong(value);
    } else if (typeof value !== 'bigint' || this.own !== undefined || BigInt.asIntN(64, value) !== value)
      throw this.wrong(value);
    if (value < 0 && (this.kind === 'uint64' || this.kind === 'fixed64'))
      throw dataFault(`its value is out of the range of ${this.kind}`);
    return value;
  }

  private float(value: unknown): number {
    if (typeof value !== 'number') throw this.wrong(value);
    if (Number.isFinite(value) && Math.abs(value) >= MOST_FLOAT)
      throw dataFault('its value is out of the range of float');
    return value;
  }

  private enumNumber(value: unknown): number {
    if (typeof value !== 'string') throw this.wrong(value);
    const number = enumNumber(this.enumType as EnumType, value);
    if (number === undefined) throw dataFault(`its value is none of the enum ${(this.enumType as EnumType).name}`);
    return number;
  }

  private wrong(value: unknown): Error {
    return mismatch(`its schema is ${this.schema.type} but the value is ${kindOf(value)}`);
  }
}
