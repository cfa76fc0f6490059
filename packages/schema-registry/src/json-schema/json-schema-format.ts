import { type JsonValue, parseJson, printJson, sorted } from '../json/json-value';
import { InvalidSchema } from '../registry-error';
import type { ParsedSchema, SchemaFormat } from '../schema-format';
import { compareDocuments, sentence } from './compare-documents';
import { eachReference, SchemaDocument } from './documents';
import { checkMetaSchema } from './meta-schemas';

interface ParsedJsonSchema extends ParsedSchema {
  readonly document: SchemaDocument;
}

export const jsonSchemaFormat: SchemaFormat = {
  parse(text, dependencies, normalize): ParsedJsonSchema {
    const root = parsed(text);
    checkMetaSchema(JSON.parse(text));
    const others = new Map<string, SchemaDocument>();
    for (const [name, dependency] of dependencies) others.set(name, new SchemaDocument(parsed(dependency), others));
    const document = new SchemaDocument(root, others);
    eachReference(root, (reference) => {
      if (document.find(reference) === undefined) throw new InvalidSchema(`$ref ${reference} points to nothing`);
    });
    return { text: printJson(normalize ? sorted(root) : root), document };
  },

  differences(reader, writer, sides): readonly string[] {
    const [read, written] = [reader, writer] as readonly ParsedSchema[] as readonly ParsedJsonSchema[];
    if (read === undefined || written === undefined) return [];
    return compareDocuments(read.document, written.document).map((difference) => sentence(difference, sides));
  },
};

function parsed(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new InvalidSchema(`it is not JSON: ${(error as Error).message}`);
  }
}
