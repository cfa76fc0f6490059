/** Schemas from their text, within bounds: it was registered by others. */
import { isJsonArray, isJsonObject, JsonNumber, parseJson, type JsonObject, type JsonTree } from '../json/json-tree';
import { MAX_DEPTH, schemaError } from '../schema-error';
import { AvroName } from './avro-name';
import {
  branchName,
  field,
  primitive,
  record,
  type AvroEnum,
  type AvroField,
  type AvroFixed,
  type AvroNamed,
  type AvroRecord,
  type AvroSchema,
  type AvroUnion,
  type Props,
} from './avro-schema';
import { PRIMITIVES, type PrimitiveType } from './primitive-types';

/** Characters of a schema and all that it refers to. */
const MAX_TEXT = 8 * 1024 * 1024;
/** Types and fields: what is compiled of them has a multiple of that size. */
const MAX_PARTS = 50_000;
const MAX_FIXED = 16 * 1024 * 1024;

const PRIMITIVE_TYPES: ReadonlySet<string> = new Set(PRIMITIVES);
const OWN_ATTRIBUTES: ReadonlySet<string> = new Set(
  'doc fields items name namespace size symbols values type aliases'.split(' '),
);
const ENUM_ATTRIBUTES: ReadonlySet<string> = new Set([...OWN_ATTRIBUTES, 'default']);
const FIELD_ATTRIBUTES: ReadonlySet<string> = new Set('default doc name order type aliases'.split(' '));

/**
 * Throws DataError `AVRO_SCHEMA`.
 * @param dependencies texts of the schemas that it refers to; used ones come first
 */
export function parseSchema(text: string, dependencies: ReadonlyMap<string, string> = new Map()): AvroSchema {
  let length = text.length;
  for (const dependency of dependencies.values()) length += dependency.length;
  if (length > MAX_TEXT) throw schemaError(`The Avro schema is longer than ${MAX_TEXT} characters.`);
  const parser = new SchemaParser();
  for (const dependency of dependencies.values()) parser.parse(dependency);
  return parser.parse(text);
}

class SchemaParser {
  private readonly names = new Map<string, AvroNamed>();
  private space: string | null = null;
  private depth = 0;
  private parts = 0;

