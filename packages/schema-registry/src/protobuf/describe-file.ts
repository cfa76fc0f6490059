/** The descriptor of a text, as compilers make it. */
import { Enum, Field, MapField, type Method, type ReflectionObject, Service, Type } from 'protobufjs';
import { InvalidSchema } from '../registry-error';
import { readOptions } from './descriptor-options';
import type {
  EnumProto,
  FieldProto,
  FileProto,
  MessageProto,
  MethodProto,
  OptionsName,
  OptionValues,
  ServiceProto,
} from './descriptor-proto';
import { readHeader } from './file-header';
import { type FileContents, findType, typeOf } from './parse-proto';
import { jsonNameOf } from './print-descriptor';
import { tokensOf } from './tokens';

/** Clients give it a name. */
const NAME = 'default';
const INTEGERS = /^[us]?(?:int|fixed|sfixed)(?:32|64)$/;
const LOST_NAME = /(?:^|\.)__proto__(?:\.|$)/;

/** Throws InvalidSchema. */
export function describeFile(contents: FileContents): FileProto {
  for (const token of tokensOf(contents.text))
    if (LOST_NAME.test(token)) throw new InvalidSchema('the name __proto__ cannot be written as a descriptor');
  const { syntax, imports } = readHeader(contents.text);
  const indexes = (kind: string): number[] => imports.flatMap((one, index) => (one.kind === kind ? index : []));
  const isProto3 = syntax === 'proto3';
  const options = optionsOf('FileOptions', contents.options);
  return {
    name: NAME,
    ...(contents.package !== '' && { package: contents.package }),
    dependency: imports.map(({ path }) => path),
    publicDependency: indexes('public'),
    weakDependency: indexes('weak'),
    messageType: only(contents.declared, Type).map(messageProto),
    enumType: only(contents.declared, Enum).map(enumProto),
    service: only(contents.declared, Service).map(serviceProto),
    extension: only(contents.declared, Field).map((field) => fieldProto(field, null)),
    ...(options && { options }),
    ...(isProto3 && { syntax }),
    ...(!isProto3 && syntax !== 'proto2' && { syntax: 'editions', edition: `EDITION_${syntax}` }),
  };
}

function only<T extends ReflectionObject>(
  objects: readonly ReflectionObject[],
  kind: abstract new (...parts: never[]) => T,
): readonly T[] {
  return objects.filter((one): one is T => one instanceof kind);
}

function messageProto(type: Type): MessageProto {
  // The library adds extensions to what they extend.
  const fields = type.fieldsArray.filter(({ name }) => !name.startsWith('.'));
  // Those of one optional field come last.
  const oneofs = type.oneofsArray.toSorted((a, b) => Number(a.isProto3Optional) - Number(b.isProto3Optional));
  const oneofIndexes = new Map(oneofs.map((oneof, index) => [oneof, index]));
  const reserved = type.reserved as readonly (readonly number[] | string)[] | undefined;
  const options = optionsOf('MessageOptions', type.parsedOptions);
  return {
    name: type.name,
    field: fields.map((field) => fieldProto(field, field.partOf && (oneofIndexes.get(field.partOf) ?? null))),
    nestedType: [...only(type.nestedArray, Type).map(messageProto), ...only(fields, MapField).map(entryProto)],
    enumType: only(type.nestedArray, Enum).map(enumProto),
    extension: only(type.nestedArray, Field).map((field) => fieldProto(field, null)),
    extensionRange: ranges(type.extensions as readonly (readonly number[])[] | undefined, 1),
    oneofDecl: oneofs.map(({ name, parsedOptions }) => {
      const oneofOptions = optionsOf('OneofOptions', parsedOptions);
      return { name, ...(oneofOptions && { options: oneofOptions }) };
    }),
    ...(options && { options }),
    reservedRange: ranges(reserved, 1),
    reservedName: reserved?.filter((one) => typeof one === 'string') ?? [],
  };
}

function fieldProto(field: Field, oneofIndex: number | null): FieldProto {
  const { name, id, rule } = field;
  const isMap = field instanceof MapField;
  const type: Partial<FieldProto> = isMap
    ? { type: 'TYPE_MESSAGE', typeName: `${field.parent?.fullName ?? ''}.${entryName(name)}` }
    : typeProto(field);
  const settings = (field.options ?? {}) as Readonly<Record<string, unknown>>;
  const options = optionsOf('FieldOptions', field.parsedOptions);
  const isRepeated = isMap || field.repeated;
  return {
    name,
    number: id,
    label: isRepeated ? 'LABEL_REPEATED' : rule === 'required' ? 'LABEL_REQUIRED' : 'LABEL_OPTIONAL',
    ...type,
    ...(field.extend !== undefined && { extendee: extendee(field) }),
    ...(settings.default !== undefined && { defaultValue: defaultText(field, settings.default) }),
    ...(oneofIndex !== null && { oneofIndex }),
    jsonName: typeof settings.json_name === 'string' ? settings.json_name : jsonNameOf(name),
    ...(options && { options }),
    ...(settings.proto3_optional === true && { proto3Optional: true }),
  };
}

