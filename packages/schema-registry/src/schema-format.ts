/** What the registry needs to know of a format of schemas. */

export type SchemaType = 'AVRO' | 'JSON' | 'PROTOBUF';

export interface SchemaReference {
  /** What the schema calls it: a type, an import, or a `$ref`. */
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

/** A schema that was found valid. */
export interface ParsedSchema {
  /** What the registry stores and returns. Schemas of one format with the same text and references are the same. */
  readonly text: string;
  /** It was not given as a text, so that its text may differ from that of a schema with the same meaning. */
  readonly isSerialized?: boolean;
  /** The form other than the text, the same for schemas with the same meaning. Throws InvalidSchema. */
  serialized?(): string;
}

/** The names of the sides of a comparison, in messages. */
export interface Sides {
  readonly reader: string;
  readonly writer: string;
}

export interface SchemaFormat {
  /**
   * @param dependencies the texts of all schemas that it refers to, by the names in references; used ones come first
   * @param normalize of texts with one meaning, the same
   * @throws InvalidSchema
   */
  parse(text: string, dependencies: ReadonlyMap<string, string>, normalize: boolean): ParsedSchema;
  /**
   * What keeps a consumer with the schema `reader` from data of the schema `writer`, one sentence each; empty: nothing.
   * Throws InvalidSchema if comparing takes too long.
   */
  differences(reader: ParsedSchema, writer: ParsedSchema, sides: Sides): readonly string[];
}
