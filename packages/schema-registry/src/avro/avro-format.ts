import type { ParsedSchema, SchemaFormat, Sides } from '../schema-format';
import { AmbiguousField, compareSchemas, sentence } from './compare-schemas';
import { type KnownTypes, parseAvro } from './parse-schema';
import { printSchema } from './print-schema';
import type { AvroType } from './schema';

interface ParsedAvro extends ParsedSchema {
  readonly root: AvroType;
}

export const avroFormat: SchemaFormat = {
  parse(text, dependencies, normalize): ParsedAvro {
    const known: KnownTypes = new Map();
    for (const dependency of dependencies.values()) parseAvro(dependency, known);
    const declared = new Set(known.keys());
    const root = parseAvro(text, known);
    return { text: printSchema(root, { declared, normalize }), root };
  },

  differences(reader, writer, sides: Sides): readonly string[] {
    try {
      const found = compareSchemas((reader as ParsedAvro).root, (writer as ParsedAvro).root);
      return found.map((incompatibility) => sentence(incompatibility, sides));
    } catch (error) {
      if (error instanceof AmbiguousField) return [`Unexpected exception during compatibility check: ${error.message}`];
      throw error;
    }
  },
};
