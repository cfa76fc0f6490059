/** Registered schemas as ajv takes them: of a draft that it knows, and with the cost of each part. */
import { setMember } from '@millrace/sdk';
import { unusable } from './schema-error';
import { DEEPEST_SCHEMA } from './vocabulary';

/** A keyword of ours in every schema: what it costs to apply it. */
export const COST = 'x-millrace-cost';
/** More take several seconds to compile. */
const MOST_PARTS = 20_000;
/** What a schema without others in it may cost without being counted. */
const CHEAP = 10;

export type Draft = 'draft-07' | '2019-09' | '2020-12';
type Json = Record<string, unknown>;

const ONE: ReadonlySet<string> = new Set([
  ...['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'items', 'additionalItems', 'additionalProperties'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
]);
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
const NAMED: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'definitions', '$defs', 'dependentSchemas', 'dependencies'],
]);

/** That the schema names; older ones and others are taken as draft 7, after their keywords. */
export function draftOf(schema: unknown): Draft {
  const name = isJson(schema) && typeof schema.$schema === 'string' ? schema.$schema : '';
  if (name.includes('/2020-12/')) return '2020-12';
  return name.includes('/2019-09/') ? '2019-09' : 'draft-07';
}

export class SchemaPreparation {
  private parts = 0;

  /** @param names of references of the registry, and what they are called for ajv */
  constructor(private readonly names: ReadonlyMap<string, string>) {}

  /** A copy. Throws DataError `JSON_SCHEMA_INVALID`. */
  prepare(schema: unknown, depth = 0): unknown {
    if (!isJson(schema)) return schema;
    if (depth > DEEPEST_SCHEMA) throw unusable(`it is nested deeper than ${DEEPEST_SCHEMA} levels`);
    if (++this.parts > MOST_PARTS) throw unusable(`it has more than ${MOST_PARTS} parts, too many to validate with`);
    const copy: Json = {};
    let cost = 1;
    let isLeaf = true;
    for (const [name, value] of Object.entries(schema)) {
      if (name === '$schema' || name === COST) continue;
      if (Array.isArray(value)) cost += value.length;
      else if (name === 'properties' && isJson(value)) cost += Object.keys(value).length;
      isLeaf &&= !(ONE.has(name) || LISTS.has(name) || NAMED.has(name) || REFERENCES.has(name));
      setMember(copy, name, this.member(name, value, depth + 1));
    }
    older(copy);
    narrower(copy);
    // The work of leaves is bounded by what they are in.
    if (!isLeaf || cost > CHEAP) copy[COST] = cost;
    return copy;
  }

  private member(name: string, value: unknown, depth: number): unknown {
    if (name === '$ref' && typeof value === 'string') return this.reference(value);
    if (LISTS.has(name) && Array.isArray(value)) return value.map((one) => this.prepare(one, depth));
    if (ONE.has(name)) return this.prepare(value, depth);
    if (!NAMED.has(name) || !isJson(value)) return value;
    const copy: Json = {};
    for (const [key, one] of Object.entries(value)) setMember(copy, key, this.prepare(one, depth));
    return copy;
  }

  private reference(text: string): string {
    const at = text.indexOf('#');
    const name = this.names.get(at < 0 ? text : text.slice(0, at));
    return name === undefined ? text : name + (at < 0 ? '' : text.slice(at));
  }
}

/** Draft 4 has other forms of these. */
function older(schema: Json): void {
  if (typeof schema.id === 'string' && schema.$id === undefined) {
    schema.$id = schema.id;
    delete schema.id;
  }
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    if (schema[exclusive] && schema[limit] !== undefined) {
      schema[exclusive] = schema[limit];
      delete schema[limit];
    } else delete schema[exclusive];
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Ajv nests the code of each property in that of the one before: JavaScript's parser ends at some hundred. */
const MOST_NESTED = 100;

/** Moves properties of wide schemas into parts that apply together. Their names stay, for other keywords. */
function narrower(schema: Json): void {
  if (!isJson(schema.properties)) return;
  const properties = Object.entries(schema.properties);
  if (properties.length <= MOST_NESTED) return;
  const parts: Json[] = [];
  const size = Math.max(MOST_NESTED, Math.ceil(Math.sqrt(properties.length)));
  for (let i = 0; i < properties.length; i += size)
    parts.push({ properties: Object.fromEntries(properties.slice(i, i + size)) });
  schema.properties = Object.fromEntries(properties.map(([name]) => [name, true]));
  schema.allOf = [...(Array.isArray(schema.allOf) ? (schema.allOf as unknown[]) : []), ...parts];
}
