/** Makes the readers of messages, once for each. */
import { schemaError } from '../faults';
import type { ProtobufSettings } from '../protobuf-settings';
import { CONNECT_TYPE, isEntry, isWrapper, logicalOf, stoodFor } from '../schema/connect-names';
import { defaultOf } from '../schema/field-defaults';
import { MOST_NESTING } from '../limits';
import { fieldOf, type EnumType, type MessageType, type ProtoField } from '../schema/proto-model';
import type { ConnectSchemas, Member } from './connect-schema';
import { enumValue } from './enum-names';
import { FieldReader, type ReadKind, type UnionTarget } from './field-reader';
import { LogicalValues } from './logical-values';
import { StructReader } from './struct-reader';

/** Types that are looked through for a cycle; if there are more, it counts as one. */
const MOST_REACHED = 1_000;

export class ReaderCompiler {
  private readonly structs = new Map<MessageType, StructReader>();
  private readonly open: MessageType[] = [];
  private readonly logical = new LogicalValues();
  private standing = 0;

  constructor(
    private readonly settings: ProtobufSettings,
    private readonly schemas: ConnectSchemas,
  ) {}

  /** Of a record that is no struct: its message stands for a value. Null: it is one. */
  root(message: MessageType): FieldReader | null {
    let reader: FieldReader | null = null;
    if (logicalOf(message) !== null || stoodFor(message)) reader = this.field(fieldOf(message));
    else if (this.settings.wrapperForRaw && isWrapper(message)) {
      reader = new FieldReader('value', fieldOf(message), 'inner', this.logical);
      reader.inner = this.field(message.fields[0] as ProtoField);
    }
    this.fillAll();
    return reader;
  }

  struct(message: MessageType): StructReader {
    const reader = this.begin(message);
    this.fillAll();
    return reader;
  }

  private begin(message: MessageType): StructReader {
    const known = this.structs.get(message);
    if (known !== undefined) return known;
    const reader = new StructReader();
    this.structs.set(message, reader);
    this.open.push(message);
    return reader;
  }

  private fillAll(): void {
    for (let next = this.open.pop(); next !== undefined; next = this.open.pop()) this.fill(next);
  }

  private fill(message: MessageType): void {
    const reader = this.begin(message);
    for (const member of this.schemas.shape(message).members) {
      if (member.field === null) this.addUnion(reader, member);
      else this.addMember(reader, message, member.field);
    }
  }

  private addMember(reader: StructReader, message: MessageType, field: ProtoField): void {
    const fieldReader = this.field(field);
    if (field.oneof !== null) fieldReader.rivals = field.oneof.fields;
    reader.addMember(field.name, this.missing(field));
    reader.addField(fieldReader);
    if (this.settings.structForNulls && fieldReader.kind === 'struct' && !field.repeated && field.oneof === null)
      if (!reaches(field.type as MessageType, message)) reader.addStructForNull(fieldReader);
  }

  private addUnion(reader: StructReader, member: Member): void {
    const template = Object.fromEntries(member.members.map(({ name }) => [name, null]));
    const target: UnionTarget = { name: member.name, template };
    reader.addMember(member.name, null);
    for (const { field } of member.members) {
      const fieldReader = this.field(field as ProtoField);
      fieldReader.union = target;
      reader.addField(fieldReader);
    }
  }

  /** What a member is while no bytes were read for it. */
  private missing(field: ProtoField): unknown {
    const { presence, type, defaultText, oneof } = field;
    if (field.repeated || presence === 'required' || oneof !== null) return null;
    if (typeof type !== 'string' && type.kind === 'message') return null;
    const isNull = presence === 'explicit' && defaultText === null;
    if (isNull && (!field.proto2 || this.settings.optionalForProto2)) return null;
    const value = defaultOf(field);
    if (typeof type === 'string' || this.settings.intForEnums) return value;
    return enumValue(type as EnumType, value as number);
  }

  private field(field: ProtoField): FieldReader {
    const reader = new FieldReader(field.name, field, this.kind(field), this.logical);
    const { type } = field;
    if (typeof type === 'string') {
      const connectType = field.meta.params.get(CONNECT_TYPE);
      if (connectType === 'int8') reader.most = 127;
      else if (connectType === 'int16') reader.most = 32_767;
      return reader;
    }
    if (type.kind === 'enum') reader.enumType = type;
    else if (reader.kind === 'struct') reader.struct = this.begin(type);
    else if (reader.kind === 'decimal') reader.scale = Number(field.meta.params.get('scale') ?? '0');
    else if (reader.kind === 'inner' || reader.kind === 'map') this.addInner(reader, type);
    return reader;
  }

  private addInner(reader: FieldReader, type: MessageType): void {
    if (++this.standing > MOST_NESTING)
      throw schemaError(`Lists of the schema are nested more than ${MOST_NESTING} times.`);
    if (reader.kind === 'map') {
      reader.key = this.field(type.fieldsByName.get('key') as ProtoField);
      reader.value = this.field(type.fieldsByName.get('value') as ProtoField);
    } else {
      const inner = type.fields[0] as ProtoField;
      reader.inner = this.field(isWrapper(type) ? { ...inner, meta: reader.field.meta } : inner);
    }
    this.standing--;
  }

  private kind({ type, repeated }: ProtoField): ReadKind {
    if (typeof type === 'string') return type;
    if (type.kind === 'enum') return this.settings.intForEnums ? 'enum number' : 'enum name';
    if (repeated && isEntry(type)) return 'map';
    const logical = logicalOf(type);
    if (logical !== null) return logical;
    if (stoodFor(type) || (this.settings.wrapperForNullables && isWrapper(type))) return 'inner';
    return 'struct';
  }
}

/** Whether messages of the type may hold some of the other: a struct for each null would then have no end. */
function reaches(from: MessageType, to: MessageType): boolean {
  const seen = new Set<MessageType>([from]);
  for (const message of seen) {
    if (message === to || seen.size > MOST_REACHED) return true;
    for (const { type } of message.fields) if (typeof type !== 'string' && type.kind === 'message') seen.add(type);
  }
  return false;
}
