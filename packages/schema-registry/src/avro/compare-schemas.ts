/**
 * Avro's resolution of schemas: what keeps a reader from a writer's data. The kinds, places and sentences are those of
 * Confluent's registry.
 */
import { MAX_COMPARED_PAIRS, MAX_DIFFERENCES, MAX_TYPE_DEPTH } from '../bounds';
import { InvalidSchema } from '../registry-error';
import type { Sides } from '../schema-format';
import { printSchema } from './print-schema';
import {
  type AvroType,
  type EnumSchema,
  type Field,
  fullName,
  type Name,
  type NamedSchema,
  type RecordSchema,
  type UnionSchema,
} from './schema';

export type Kind =
  | 'READER_FIELD_MISSING_DEFAULT_VALUE'
  | 'NAME_MISMATCH'
  | 'TYPE_MISMATCH'
  | 'MISSING_UNION_BRANCH'
  | 'MISSING_ENUM_SYMBOLS'
  | 'FIXED_SIZE_MISMATCH';

export interface Incompatibility {
  readonly kind: Kind;
  /**
   * In the reader's schema; members and indexes after slashes. As in Avro's Java library, it begins at a branch of a
   * union, and is that of the first place with this pair of types.
   */
  readonly path: string;
  readonly detail: string;
}

/** A field of the reader whose name and aliases are several fields of the writer. */
export class AmbiguousField extends Error {}

type Found = readonly Incompatibility[];
const NONE: Found = [];

/** Types that a reader of the first one may read. */
const PROMOTIONS: Readonly<Partial<Record<AvroType['type'], readonly AvroType['type'][]>>> = {
  long: ['int'],
  float: ['int', 'long'],
  double: ['int', 'long', 'float'],
  bytes: ['string'],
  string: ['bytes'],
};

/** Throws AmbiguousField, and InvalidSchema if it takes too long. */
export function compareSchemas(reader: AvroType, writer: AvroType): Found {
  return new Comparison().compare(reader, writer, '');
}

class Comparison {
  /** By reader, then by writer. What is being compared counts as compatible: types may contain themselves. */
  private readonly known = new Map<AvroType, Map<AvroType, Found>>();
  private pairs = 0;
  private depth = 0;

  compare(reader: AvroType, writer: AvroType, path: string): Found {
    let ofReader = this.known.get(reader);
    if (ofReader === undefined) this.known.set(reader, (ofReader = new Map()));
    const known = ofReader.get(writer);
    if (known !== undefined) return known;
    if (++this.pairs > MAX_COMPARED_PAIRS || this.depth >= MAX_TYPE_DEPTH)
      throw new InvalidSchema('the schema is too complex to compare with an earlier one');
    ofReader.set(writer, NONE);
    this.depth++;
    const found = this.calculate(reader, writer, path);
    this.depth--;
    ofReader.set(writer, found);
    return found;
  }

  private calculate(reader: AvroType, writer: AvroType, path: string): Found {
    if (writer.type === 'union') return this.branches(reader, writer, path);
    if (reader.type === 'union') return this.inUnion(reader, writer, path);
    switch (reader.type) {
      case 'array':
        if (writer.type === 'array') return this.compare(reader.items, writer.items, `${path}/items`);
        break;
      case 'map':
        if (writer.type === 'map') return this.compare(reader.values, writer.values, `${path}/values`);
        break;
      case 'fixed':
        if (writer.type === 'fixed') return [...names(reader, writer, path), ...sizes(reader.size, writer.size, path)];
        break;
      case 'enum':
        if (writer.type === 'enum') return [...names(reader, writer, path), ...symbols(reader, writer, path)];
        break;
      case 'record':
        if (writer.type === 'record') return this.records(reader, writer, path);
        break;
      default:
        if (reader.type === writer.type || PROMOTIONS[reader.type]?.includes(writer.type)) return NONE;
    }
    const [expected, found] = [reader.type.toUpperCase(), writer.type.toUpperCase()];
    return one('TYPE_MISMATCH', path, `reader type: ${expected} not compatible with writer type: ${found}`);
  }

  private branches(reader: AvroType, { branches }: UnionSchema, path: string): Found {
    let found = NONE;
    for (const [i, branch] of branches.entries())
      found = merged(
        found,
        reader.type === 'union' ? this.inUnion(reader, branch, `${path}/${i}`) : this.compare(reader, branch, ''),
      );
    return found;
  }

