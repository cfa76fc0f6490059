/** Parses .proto texts with those that they import. Throws InvalidSchema. */
import {
  common,
  type Enum,
  type Field,
  type IParserResult,
  type Namespace,
  parse,
  type ReflectionObject,
  Root,
  Type,
} from 'protobufjs';
import { Enum as EnumObject, Namespace as NamespaceObject } from 'protobufjs';
import { InvalidSchema } from '../registry-error';
import { checkSize } from './check-size';

/** Files that every compiler and registry has; those that the library lacks have no checked types. */
const BUILT_IN = /^(?:google\/(?:protobuf|type)|confluent)\/[\w/]+\.proto$/;
const BUILT_IN_TYPE = /^\.?(?:google\.(?:protobuf|type)|confluent)\./;
const SCALARS = new Set([
  ...['double', 'float', 'int32', 'uint32', 'sint32', 'fixed32', 'sfixed32', 'int64', 'uint64', 'sint64', 'fixed64'],
  ...['sfixed64', 'bool', 'string', 'bytes'],
]);
const MAX_FIELD_NUMBER = 2 ** 29 - 1;
const MAX_IMPORTS = 1000;

/** What a file declares, apart from its imports. */
export interface FileContents {
  readonly text: string;
  readonly package: string;
  readonly options: readonly unknown[];
  readonly declared: readonly ReflectionObject[];
}

export interface ProtoFile {
  /** Empty: none. */
  readonly package: string;
  /** Messages of the file, with those in messages, by their names in the package. */
  readonly messages: ReadonlyMap<string, Type>;
  readonly contents: FileContents;
}

/** @param dependencies the texts of what may be imported, by the names in imports */
export function parseProto(text: string, dependencies: ReadonlyMap<string, string>): ProtoFile {
  try {
    const root = new Root();
    const messages = new Map<string, Type>();
    const file = parseFile(text, root);
    const space = file.package === undefined ? root : root.lookup(file.package);
    // Before the imports, whose package may be the same.
    if (space instanceof NamespaceObject) collect(space, '', messages);
    const contents: FileContents = {
      text,
      package: file.package ?? '',
      options: [...((space?.parsedOptions as readonly unknown[] | undefined) ?? [])],
      declared: space instanceof NamespaceObject ? [...space.nestedArray] : [],
    };
    addImports(file, root, dependencies, new Set());
    for (const message of messages.values()) checkMessage(message);
    eachEnum(root, checkEnum);
    return { package: file.package ?? '', messages, contents };
  } catch (error) {
    if (error instanceof InvalidSchema) throw error;
    // The library's errors, and a stack that is too deep.
    throw new InvalidSchema((error as Error).message);
  }
}

function parseFile(text: string, root: Root): IParserResult {
  checkSize(text);
  return parse(text, root, { keepCase: true });
}

function addImports(
  file: IParserResult,
  root: Root,
  dependencies: ReadonlyMap<string, string>,
  seen: Set<string>,
): void {
  for (const name of [...(file.imports ?? []), ...(file.weakImports ?? [])]) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (seen.size > MAX_IMPORTS) throw new InvalidSchema(`it imports more than ${MAX_IMPORTS} files`);
    const dependency = dependencies.get(name);
    const builtIn = common.get(name);
    if (dependency !== undefined) addImports(parseFile(dependency, root), root, dependencies, seen);
    else if (builtIn !== null) root.addJSON(builtIn.nested ?? {});
    else if (!BUILT_IN.test(name)) throw new InvalidSchema(`No reference has the import ${name}`);
  }
}

function collect(space: Namespace, prefix: string, into: Map<string, Type>): void {
  for (const nested of space.nestedArray) {
    if (!(nested instanceof Type)) continue;
    into.set(`${prefix}${nested.name}`, nested);
    collect(nested, `${prefix}${nested.name}.`, into);
  }
}

function checkMessage(message: Type): void {
  const numbers = new Map<number, string>();
  for (const field of message.fieldsArray) {
    const { id, name } = field;
    const isValid = id >= 1 && id <= MAX_FIELD_NUMBER && !(id >= 19_000 && id <= 19_999);
    if (!isValid)
      throw new InvalidSchema(`field ${name} of ${message.name} has the number ${id}, which is not allowed`);
    const other = numbers.get(id);
    if (other !== undefined)
      throw new InvalidSchema(`fields ${other} and ${name} of ${message.name} have the same number ${id}`);
    numbers.set(id, name);
    typeOf(field);
  }
}

function checkEnum(found: Enum): void {
  if (Object.keys(found.values).length === 0) throw new InvalidSchema(`enum ${found.name} has no values`);
}

function eachEnum(space: Namespace, visit: (found: Enum) => void): void {
  for (const nested of space.nestedArray) {
    if (nested instanceof EnumObject) visit(nested);
    if (nested instanceof NamespaceObject) eachEnum(nested, visit);
  }
}

/**
 * From the scope outwards, as compilers do. The library's own search also looks into messages that are not around the
 * name.
 */
export function findType(from: Namespace | null, name: string): Type | Enum | null {
  const isAbsolute = name.startsWith('.');
  const parts = (isAbsolute ? name.slice(1) : name).split('.');
  for (let scope = from; scope !== null; scope = scope.parent) {
    if (isAbsolute && scope.parent !== null) continue;
    let found: ReflectionObject | undefined = scope;
    for (const part of parts)
      found =
        found instanceof NamespaceObject && found.nested && Object.hasOwn(found.nested, part)
          ? found.nested[part]
          : undefined;
    if (found instanceof Type || found instanceof EnumObject) return found;
  }
  return null;
}

/** What a field's type names: a scalar type, or a message or enum by its name in the package or with it. */
export type FieldType =
  { readonly kind: 'scalar'; readonly name: string } | { readonly kind: 'enum' | 'message'; readonly name: string };

/** Throws InvalidSchema if nothing has that name. */
export function typeOf(field: Field): FieldType {
  const { type } = field;
  if (SCALARS.has(type)) return { kind: 'scalar', name: type };
  const found = findType(field.parent, type);
  if (found instanceof Type) return { kind: 'message', name: found.fullName };
  if (found !== null) return { kind: 'enum', name: found.fullName };
  if (BUILT_IN_TYPE.test(type)) return { kind: 'message', name: type.startsWith('.') ? type : `.${type}` };
  throw new InvalidSchema(`field ${field.name} has the type ${type}, which is not declared`);
}
