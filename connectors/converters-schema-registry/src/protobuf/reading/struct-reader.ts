/** Reads the fields of a message into a struct. */
import { readMember, setMember } from '@millrace/sdk';
import { dataFault, within } from '../faults';
import { checkDepth, GROUP_END, type WireInput } from '../wire/wire-input';
import { UNKNOWN, type FieldReader, type MessageReading } from './field-reader';

/** Readers of fields with small numbers are in a list. */
const MOST_LISTED = 256;

/** An object takes the memory of about so many members. */
const OBJECT_COST = 4;

type Struct = Record<string, unknown>;

export class StructReader implements MessageReading {
  private readonly listed: (FieldReader | undefined)[] = [];
  private readonly others = new Map<number, FieldReader>();
  private readonly template: Struct = {};
  /** Members that are new objects in each struct. */
  private readonly lists: FieldReader[] = [];
  private readonly structsForNulls: FieldReader[] = [];
  private readonly required: FieldReader[] = [];
  /** About the memory of an empty struct, in members. */
  private size = OBJECT_COST;

  /** @param value of the member until it is read; not for repeated fields */
  addMember(name: string, value: unknown): void {
    this.size++;
    setMember(this.template, name, value);
  }

  addField(reader: FieldReader): void {
    const { number, repeated, presence } = reader.field;
    if (number < MOST_LISTED) this.listed[number] = reader;
    else this.others.set(number, reader);
    if (repeated && reader.union === null) {
      this.lists.push(reader);
      this.size += OBJECT_COST;
    }
    if (presence === 'required') this.required.push(reader);
  }

  /** The member is a struct even if no bytes are there for it. */
  addStructForNull(reader: FieldReader): void {
    this.structsForNulls.push(reader);
  }

  read(input: WireInput, end: number, group: number, into: Struct | null, depth: number): Struct {
    checkDepth(depth);
    const struct = into ?? this.create(input);
    let field: FieldReader | undefined;
    try {
      while (input.at < end) {
        field = undefined;
        const tag = input.tag();
        const number = tag >>> 3;
        const wire = tag & 7;
        if (wire === GROUP_END && group !== 0) {
          if (number !== group) throw dataFault('a group ends that did not begin');
          return this.checked(struct);
        }
        field = number < MOST_LISTED ? this.listed[number] : this.others.get(number);
        if (field === undefined) input.skip(wire, number, depth);
        else if (field.union !== null) readUnion(field, input, wire, struct, depth);
        else readField(field, input, wire, struct, depth);
      }
    } catch (error) {
      throw field === undefined ? error : within(error, field.name);
    }
    if (group !== 0 || input.at !== end) throw dataFault('a message ends within a value');
    if (this.structsForNulls.length > 0) this.addStructs(input, struct, depth);
    return this.checked(struct);
  }

  private create(input: WireInput): Struct {
    input.made(this.size);
    const struct = { ...this.template };
    for (const field of this.lists) setMember(struct, field.name, field.kind === 'map' ? new Map() : []);
    return struct;
  }

  private addStructs(input: WireInput, struct: Struct, depth: number): void {
    for (const field of this.structsForNulls)
      if (readMember(struct, field.name) === null)
        setMember(struct, field.name, (field.struct as MessageReading).read(input, input.at, 0, null, depth + 1));
  }

  private checked(struct: Struct): Struct {
    for (const field of this.required)
      if (readMember(struct, field.name) === null)
        throw within(dataFault('it is required, and is not there'), field.name);
    return struct;
  }
}

function readField(field: FieldReader, input: WireInput, wire: number, struct: Struct, depth: number): void {
  const { name, rivals } = field;
  if (field.field.repeated) {
    const list = readMember(struct, name);
    if (field.kind !== 'map') field.element(input, wire, list as unknown[], depth);
    else if (wire === field.wire) field.entry(input, list as Map<unknown, unknown>, depth);
    else input.skip(wire, field.field.number, depth);
  } else if (wire !== field.wire) input.skip(wire, field.field.number, depth);
  else {
    const value =
      field.kind === 'struct'
        ? field.message(input, readMember(struct, name) as Struct | null, depth)
        : field.read(input, depth);
    if (value === UNKNOWN) return;
    setMember(struct, name, value);
    for (const rival of rivals) if (rival !== field.field) setMember(struct, rival.name, null);
  }
}

/** The last field of a oneof is the one that counts. */
function readUnion(field: FieldReader, input: WireInput, wire: number, struct: Struct, depth: number): void {
  if (wire !== field.wire) {
    input.skip(wire, field.field.number, depth);
    return;
  }
  const { name, template } = field.union as NonNullable<FieldReader['union']>;
  const before = readMember(struct, name) as Struct | null;
  const part = before === null ? null : (readMember(before, field.name) as Struct | null);
  const value = field.kind === 'struct' ? field.message(input, part, depth) : field.read(input, depth);
  if (value === UNKNOWN) return;
  const union = { ...template };
  input.made(1);
  setMember(union, field.name, value);
  setMember(struct, name, union);
}
