/** Reads the values of one field. */
import { dataFault, within } from '../faults';
import { zeroOf } from '../schema/field-defaults';
import type { EnumType, ProtoField, Scalar } from '../schema/proto-model';
import { checkDepth, FIXED32, FIXED64, GROUP, LENGTH, VARINT, type WireInput } from '../wire/wire-input';
import { enumValue } from './enum-names';
import type { LogicalValues } from './logical-values';

export type ReadKind =
  | Scalar
  | 'enum name'
  | 'enum number'
  | 'struct'
  | 'map'
  | 'timestamp'
  | 'date'
  | 'time'
  | 'decimal'
  /** A message with the value as its only field: a wrapper, or one that stands for its field. */
  | 'inner';

const WIRES: Readonly<Record<ReadKind, number>> = {
  double: FIXED64,
  float: FIXED32,
  int32: VARINT,
  int64: VARINT,
  uint32: VARINT,
  uint64: VARINT,
  sint32: VARINT,
  sint64: VARINT,
  fixed32: FIXED32,
  fixed64: FIXED64,
  sfixed32: FIXED32,
  sfixed64: FIXED64,
  bool: VARINT,
  string: LENGTH,
  bytes: LENGTH,
  'enum name': VARINT,
  'enum number': VARINT,
  struct: LENGTH,
  map: LENGTH,
  timestamp: LENGTH,
  date: LENGTH,
  time: LENGTH,
  decimal: LENGTH,
  inner: LENGTH,
};

/** What a value is that is not to be kept. */
export const UNKNOWN = Symbol('unknown');

/** Of a message's fields, into a struct. */
export interface MessageReading {
  /**
   * @param end where the message ends at the latest
   * @param group number of the field whose end tag ends the message; 0: none
   * @param into a struct of an earlier part of the message
   */
  read(
    input: WireInput,
    end: number,
    group: number,
    into: Record<string, unknown> | null,
    depth: number,
  ): Record<string, unknown>;
}

export class FieldReader {
  readonly wire: number;
  readonly packable: boolean;
  /** Of the struct of a oneof that the field is part of. */
  union: UnionTarget | null = null;
  /** Fields of its oneof: the others become null where the field is set. */
  rivals: readonly ProtoField[] = [];
  /** For `struct`. */
  struct: MessageReading | null = null;
  /** For `inner`. */
  inner: FieldReader | null = null;
  /** For `map`. */
  key: FieldReader | null = null;
  value: FieldReader | null = null;
  enumType: EnumType | null = null;
  /** For `decimal`. */
  scale = 0;
  /** The largest value, of an INT8, INT16 or INT32. */
  most = 2_147_483_647;
  /** For a value in a map, or in `inner`, that is not there. */
  private readonly missing: unknown;

  constructor(
    readonly name: string,
    readonly field: ProtoField,
    readonly kind: ReadKind,
    private readonly logical: LogicalValues,
  ) {
    this.wire = field.group ? GROUP : WIRES[kind];
    this.packable = field.repeated && this.wire !== LENGTH && this.wire !== GROUP;
    this.missing = typeof field.type === 'string' ? zeroOf(field.type) : null;
  }

  /** Elements of a packed field. */
  packed(input: WireInput, list: unknown[], depth: number): void {
    const end = input.end();
    while (input.at < end) {
      input.made(1);
      const value = this.read(input, depth);
      if (value !== UNKNOWN) list.push(value);
    }
    if (input.at > end) throw dataFault('a packed list ends within a value');
  }

  /** A value after its tag. */
  read(input: WireInput, depth: number): unknown {
    switch (this.kind) {
      case 'double':
        return input.double();
      case 'float':
        return input.float();
      case 'int32':
        return this.narrowed(input.int32());
      case 'int64':
        return input.int64();
      case 'uint32':
        return input.uint32();
      case 'uint64':
        return input.uint64();
      case 'sint32':
        return this.narrowed(input.sint32());
      case 'sint64':
        return input.sint64();
      case 'fixed32':
        return input.fixed32();
      case 'fixed64':
        return input.fixed64();
      case 'sfixed32':
        return this.narrowed(input.sfixed32());
      case 'sfixed64':
        return input.sfixed64();
      case 'bool':
        return input.bool();
      case 'string':
        return input.text();
      case 'bytes':
        return input.blob();
      case 'enum name':
      case 'enum number':
        return this.enum(input.int32());
      case 'struct':
        return this.message(input, null, depth);
      default:
        return this.nested(input, depth);
    }
  }

  /** @param into what the message's fields are added to, if it came in several parts */
  message(input: WireInput, into: Record<string, unknown> | null, depth: number): Record<string, unknown> {
    const struct = this.struct as MessageReading;
    if (this.wire === GROUP) return struct.read(input, input.bytes.length, this.field.number, into, depth + 1);
    const end = input.end();
    return struct.read(input, end, 0, into, depth + 1);
  }

