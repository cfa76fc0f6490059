/** Other implementations of Protobuf: protobuf.js parses texts and encodes, Protobuf-ES works by its descriptors. */
import { createFileRegistry, fromBinary, toBinary, toJson, type DescMessage, type JsonValue } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema, type DescriptorProto } from '@bufbuild/protobuf/wkt';
import { parse, Root, type Type } from 'protobufjs';
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
    const set = fromBinary(
      FileDescriptorSetSchema,
      FileDescriptorSet.encode(
        (foreignRoot(text) as unknown as { toDescriptor(edition: string): never }).toDescriptor('proto3'),
      ).finish(),
    );
    for (const file of set.file) {
      const prefix = file.package === '' ? '' : `${file.package}.`;
      for (const message of file.messageType) qualifyEntries(message, prefix + message.name);
    }
    // protobuf.js makes a file of each package, without what it imports.
    const own = set.file.find((file) =>
      file.messageType.some((message) => `${file.package}.${message.name}`.replace(/^\./, '') === name),
    );
    if (own === undefined) throw new Error(`no ${name} in ${text}`);
    for (const file of set.file) if (file !== own) own.dependency.push(file.name);
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

/** protobuf.js names types of maps' entries without their message. */
function qualifyEntries(message: DescriptorProto, fullName: string): void {
  const entries = new Set(message.nestedType.filter((one) => one.options?.mapEntry === true).map((one) => one.name));
  for (const field of message.field) if (entries.has(field.typeName)) field.typeName = `${fullName}.${field.typeName}`;
  for (const nested of message.nestedType) qualifyEntries(nested, `${fullName}.${nested.name}`);
}
