/**
 * Reads a schema that is registered as a serialized `FileDescriptorProto`, in base64, as clients in other languages
 * than Java register it. Source: google/protobuf/descriptor.proto.
 */
import { Fault, schemaError } from '../faults';
import { LENGTH, VARINT, WireInput } from '../wire/wire-input';
import { MOST_CHARACTERS, MOST_DECLARATIONS, MOST_NESTING } from '../limits';
import type { Option, OptionValue } from './proto-options';
import { SCALARS } from './proto-model';
import type { ParsedEnum, ParsedField, ParsedFile, ParsedMessage } from './proto-parser';

const BASE64 = /^[A-Za-z0-9+/=\s]+$/;
/** `FieldDescriptorProto.Type`, from 1 on. */
const TYPES: readonly string[] =
  ' double float int64 uint64 int32 fixed64 fixed32 bool string group message bytes uint32 enum sfixed32 sfixed64 sint32 sint64'.split(
    ' ',
  );
const GROUP_TYPE = 10;
const LABELS = [null, 'optional', 'required', 'repeated'] as const;
/** Of the options of Confluent. */
const META = 1088;
const PACKED = 2;
const MAP_ENTRY = 7;

/** Null: the text is none of a descriptor. Throws DataError. */
export function parseDescriptor(text: string, count: { declarations: number }): ParsedFile | null {
  // The shortest .proto file that matters has a blank before a brace.
  if (!BASE64.test(text) || text.length > MOST_CHARACTERS) return null;
  try {
    return new DescriptorParser(count).file(Buffer.from(text, 'base64'));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw schemaError(`The schema is not a .proto file, and no descriptor of one: ${error.reason}.`);
  }
}

/** The fields of a message, by number: numbers and bytes. */
class Raw {
  private readonly numbers = new Map<number, number>();
  private readonly blobs = new Map<number, Buffer[]>();

  constructor(bytes: Buffer) {
    const input = new WireInput();
    input.open(bytes, 0);
    while (input.at < bytes.length) {
      const tag = input.tag();
      const number = tag >>> 3;
      if ((tag & 7) === VARINT) this.numbers.set(number, input.int32());
      else if ((tag & 7) === LENGTH) {
        const blobs = this.blobs.get(number);
        if (blobs === undefined) this.blobs.set(number, [input.blob()]);
        else blobs.push(input.blob());
      } else input.skip(tag & 7, number, 0);
    }
  }

  number(of: number): number | null {
    return this.numbers.get(of) ?? null;
  }

  bytes(of: number): Buffer | null {
    return this.blobs.get(of)?.at(-1) ?? null;
  }

  text(of: number): string {
    return this.bytes(of)?.toString() ?? '';
  }

  texts(of: number): string[] {
    return (this.blobs.get(of) ?? []).map((bytes) => bytes.toString());
  }

  messages(of: number): Raw[] {
    return (this.blobs.get(of) ?? []).map((bytes) => new Raw(bytes));
  }
}

class DescriptorParser {
  constructor(private readonly count: { declarations: number }) {}

  file(bytes: Buffer): ParsedFile {
    const file = new Raw(bytes);
    const named = file.text(12);
    const syntax = named === 'proto3' || named === 'editions' ? named : 'proto2';
    if (syntax === 'editions') throw schemaError('The schema is a descriptor of an edition: register its text.');
    return {
      syntax,
      package: file.text(2),
      imports: file.texts(3),
      options: [],
      messages: file.messages(4).map((message) => this.message(message, syntax, 1)),
      enums: file.messages(5).map((one) => this.enum(one)),
    };
  }

  private message(message: Raw, syntax: string, depth: number): ParsedMessage {
    this.declared();
    if (depth > MOST_NESTING)
      throw schemaError(`The messages of the schema are nested more than ${MOST_NESTING} times.`);
    const oneofs = message.messages(8).map((oneof) => oneof.text(1));
    const fields = message.messages(2).map((field) => this.field(field, syntax, oneofs));
    const used = new Set(fields.map((field) => field.oneof));
    const options = message.messages(7);
    return {
      name: message.text(1),
      fields,
      // Those of fields with the label optional are not written as such.
      oneofs: oneofs.filter((oneof) => used.has(oneof)),
      messages: message.messages(3).map((nested) => this.message(nested, syntax, depth + 1)),
      enums: message.messages(4).map((one) => this.enum(one)),
      options: options.flatMap((option) => [
        ...(option.number(MAP_ENTRY) === 1 ? [one('map_entry', 'true')] : []),
        ...metaOptions(option, 'message_meta'),
      ]),
    };
  }

  private field(field: Raw, syntax: string, oneofs: readonly string[]): ParsedField {
    this.declared();
    const type = field.number(5) ?? 0;
    const label = LABELS[field.number(4) ?? 1] ?? null;
    const isProto3Optional = field.number(17) === 1;
    const index = field.number(9);
    const scalar = TYPES[type] ?? '';
    const isScalar = (SCALARS as readonly string[]).includes(scalar);
    return {
      name: field.text(1),
      number: field.number(3) ?? 0,
      type: isScalar ? scalar : field.text(6),
      label: label === 'optional' && syntax === 'proto3' && !isProto3Optional ? null : label,
      oneof: index === null || isProto3Optional ? null : (oneofs[index] ?? null),
      group: type === GROUP_TYPE,
      options: [
        ...(field.bytes(7) === null
          ? []
          : [one('default', field.text(7), scalar === 'bytes' ? unescaped(field.text(7)) : null)]),
        ...field.messages(8).flatMap((option) => {
          const packed = option.number(PACKED);
          return [
            ...(packed === null ? [] : [one('packed', packed === 1 ? 'true' : 'false')]),
            ...metaOptions(option, 'field_meta'),
          ];
        }),
      ],
    };
  }

  private enum(type: Raw): ParsedEnum {
    this.declared();
    const values = type.messages(2).map((value): [string, number] => {
      this.declared();
      return [value.text(1), value.number(2) ?? 0];
    });
    return { name: type.text(1), values, options: [] };
  }

  private declared(): void {
    if (++this.count.declarations > MOST_DECLARATIONS)
      throw schemaError(`The schema declares more than ${MOST_DECLARATIONS} fields, types and values of enums.`);
  }
}

function metaOptions(options: Raw, name: string): Option[] {
  return options.messages(META).map((meta): Option => {
    const params = meta.messages(2).map((entry) => members({ key: entry.text(1), value: entry.text(2) }));
    return {
      name: `(confluent.${name})`,
      value: { kind: 'members', members: [['params', { kind: 'list', values: params }]] },
    };
  });
}

function members(texts: Readonly<Record<string, string>>): OptionValue {
  const list = Object.entries(texts).map(([name, text]) => [name, { kind: 'one', text, bytes: null }] as const);
  return { kind: 'members', members: list };
}

function one(name: string, text: string, bytes: Buffer | null = null): Option {
  return { name, value: { kind: 'one', text, bytes } };
}

/** Defaults of bytes are written as in C. */
function unescaped(text: string): Buffer {
  const plain = text.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|([^]))/g,
    (_all, octal?: string, hex?: string, char = '') => {
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 255);
      if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
      return (
        ({ n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b', f: '\f', v: '\v' } as Record<string, string>)[
          char as string
        ] ?? (char as string)
      );
    },
  );
  return Buffer.from(plain, 'latin1');
}
