/** Google's descriptor.proto with Confluent's options: what clients in other languages register in place of a text. */
import { Root, type Type } from 'protobufjs';
import { InvalidSchema } from '../registry-error';

export interface FieldProto {
  readonly name?: string;
  readonly number?: number;
  readonly label?: string;
  readonly type?: string;
  readonly typeName?: string;
  readonly extendee?: string;
  readonly defaultValue?: string;
  readonly oneofIndex?: number;
  readonly jsonName?: string;
  readonly options?: OptionValues;
  readonly proto3Optional?: boolean;
}

/** From `start` on, before `end`; of enums with it. */
export interface Range {
  readonly start?: number;
  readonly end?: number;
}

export interface EnumProto {
  readonly name?: string;
  readonly value?: readonly { readonly name?: string; readonly number?: number; readonly options?: OptionValues }[];
  readonly options?: OptionValues;
  readonly reservedRange?: readonly Range[];
  readonly reservedName?: readonly string[];
}

export interface MessageProto {
  readonly name?: string;
  readonly field?: readonly FieldProto[];
  readonly extension?: readonly FieldProto[];
  readonly nestedType?: readonly MessageProto[];
  readonly enumType?: readonly EnumProto[];
  readonly extensionRange?: readonly Range[];
  readonly oneofDecl?: readonly { readonly name?: string; readonly options?: OptionValues }[];
  readonly options?: OptionValues;
  readonly reservedRange?: readonly Range[];
  readonly reservedName?: readonly string[];
}

export interface MethodProto {
  readonly name?: string;
  readonly inputType?: string;
  readonly outputType?: string;
  readonly options?: OptionValues;
  readonly clientStreaming?: boolean;
  readonly serverStreaming?: boolean;
}

export interface ServiceProto {
  readonly name?: string;
  readonly method?: readonly MethodProto[];
  readonly options?: OptionValues;
}

export interface FileProto {
  readonly name?: string;
  readonly package?: string;
  readonly dependency?: readonly string[];
  readonly publicDependency?: readonly number[];
  readonly weakDependency?: readonly number[];
  readonly messageType?: readonly MessageProto[];
  readonly enumType?: readonly EnumProto[];
  readonly service?: readonly ServiceProto[];
  readonly extension?: readonly FieldProto[];
  readonly options?: OptionValues;
  readonly syntax?: string;
  readonly edition?: string;
}

/** By the names in descriptors, e.g. `javaPackage`. */
export type OptionValues = Readonly<Record<string, unknown>>;

/** The option that is Confluent's. */
export const META = 'confluentMeta';
const META_NUMBER = 1088;
/** Messages of options, and what Confluent's is called there. */
export const META_NAMES = {
  FileOptions: '(confluent.file_meta)',
  MessageOptions: '(confluent.message_meta)',
  FieldOptions: '(confluent.field_meta)',
  EnumOptions: '(confluent.enum_meta)',
  EnumValueOptions: '(confluent.enum_value_meta)',
  OneofOptions: null,
  ServiceOptions: null,
  MethodOptions: null,
} as const;
export type OptionsName = keyof typeof META_NAMES;

const root = descriptorRoot();
const fileType = root.lookupType('google.protobuf.FileDescriptorProto');

export const optionsType = (name: OptionsName): Type => root.lookupType(`google.protobuf.${name}`);

function descriptorRoot(): Root {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const json = structuredClone(require('protobufjs/google/protobuf/descriptor.json') as DescriptorJson);
  const { nested } = json.nested.google.nested.protobuf;
  for (const [name, meta] of Object.entries(META_NAMES)) {
    const options = nested[name];
    if (meta !== null && options) options.fields[META] = { type: '.confluent.Meta', id: META_NUMBER };
  }
  Object.assign(json.nested, {
    confluent: {
      nested: {
        Meta: {
          edition: 'proto3',
          fields: { doc: { type: 'string', id: 1 }, params: { keyType: 'string', type: 'string', id: 2 } },
        },
      },
    },
  });
  return Root.fromJSON(json as never);
}

interface DescriptorJson {
  readonly nested: {
    readonly google: {
      readonly nested: {
        readonly protobuf: { readonly nested: Record<string, { readonly fields: Record<string, unknown> }> };
      };
    };
  };
}

/** A text in Protobuf's language always has other characters, too. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Null: the text is none of a descriptor. Throws InvalidSchema. */
export function decodeDescriptor(text: string): FileProto | null {
  if (!BASE64.test(text.trim())) return null;
  try {
    return fileType.toObject(fileType.decode(Buffer.from(text, 'base64')), { enums: String, longs: Number });
  } catch (error) {
    throw new InvalidSchema(`it is neither a .proto file nor a descriptor of one: ${(error as Error).message}`);
  }
}

export function encodeDescriptor(file: FileProto): string {
  return Buffer.from(fileType.encode(fileType.fromObject(file)).finish()).toString('base64');
}