  parse(text: string): AvroSchema {
    let tree: JsonTree;
    try {
      tree = parseJson(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw schemaError(`The Avro schema is not JSON: ${error.message}.`);
    }
    this.space = null;
    return this.schema(tree);
  }

  private schema(tree: JsonTree | undefined): AvroSchema {
    this.count();
    if (++this.depth > MAX_DEPTH) throw schemaError(`The Avro schema is nested deeper than ${MAX_DEPTH} levels.`);
    const made = this.anySchema(tree);
    this.depth--;
    return made;
  }

  private anySchema(tree: JsonTree | undefined): AvroSchema {
    if (typeof tree === 'string')
      return PRIMITIVE_TYPES.has(tree) ? primitive(tree as PrimitiveType) : this.known(tree);
    if (isJsonArray(tree)) return this.union(tree);
    if (!isJsonObject(tree)) throw schemaError('The Avro schema has a type that is no text, object or array.');
    return this.object(tree);
  }

  private object(tree: JsonObject): AvroSchema {
    const type = text(tree, 'type', 'a type');
    if (PRIMITIVE_TYPES.has(type)) return primitive(type as PrimitiveType, propsOf(tree, OWN_ATTRIBUTES));
    switch (type) {
      case 'array':
        return { type, items: this.schema(required(tree, 'items')), props: propsOf(tree, OWN_ATTRIBUTES) };
      case 'map':
        return { type, values: this.schema(required(tree, 'values')), props: propsOf(tree, OWN_ATTRIBUTES) };
      case 'record':
      case 'error':
        return this.record(tree);
      case 'enum':
        return this.enum(tree);
      case 'fixed':
        return this.fixed(tree);
      default:
        return this.known(type);
    }
  }

  private known(name: string): AvroNamed {
    const found = this.names.get(new AvroName(name, this.space).full) ?? this.names.get(new AvroName(name, null).full);
    if (found === undefined)
      throw schemaError(`The Avro schema uses the type "${shortened(name)}", which it does not define.`);
    return found;
  }

  private union(trees: readonly JsonTree[]): AvroUnion {
    const names = new Set<string>();
    const types = trees.map((tree) => {
      const type = this.schema(tree);
      if (type.type === 'union') throw schemaError('A union of the Avro schema contains another union.');
      const name = branchName(type);
      if (names.has(name)) throw schemaError(`A union of the Avro schema contains "${shortened(name)}" twice.`);
      names.add(name);
      return type;
    });
    return { type: 'union', types };
  }

  private record(tree: JsonObject): AvroRecord {
    const made = record(this.name(tree), docOf(tree), this.aliases(tree));
    this.define(made);
    const outer = this.space;
    this.space = made.name.space;
    const fields = required(tree, 'fields');
    if (!isJsonArray(fields)) throw schemaError(`The fields of the record ${made.name.full} are no array.`);
    const names = new Set<string>();
    for (const one of fields) {
      const parsed = this.field(one, made);
      if (names.has(parsed.name))
        throw schemaError(`The record ${made.name.full} has two fields named "${shortened(parsed.name)}".`);
      names.add(parsed.name);
      made.fields.push(parsed);
    }
    this.space = outer;
    addProps(made.props, tree, OWN_ATTRIBUTES);
    return made;
  }

  private field(tree: JsonTree, owner: AvroRecord): AvroField {
    this.count();
    if (!isJsonObject(tree)) throw schemaError(`A field of the record ${owner.name.full} is no object.`);
    const name = text(tree, 'name', `a name for a field of ${owner.name.full}`);
    const type = this.schema(required(tree, 'type'));
    const aliases = tree.get('aliases');
    return field(name, type, {
      doc: docOf(tree),
      default: fieldDefault(type, tree.get('default')),
      aliases: isJsonArray(aliases) ? aliases.filter((alias) => typeof alias === 'string') : [],
      props: propsOf(tree, FIELD_ATTRIBUTES),
    });
  }

  private enum(tree: JsonObject): AvroEnum {
    const name = this.name(tree);
    const symbols = required(tree, 'symbols');
    if (!isJsonArray(symbols) || !symbols.every((symbol) => typeof symbol === 'string'))
      throw schemaError(`The symbols of the enum ${name.full} are no array of texts.`);
    if (new Set(symbols).size < symbols.length) throw schemaError(`The enum ${name.full} has a symbol twice.`);
    const byDefault = tree.get('default');
    const made: AvroEnum = {
      type: 'enum',
      name,
      doc: docOf(tree),
      symbols: symbols as readonly string[],
      default: typeof byDefault === 'string' ? byDefault : null,
      aliases: this.aliases(tree),
      props: propsOf(tree, ENUM_ATTRIBUTES),
    };
    this.define(made);
    return made;
  }

  private fixed(tree: JsonObject): AvroFixed {
    const name = this.name(tree);
    const size = tree.get('size');
    const bytes = size instanceof JsonNumber ? Number(size.text) : NaN;
    if (!Number.isInteger(bytes) || bytes < 0 || bytes > MAX_FIXED)
      throw schemaError(`The size of the fixed type ${name.full} is no number from 0 to ${MAX_FIXED}.`);
    const aliases = this.aliases(tree);
    const props = propsOf(tree, OWN_ATTRIBUTES);
    const made: AvroFixed = { type: 'fixed', name, doc: docOf(tree), size: bytes, aliases, props };
    this.define(made);
    return made;
  }

  private name(tree: JsonObject): AvroName {
    const space = tree.get('namespace');
    return new AvroName(
      text(tree, 'name', 'a name for one of its types'),
      typeof space === 'string' ? space : this.space,
    );
  }

  private aliases(tree: JsonObject): AvroName[] {
    const aliases = tree.get('aliases');
    if (!isJsonArray(aliases)) return [];
    const space = this.name(tree).space;
    return aliases.filter((alias) => typeof alias === 'string').map((alias) => new AvroName(alias, space));
  }

  private define(type: AvroNamed): void {
    const { full } = type.name;
    if (this.names.has(full)) throw schemaError(`The Avro schema defines the type "${shortened(full)}" twice.`);
    this.names.set(full, type);
  }

  private count(): void {
    if (++this.parts > MAX_PARTS) throw schemaError(`The Avro schema has more than ${MAX_PARTS} types and fields.`);
  }
}

/** Numbers that JSON has not are texts there. */
function fieldDefault(type: AvroSchema, tree: JsonTree | undefined): JsonTree | undefined {
  if ((type.type !== 'float' && type.type !== 'double') || typeof tree !== 'string') return tree;
  return new JsonNumber(tree);
}

function text(tree: JsonObject, member: string, what: string): string {
  const found = tree.get(member);
  if (typeof found === 'string' && found !== '') return found;
  throw schemaError(`The Avro schema lacks ${what}: "${member}" must be text.`);
}

function required(tree: JsonObject, member: string): JsonTree {
  const found = tree.get(member);
  if (found === undefined) throw schemaError(`A type of the Avro schema has no "${member}".`);
  return found;
}

function docOf(tree: JsonObject): string | null {
  const doc = tree.get('doc');
  return typeof doc === 'string' ? doc : null;
}

function propsOf(tree: JsonObject, own: ReadonlySet<string>): Props {
  const props: Props = new Map();
  addProps(props, tree, own);
  return props;
}

function addProps(props: Props, tree: JsonObject, own: ReadonlySet<string>): void {
  for (const [name, value] of tree) if (!own.has(name)) props.set(name, value);
}

const MOST_SHOWN = 100;

function shortened(name: string): string {
  return name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name;
}
