/** Whether two schemas are the same but for their documentation, as Avro's Java library decides it. */
import { JsonNumber, type JsonTree } from '../json/json-tree';
import { isNamed, type AvroField, type AvroSchema } from './avro-schema';

export function equalSchemas(one: AvroSchema, other: AvroSchema): boolean {
  return equal(one, other, new Map());
}

/** @param open pairs of records that are being compared: equal, unless something else in them differs */
function equal(one: AvroSchema, other: AvroSchema, open: Map<AvroSchema, Set<AvroSchema>>): boolean {
  if (one === other) return true;
  if (one.type === 'union' || other.type === 'union')
    return one.type === 'union' && other.type === 'union' && equalLists(one.types, other.types, open);
  if (one.type !== other.type || !equalMembers(one.props, other.props)) return false;
  if (isNamed(one) && isNamed(other) && one.name.full !== other.name.full) return false;
  switch (one.type) {
    case 'array':
      return other.type === 'array' && equal(one.items, other.items, open);
    case 'map':
      return other.type === 'map' && equal(one.values, other.values, open);
    case 'enum':
      return other.type === 'enum' && one.default === other.default && equalTexts(one.symbols, other.symbols);
    case 'fixed':
      return other.type === 'fixed' && one.size === other.size;
    case 'record': {
      if (other.type !== 'record' || one.fields.length !== other.fields.length) return false;
      let partners = open.get(one);
      if (partners === undefined) open.set(one, (partners = new Set()));
      if (partners.has(other)) return true;
      partners.add(other);
      return one.fields.every((field, i) => equalFields(field, other.fields[i] as AvroField, open));
    }
    default:
      return true;
  }
}

function equalFields(one: AvroField, other: AvroField, open: Map<AvroSchema, Set<AvroSchema>>): boolean {
  return (
    one.name === other.name &&
    equalDefaults(one.default, other.default) &&
    equalMembers(one.props, other.props) &&
    equal(one.schema, other.schema, open)
  );
}

function equalDefaults(one: JsonTree | undefined, other: JsonTree | undefined): boolean {
  return one === undefined || other === undefined ? one === other : equalTrees(one, other);
}

function equalLists(
  one: readonly AvroSchema[],
  other: readonly AvroSchema[],
  open: Map<AvroSchema, Set<AvroSchema>>,
): boolean {
  return one.length === other.length && one.every((schema, i) => equal(schema, other[i] as AvroSchema, open));
}

function equalTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, i) => text === other[i]);
}

function equalMembers(one: ReadonlyMap<string, JsonTree>, other: ReadonlyMap<string, JsonTree>): boolean {
  if (one.size !== other.size) return false;
  for (const [name, value] of one) {
    const another = other.get(name);
    if (another === undefined || !equalTrees(value, another)) return false;
  }
  return true;
}

export function equalTrees(one: JsonTree, other: JsonTree): boolean {
  if (one === other) return true;
  if (one instanceof JsonNumber) return other instanceof JsonNumber && one.text === other.text;
  if (one instanceof Map) return other instanceof Map && equalMembers(one, other);
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((element, i) => equalTrees(element as JsonTree, other[i] as JsonTree));
}
