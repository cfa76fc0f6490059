/** Other implementations of Protobuf: protobuf.js parses texts and encodes, Protobuf-ES works by its descriptors. */
import { createFileRegistry, fromBinary, toBinary, toJson, type DescMessage, type JsonValue } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type DescriptorProto,
  type FileDescriptorSet as FileDescriptorSetOf,
} from '@bufbuild/protobuf/wkt';
import { parse, Root, type Field, type Type } from 'protobufjs';
import { FileDescriptorSet } from 'protobufjs/ext/descriptor';
import { wellKnownFile } from '../../../../connectors/converters-schema-registry/src/protobuf/schema/well-known';

/** The types of a text and of what it imports. */
export function foreignRoot(text: string, imports: Readonly<Record<string, string>> = {}): Root {
  const root = new Root();
  const seen = new Set<string>();
  const load = (of: string): void => {
    for (const path of parse(of, root, { keepCase: true }).imports ?? []) {
      const imported = imports[path] ?? wellKnownFile(path) ?? '';
      if (!seen.has(path) && imported !== '') {
        seen.add(path);
        load(imported);
      }
    }
  };
  load(text);
  root.resolveAll();
  return root;
}

/** protobuf.js */
export const foreignType = (text: string, name: string, imports?: Readonly<Record<string, string>>): Type =>
  foreignRoot(text, imports).lookupType(name);

/** Protobuf-ES */
export class ForeignMessage {
  private readonly message: DescMessage;
  private readonly registry: ReturnType<typeof createFileRegistry>;

  constructor(text: string, name: string) {
    const set = descriptorSet(text, name);
    this.registry = createFileRegistry(set);
    this.message = this.registry.getMessage(name) as DescMessage;
  }

  /** As JSON, with the names of fields as in the schema. */
  json(bytes: Uint8Array): JsonValue {
    const options = { registry: this.registry, useProtoFieldName: true };
    return toJson(this.message, fromBinary(this.message, bytes), options);
  }

  /** The bytes that it writes for what it read from those. */
  again(bytes: Uint8Array): Buffer {
    return Buffer.from(toBinary(this.message, fromBinary(this.message, bytes)));
  }
}

/** The file of the message last. */
function descriptorSet(text: string, name: string): FileDescriptorSetOf {
  const root = foreignRoot(text);
  const set = fromBinary(
    FileDescriptorSetSchema,
    FileDescriptorSet.encode(
      (root as unknown as { toDescriptor(edition: string): never }).toDescriptor('proto3'),
    ).finish(),
  );
  for (const file of set.file) {
    const prefix = file.package === '' ? '' : `${file.package}.`;
    for (const message of file.messageType) qualify(message, prefix + message.name, root);
  }
  // protobuf.js makes a file of each package, without what it imports.
  const own = set.file.find((file) =>
    file.messageType.some((message) => `${file.package}.${message.name}`.replace(/^\./, '') === name),
  );
  if (own === undefined) throw new Error(`no ${name} in ${text}`);
  const others = set.file.filter((file) => file !== own);
  own.dependency.push(...others.map((file) => file.name));
  set.file = [...others, own];
  return set;
}

/** Serialized, in base64: that of the text first. */
export function descriptorsOf(text: string): readonly { readonly name: string; readonly base64: string }[] {
  const name = /message (\w+)/.exec(text)?.[1] ?? '';
  const scope = /^package (.*);$/m.exec(text)?.[1];
  const set = descriptorSet(text, scope === undefined ? name : `${scope}.${name}`);
  return set.file.reverse().map((file) => ({
    name: file.name,
    base64: Buffer.from(toBinary(FileDescriptorProtoSchema, file)).toString('base64'),
  }));
}

/** protobuf.js gives some names of types as they are within a package or a message. */
function qualify(message: DescriptorProto, fullName: string, root: Root): void {
  const type = root.lookupType(fullName);
  for (const proto of message.field) {
    if (proto.typeName === '') continue;
    const field = type.fields[proto.name] as Field;
    const name = (field.resolvedType?.fullName ?? '').slice(1);
    if (!field.map) proto.typeName = name;
    else {
      const entry = message.nestedType.find((one) => one.name === proto.typeName);
      for (const part of entry?.field ?? []) if (part.typeName !== '') part.typeName = name;
      proto.typeName = `${fullName}.${proto.typeName}`;
    }
  }
  for (const nested of message.nestedType)
    if (nested.options?.mapEntry !== true) qualify(nested, `${fullName}.${nested.name}`, root);
}
