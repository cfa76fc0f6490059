/** Writes one field of a message, with its tags. */
import { kindOf, type Schema } from '@millrace/sdk';
import type { ByteOutput } from '../../byte-output';
import { dataFault, mismatch, within } from '../faults';
import type { ProtoField } from '../schema/proto-model';
import { begin, end, putUint32 } from '../wire/wire-output';
import type { ValueWriter } from './value-writer';

const WIRES: ReadonlyMap<string, number> = new Map([
  ['double', 1],
  ['fixed64', 1],
  ['sfixed64', 1],
  ['float', 5],
  ['fixed32', 5],
  ['sfixed32', 5],
]);
const LENGTH = 2;
const GROUP = 3;

export class FieldWriter {
  private readonly tag: number;
  private readonly keyTag: number;
  private readonly valueTag: number;
  private readonly isMap: boolean;

  /** @param key of a map's entries; null: it is none */
  constructor(
    /** Of the Connect field. */
    readonly name: string,
    readonly schema: Schema,
    readonly field: ProtoField,
    private readonly value: ValueWriter,
    private readonly key: ValueWriter | null,
  ) {
    this.tag = field.packed || key !== null ? tagOf(field.number, LENGTH) : tagOfField(value, field.number);
    const { type } = field;
    this.isMap = typeof type !== 'string' && type.kind === 'message' && type.mapEntry;
    this.keyTag = key === null ? 0 : tagOfField(key, key.field.number);
    this.valueTag = key === null ? 0 : tagOfField(value, value.field.number);
  }

  /** @param value not null */
  write(output: ByteOutput, value: unknown, depth: number): void {
    const { field, value: writer } = this;
    if (this.key !== null) this.map(output, this.key, value, depth);
    else if (field.repeated) this.list(output, value, depth);
    else {
      const start = output.length;
      putUint32(output, this.tag);
      writer.write(output, value, depth);
      // Only once it is known to be valid.
      if (field.presence === 'implicit' && writer.isDefault(value)) output.length = start;
    }
  }

  private list(output: ByteOutput, value: unknown, depth: number): void {
    if (!Array.isArray(value)) throw mismatch(`its schema is ARRAY but the value is ${kindOf(value)}`);
    const list = value as readonly unknown[];
    if (list.length === 0) return;
    const { packed } = this.field;
    if (packed) putUint32(output, this.tag);
    const start = packed ? begin(output) : 0;
    for (let i = 0; i < list.length; i++) {
      const element = list[i];
      try {
        if (element === null || element === undefined) throw dataFault('Protobuf has no null in a list');
        if (!packed) putUint32(output, this.tag);
        this.value.write(output, element, depth);
      } catch (error) {
        throw within(error, `[${i}]`);
      }
    }
    if (packed) end(output, start);
  }

  private map(output: ByteOutput, key: ValueWriter, value: unknown, depth: number): void {
    if (!(value instanceof Map)) throw mismatch(`its schema is MAP but the value is ${kindOf(value)}`);
    for (const [keyOf, valueOf] of value as Map<unknown, unknown>) {
      putUint32(output, this.tag);
      const start = begin(output);
      try {
        if (keyOf === null || valueOf === null || keyOf === undefined || valueOf === undefined)
          throw dataFault('Protobuf has no null in a map');
        this.part(output, key, this.keyTag, keyOf, depth);
        this.part(output, this.value, this.valueTag, valueOf, depth);
      } catch (error) {
        throw within(error, `[${String(keyOf)}]`);
      }
      end(output, start);
    }
  }

  /** A key or value: entries of Protobuf's own maps have both, messages only what is no default. */
  private part(output: ByteOutput, writer: ValueWriter, tag: number, value: unknown, depth: number): void {
    const start = output.length;
    putUint32(output, tag);
    writer.write(output, value, depth);
    if (!this.isMap && writer.field.presence === 'implicit' && writer.isDefault(value)) output.length = start;
  }
}

function tagOfField(writer: ValueWriter, number: number): number {
  const { kind, field } = writer;
  if (field.group) return tagOf(number, GROUP);
  const isVarint = kind.startsWith('enum') || kind === 'bool' || /^[us]?int/.test(kind);
  return tagOf(number, WIRES.get(kind) ?? (isVarint ? 0 : LENGTH));
}

function tagOf(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}