function typeProto(field: Field): Partial<FieldProto> {
  const { kind, name } = typeOf(field);
  if (kind === 'scalar') return { type: `TYPE_${name.toUpperCase()}` };
  const found = findType(field.parent, field.type);
  // Of an import that every compiler has: readers find out.
  if (found === null) return { typeName: name };
  const isGroup = found instanceof Type && (found as { readonly group?: boolean }).group === true;
  return { type: kind === 'enum' ? 'TYPE_ENUM' : isGroup ? 'TYPE_GROUP' : 'TYPE_MESSAGE', typeName: name };
}

function extendee(field: Field): string {
  const name = field.extend ?? '';
  return findType(field.parent, name)?.fullName ?? (name.startsWith('.') ? name : `.${name}`);
}

function defaultText({ name, type }: Field, value: unknown): string {
  if (type === 'bytes') {
    return Array.from(String(value), (char) => {
      const code = char.codePointAt(0) as number;
      if (code > 127) throw new InvalidSchema(`the default of field ${name} cannot be written as a descriptor`);
      return code < 32 || code === 127 || '"\'\\'.includes(char) ? `\\${code.toString(8).padStart(3, '0')}` : char;
    }).join('');
  }
  if (typeof value !== 'number') return String(value);
  // The parser has lost digits.
  if (INTEGERS.test(type) && !Number.isSafeInteger(value))
    throw new InvalidSchema(`the default of field ${name} cannot be written as a descriptor`);
  return Number.isFinite(value) || Number.isNaN(value) ? String(value).toLowerCase() : value > 0 ? 'inf' : '-inf';
}

function entryProto(field: MapField): MessageProto {
  const part = (name: string, number: number, type: Partial<FieldProto>): FieldProto => {
    return { name, number, label: 'LABEL_OPTIONAL', jsonName: name, ...type };
  };
  return {
    name: entryName(field.name),
    field: [
      part('key', 1, { type: `TYPE_${field.keyType.toUpperCase()}` }),
      part('value', 2, typeProto(field as unknown as Field)),
    ],
    options: { mapEntry: true },
  };
}

/** As compilers make it. */
function entryName(name: string): string {
  const camel = jsonNameOf(name);
  return `${camel.slice(0, 1).toUpperCase()}${camel.slice(1)}Entry`;
}

function enumProto(type: Enum): EnumProto {
  const reserved = type.reserved as readonly (readonly number[] | string)[] | undefined;
  const options = optionsOf('EnumOptions', type.parsedOptions);
  return {
    name: type.name,
    value: Object.entries(type.values).map(([name, number]) => {
      const own: unknown = type.valuesOptions?.[name];
      const valueOptions = optionsOf('EnumValueOptions', own === undefined ? undefined : [own].flat());
      return { name, number, ...(valueOptions && { options: valueOptions }) };
    }),
    ...(options && { options }),
    reservedRange: ranges(reserved, 0),
    reservedName: reserved?.filter((one) => typeof one === 'string') ?? [],
  };
}

function serviceProto(service: Service): ServiceProto {
  const options = optionsOf('ServiceOptions', service.parsedOptions);
  return { name: service.name, method: service.methodsArray.map(methodProto), ...(options && { options }) };
}

function methodProto(method: Method): MethodProto {
  const named = (name: string): string =>
    findType(method.parent, name)?.fullName ?? (name.startsWith('.') ? name : `.${name}`);
  const options = optionsOf('MethodOptions', method.parsedOptions);
  return {
    name: method.name,
    inputType: named(method.requestType),
    outputType: named(method.responseType),
    ...(options && { options }),
    ...(method.requestStream === true && { clientStreaming: true }),
    ...(method.responseStream === true && { serverStreaming: true }),
  };
}

const optionsOf = (kind: OptionsName, parsed: unknown): OptionValues | undefined =>
  readOptions(kind, parsed as readonly unknown[] | undefined);

const ranges = (all: readonly (readonly number[] | string)[] | undefined, beyond: number) =>
  (all ?? []).flatMap((one) => (typeof one === 'string' ? [] : { start: one[0] ?? 0, end: (one[1] ?? 0) + beyond }));