  /** Into the map. */
  entry(input: WireInput, map: Map<unknown, unknown>, depth: number): void {
    checkDepth(depth);
    const end = input.end();
    const key = this.key as FieldReader;
    const value = this.value as FieldReader;
    let keyRead: unknown = UNKNOWN;
    let valueRead: unknown = UNKNOWN;
    while (input.at < end) {
      const tag = input.tag();
      const number = tag >>> 3;
      if (number === key.field.number && (tag & 7) === key.wire) keyRead = key.read(input, depth + 1);
      else if (number === value.field.number) valueRead = value.part(input, tag & 7, valueRead, depth + 1);
      else input.skip(tag & 7, number, depth);
    }
    if (input.at !== end) throw dataFault('a message ends within a value');
    input.made(1);
    if (keyRead === UNKNOWN) keyRead = key.absent(input, depth);
    map.set(keyRead, valueRead === UNKNOWN ? value.absent(input, depth) : valueRead);
  }

  /** What a field without presence is that is not in the bytes. */
  absent(input: WireInput, depth: number): unknown {
    const { field } = this;
    if (field.repeated) return this.kind === 'map' ? new Map() : [];
    if (this.struct !== null) return this.struct.read(input, input.at, 0, null, depth + 1);
    if (this.inner !== null) return this.inner.absent(input, depth + 1);
    if (this.enumType !== null) return this.enum(this.enumType.values.values().next().value as number);
    if (field.type === 'bytes') return Buffer.alloc(0);
    if (this.missing !== null) return this.missing;
    throw dataFault('a value is missing in a map');
  }

  private nested(input: WireInput, depth: number): unknown {
    return this.content(input, input.end(), depth + 1);
  }

  /** Of a message that is no struct. */
  content(input: WireInput, end: number, depth: number): unknown {
    checkDepth(depth);
    const { logical } = this;
    let value: unknown;
    switch (this.kind) {
      case 'timestamp':
        value = logical.timestamp(input, end, depth);
        break;
      case 'date':
        value = logical.date(input, end, depth);
        break;
      case 'time':
        value = logical.time(input, end, depth);
        break;
      case 'decimal':
        value = logical.decimal(input, end, depth, this.scale);
        break;
      default:
        value = this.innerValue(input, end, depth);
    }
    if (input.at !== end) throw dataFault('a message ends within a value');
    return value;
  }

  private innerValue(input: WireInput, end: number, depth: number): unknown {
    const inner = this.inner as FieldReader;
    let value: unknown = UNKNOWN;
    while (input.at < end) {
      const tag = input.tag();
      if (tag >>> 3 === inner.field.number) value = inner.part(input, tag & 7, value, depth);
      else input.skip(tag & 7, tag >>> 3, depth);
    }
    return value === UNKNOWN ? inner.absent(input, depth) : value;
  }

  /** @param before what earlier parts of the field were read as */
  part(input: WireInput, wire: number, before: unknown, depth: number): unknown {
    if (!this.field.repeated) {
      if (wire === this.wire) return this.read(input, depth);
      input.skip(wire, this.field.number, depth);
      return before;
    }
    if (this.kind === 'map') {
      const map = before === UNKNOWN ? new Map<unknown, unknown>() : (before as Map<unknown, unknown>);
      if (wire === LENGTH) this.entry(input, map, depth);
      else input.skip(wire, this.field.number, depth);
      return map;
    }
    const list = before === UNKNOWN ? [] : (before as unknown[]);
    this.element(input, wire, list, depth);
    return list;
  }

  /** One more element, or several that are packed. */
  element(input: WireInput, wire: number, list: unknown[], depth: number): void {
    if (wire === LENGTH && this.packable) this.packed(input, list, depth);
    else if (wire === this.wire) {
      input.made(1);
      try {
        const value = this.read(input, depth);
        if (value !== UNKNOWN) list.push(value);
      } catch (error) {
        throw within(error, `[${list.length}]`);
      }
    } else input.skip(wire, this.field.number, depth);
  }

  private narrowed(value: number): number {
    if (value > this.most || value < -this.most - 1)
      throw dataFault(`its value is out of the range of ${this.most === 127 ? 'INT8' : 'INT16'}`);
    return value;
  }

  private enum(number: number): unknown {
    const type = this.enumType as EnumType;
    if (type.closed && !type.names.has(number)) return UNKNOWN;
    return this.kind === 'enum name' ? enumValue(type, number) : number;
  }
}

/** The struct of a oneof: a member of the message's struct. */
export interface UnionTarget {
  readonly name: string;
  /** With null for each field. */
  readonly template: Readonly<Record<string, unknown>>;
}
