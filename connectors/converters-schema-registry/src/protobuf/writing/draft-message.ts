/** Types that are made for a Connect schema. */
import type { EnumType, MessageType, Meta, Oneof, ProtoField } from '../schema/proto-model';

export interface GeneratedFile {
  /** Empty: none. */
  readonly package: string;
  readonly message: DraftMessage;
  readonly imports: ReadonlySet<string>;
}

interface OpenOneof extends Oneof {
  readonly fields: ProtoField[];
}

export class DraftMessage implements MessageType {
  readonly kind = 'message';
  readonly fullName: string;
  readonly fields: ProtoField[] = [];
  readonly fieldsByName = new Map<string, ProtoField>();
  readonly oneofs: OpenOneof[] = [];
  readonly messages: DraftMessage[] = [];
  readonly enums: EnumType[] = [];
  /** Names of fields, oneofs, types and values of enums in the message: each may be there once. */
  readonly taken = new Set<string>();
  /** Messages of structs, by the structs' fields. */
  readonly ofFields = new Map<unknown, DraftMessage>();

  /** @param scope package or message that it is declared in; empty: none */
  constructor(
    readonly name: string,
    scope: string,
    readonly meta: Meta,
    readonly mapEntry = false,
  ) {
    this.fullName = scope === '' ? name : `${scope}.${name}`;
  }

  add(field: ProtoField): void {
    this.fields.push(field);
    this.fieldsByName.set(field.name, field);
    (field.oneof as OpenOneof | null)?.fields.push(field);
  }

  addOneof(name: string): Oneof {
    const oneof: OpenOneof = { name, index: this.oneofs.length, fields: [] };
    this.oneofs.push(oneof);
    return oneof;
  }
}
