import type { ParsedSchema, SchemaFormat } from '../schema-format';
import { compareFiles, sentence } from './compare-files';
import { parseProto, type ProtoFile } from './parse-proto';
import { printProto } from './print-proto';

interface ParsedProtobuf extends ParsedSchema {
  readonly file: ProtoFile;
}

export const protobufFormat: SchemaFormat = {
  parse: (text, dependencies): ParsedProtobuf => ({ file: parseProto(text, dependencies), text: printProto(text) }),

  differences: (reader, writer, sides) =>
    compareFiles((reader as ParsedProtobuf).file, (writer as ParsedProtobuf).file).map((one) => sentence(one, sides)),
};