  private inUnion({ branches }: UnionSchema, writer: AvroType, path: string): Found {
    for (const branch of branches) if (this.compare(branch, writer, '').length === 0) return NONE;
    return one('MISSING_UNION_BRANCH', path, `reader union lacking writer type: ${writer.type.toUpperCase()}`);
  }

  private missing(field: Field, writer: RecordSchema, place: string): Found {
    if (field.default !== undefined) return NONE;
    // Avro's Java library compares such an enum with the writer's record.
    if (field.type.type === 'enum' && field.type.default !== null)
      return this.compare(field.type, writer, `${place}/type`);
    return one('READER_FIELD_MISSING_DEFAULT_VALUE', place, field.name);
  }

  private records(reader: RecordSchema, writer: RecordSchema, path: string): Found {
    const written = new Map((writer.fields ?? []).map((field) => [field.name, field]));
    let found = names(reader, writer, path);
    for (const [i, field] of (reader.fields ?? []).entries()) {
      const place = `${path}/fields/${i}`;
      const source = writerField(field, i, written, writer);
      found = merged(
        found,
        source === undefined
          ? this.missing(field, writer, place)
          : this.compare(field.type, source.type, `${place}/type`),
      );
    }
    return found;
  }
}

/** An alias that is the field's own name is ambiguous too, as in Confluent's registry. */
function writerField(field: Field, position: number, written: ReadonlyMap<string, Field>, writer: RecordSchema) {
  const found = [field.name, ...field.aliases].flatMap((name) => written.get(name) ?? []);
  if (found.length > 1) {
    const text = printSchema(writer, { declared: new Set(), normalize: false });
    throw new AmbiguousField(
      `Reader record field ${field.name} type:${field.type.type.toUpperCase()} pos:${position} matches multiple fields in writer record schema ${text}`,
    );
  }
  return found[0];
}

/** Namespaces do not matter, except in aliases. */
function names(reader: NamedSchema, writer: NamedSchema, path: string): Found {
  const written = fullName(writer.name);
  const isSame = (name: Name): boolean => fullName(name) === written;
  if (reader.name.simple === writer.name.simple || reader.aliases.some(isSame)) return NONE;
  return one('NAME_MISMATCH', `${path}/name`, `expected: ${written}`);
}

function sizes(reader: number, writer: number, path: string): Found {
  return reader === writer ? NONE : one('FIXED_SIZE_MISMATCH', `${path}/size`, `expected: ${writer}, found: ${reader}`);
}

function symbols(reader: EnumSchema, writer: EnumSchema, path: string): Found {
  if (reader.default !== null) return NONE;
  const known = new Set(reader.symbols);
  const unknown = writer.symbols.filter((symbol) => !known.has(symbol)).sort();
  return unknown.length === 0 ? NONE : one('MISSING_ENUM_SYMBOLS', `${path}/symbols`, `[${unknown.join(', ')}]`);
}

const one = (kind: Kind, path: string, detail: string): Found => [{ kind, path: path === '' ? '/' : path, detail }];

/** Types that are used twice have their incompatibilities twice, so that there may be any number. */
function merged(found: Found, more: Found): Found {
  if (more.length === 0 || found.length >= MAX_DIFFERENCES) return found;
  return found.length === 0 ? more : [...found, ...more].slice(0, MAX_DIFFERENCES);
}

/** In Confluent's words. */
export function sentence({ kind, path, detail }: Incompatibility, { reader, writer }: Sides): string {
  return `{errorType:'${kind}', description:'${description(kind, path, detail, reader, writer)}', additionalInfo:'${detail}'}`;
}

function description(kind: Kind, path: string, detail: string, reader: string, writer: string): string {
  switch (kind) {
    case 'READER_FIELD_MISSING_DEFAULT_VALUE':
      return `The field '${detail}' at path '${path}' in the ${reader} schema has no default value and is missing in the ${writer} schema`;
    case 'NAME_MISMATCH':
      return `The name of the schema has changed (path '${path}')`;
    case 'TYPE_MISMATCH':
      return `The type (path '${path}') of a field in the ${reader} schema does not match with the ${writer} schema`;
    case 'MISSING_UNION_BRANCH':
      return `The ${reader} schema is missing a type inside a union field at path '${path}' in the ${writer} schema`;
    case 'MISSING_ENUM_SYMBOLS':
      return `The ${reader} schema is missing enum symbols '${detail}' at path '${path}' in the ${writer} schema`;
    case 'FIXED_SIZE_MISMATCH':
      return `The size of FIXED type field at path '${path}' in the ${reader} schema does not match with the ${writer} schema`;
  }
}
