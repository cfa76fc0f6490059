import { InvalidSchema } from '../registry-error';
import type { ParsedSchema, SchemaFormat } from '../schema-format';
import { compareFiles, sentence } from './compare-files';
import { describeFile } from './describe-file';
import { decodeDescriptor, encodeDescriptor, type FileProto } from './descriptor-proto';
import { parseProto, type ProtoFile } from './parse-proto';
import { printDescriptor } from './print-descriptor';
import { printProto } from './print-proto';
import { hasSameTypes } from './type-names';

type Dependencies = ReadonlyMap<string, string>;

class ParsedProtobuf implements ParsedSchema {
  readonly text: string;
  readonly file: ProtoFile;

  constructor(
    text: string,
    dependencies: Dependencies,
    readonly isSerialized: boolean,
  ) {
    this.file = parseProto(text, dependencies);
    this.text = printProto(text);
  }

  describe(): FileProto {
    return describeFile(this.file.contents);
  }

  serialized(): string {
    return encodeDescriptor(this.describe());
  }
}

export const protobufFormat: SchemaFormat = {
  parse: (text, dependencies): ParsedSchema => {
    const descriptor = decodeDescriptor(text);
    return descriptor === null
      ? new ParsedProtobuf(text, dependencies, false)
      : parseDescriptor(descriptor, dependencies);
  },

  differences: (reader, writer, sides) =>
    compareFiles((reader as ParsedProtobuf).file, (writer as ParsedProtobuf).file).map((one) => sentence(one, sides)),
};

/** Names of types are as short as in a text that a person writes, unless they would then mean others. */
function parseDescriptor(descriptor: FileProto, dependencies: Dependencies): ParsedSchema {
  try {
    const short = new ParsedProtobuf(printDescriptor(descriptor, true), dependencies, true);
    if (hasSameTypes(short.describe(), descriptor)) return short;
  } catch (error) {
    if (!(error instanceof InvalidSchema)) throw error;
  }
  return new ParsedProtobuf(printDescriptor(descriptor, false), dependencies, true);
}
