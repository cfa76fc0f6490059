/**
 * Whether a JSON Schema accepts what another one accepts. Only what is proven is a difference: where the keywords do
 * not allow a decision, there is none. A property that a schema does not name may have any value (an open content
 * model) unless `additionalProperties` limits it.
 */
import { MAX_COMPARED_PAIRS, MAX_DIFFERENCES, MAX_TYPE_DEPTH } from '../bounds';
import { isArray, isObject, type JsonObject, type JsonValue } from '../json/json-value';
import { InvalidSchema } from '../registry-error';
import type { Sides } from '../schema-format';
import { compareScalars, type Difference } from './compare-scalars';
import { membersOf, type SchemaDocument, type SchemaNode } from './documents';
import { ALL_TYPES, itemsOf, namesOf, typesOf, valueKey, valuesOf } from './keywords';

type Found = readonly Difference[];
const NONE: Found = [];
const SUMS = ['anyOf', 'oneOf'] as const;
const MAX_REFERENCES = 100;
/** Joining more parts takes long: there is no decision about them. */
const MAX_PARTS = 500;
const ANYTHING: JsonObject = new Map();

export function compareDocuments(reader: SchemaDocument, writer: SchemaDocument): Found {
  const root = (document: SchemaDocument): SchemaNode => ({ document, value: document.root });
  return new Comparison().compare(root(reader), root(writer), '#');
}

export function sentence({ kind, path }: Difference, { reader, writer }: Sides): string {
  return `{errorType:"${kind}", description:"The ${reader} schema does not accept at path '${path}' what the ${writer} schema accepts"}`;
}

class Comparison {
  /** What is being compared counts as compatible: schemas may contain themselves. */
  private readonly known = new Map<JsonObject, Map<JsonObject, Found>>();
  private pairs = 0;
  private depth = 0;

  compare(reader: SchemaNode, writer: SchemaNode, path: string): Found {
    const [read, written] = [target(reader), target(writer)];
    if (read === null || written === null || written.value === false || acceptsAll(read.value)) return NONE;
    if (read.value === false) return one('TYPE_NARROWED', path);
    const [r, w] = [membersOf(read.value), membersOf(written.value)];
    let ofReader = this.known.get(r);
    if (ofReader === undefined) this.known.set(r, (ofReader = new Map()));
    const known = ofReader.get(w);
    if (known !== undefined) return known;
    if (++this.pairs > MAX_COMPARED_PAIRS || this.depth >= MAX_TYPE_DEPTH)
      throw new InvalidSchema('the schema is too complex to compare with an earlier one');
    ofReader.set(w, NONE);
    this.depth++;
    const found = this.writerParts({ ...read, value: r }, { ...written, value: w }, path);
    this.depth--;
    ofReader.set(w, found);
    return found;
  }

  /** Each alternative of the writer must be accepted; what all parts of a writer demand is one schema. */
  private writerParts(reader: Schema, writer: Schema, path: string): Found {
    for (const sum of SUMS) {
      const branches = writer.value.get(sum);
      if (!isArray(branches)) continue;
      const rest = without(writer.value, sum);
      if (this.isAccepted(reader, { ...writer, value: rest })) return NONE;
      return collect(branches, (branch) => {
        const both = target({ document: writer.document, value: branch });
        if (both === null || both.document !== writer.document) return NONE;
        const joined = both.value === true ? rest : isObject(both.value) ? join(rest, both.value) : null;
        return joined === null ? NONE : this.compare(reader, { ...writer, value: joined }, path);
      });
    }
    const parts = writer.value.get('allOf');
    if (isArray(parts)) {
      if (parts.length > MAX_PARTS) return NONE;
      let joined: JsonObject | null = without(writer.value, 'allOf');
      for (const part of parts) {
        const node = target({ document: writer.document, value: part });
        if (node === null || node.document !== writer.document || !isObject(node.value)) return NONE;
        joined = joined && join(joined, node.value);
      }
      return joined === null ? NONE : this.compare(reader, { ...writer, value: joined }, path);
    }
    return this.readerParts(reader, writer, path);
  }

  private readerParts(reader: Schema, writer: Schema, path: string): Found {
    const parts = reader.value.get('allOf');
    if (isArray(parts)) {
      const rest = this.compare({ ...reader, value: without(reader.value, 'allOf') }, writer, path);
      return merged(
        rest,
        collect(parts, (part) => this.compare({ ...reader, value: part }, writer, path)),
      );
    }
    for (const sum of SUMS) {
      const branches = reader.value.get(sum);
      if (!isArray(branches)) continue;
      const rest = this.compare({ ...reader, value: without(reader.value, sum) }, writer, path);
      return merged(rest, this.inSum({ ...reader, value: branches }, writer, path));
    }
    return this.keywords(reader, writer, path);
  }

  /** Values of different types, and enumerated values, may be accepted by different alternatives. */
  private inSum(
    { document, value: branches }: { readonly document: SchemaDocument; readonly value: readonly JsonValue[] },
    writer: Schema,
    path: string,
  ): Found {
    const isAccepted = (part: JsonObject): boolean =>
      branches.some((value) => this.isAccepted({ document, value }, { ...writer, value: part }));
    if (isAccepted(writer.value)) return NONE;
    const values = valuesOf(writer.value);
    const parts =
      values === null
        ? (typesOf(writer.value) ?? ALL_TYPES).map((type) => new Map(writer.value).set('type', type))
        : values.map((value) => new Map([['const', value]]));
    return parts.every(isAccepted) ? NONE : one('SUM_TYPE_NARROWED', path);
  }

  private isAccepted(reader: SchemaNode, writer: SchemaNode): boolean {
    return this.compare(reader, writer, '#').length === 0;
  }

  private keywords(reader: Schema, writer: Schema, path: string): Found {
    const [r, w] = [reader.value, writer.value];
    const [read, written] = [typesOf(r), typesOf(w)];
    if (read !== null) {
      const accepts = (type: string): boolean =>
        read.includes(type as 'integer') || (type === 'integer' && read.includes('number'));
      if (!(written ?? ALL_TYPES).every(accepts))
        return one(written !== null && !written.some(accepts) ? 'TYPE_CHANGED' : 'TYPE_NARROWED', path);
    }
    const [values, given] = [valuesOf(r), valuesOf(w)];
    if (given !== null) {
      const known = values && new Set(values.map(valueKey));
      return known === null || given.every((value) => known.has(valueKey(value)))
        ? NONE
        : one('ENUM_ARRAY_NARROWED', path);
    }
    if (values !== null) return isFinite(written) ? NONE : one('ENUM_ARRAY_NARROWED', path);
    const types = written ?? ALL_TYPES;
    let found = compareScalars(r, w, types, path);
    if (types.includes('object')) found = merged(found, this.objects(reader, writer, path));
    if (types.includes('array')) found = merged(found, this.arrays(reader, writer, path));
    return found;
  }

  private objects(reader: Schema, writer: Schema, path: string): Found {
    const [r, w] = [reader.value, writer.value];
    const [read, written] = [membersOf(r.get('properties')), membersOf(w.get('properties'))];
    const [more, wroteMore] = [r.get('additionalProperties') ?? true, w.get('additionalProperties') ?? true];
    const [patterns, wrotePatterns] = [membersOf(r.get('patternProperties')), membersOf(w.get('patternProperties'))];
    const compare = (value: JsonValue, other: JsonValue, place: string): Found =>
      this.compare({ ...reader, value }, { ...writer, value: other }, place);
    let found: Found = NONE;
    for (const [name, schema] of read) {
      const place = `${path}/properties/${name}`;
      const other = written.get(name);
      if (other !== undefined) found = merged(found, compare(schema, other, place));
      // A pattern of the writer may match the name.
      else if (wrotePatterns.size === 0 && wroteMore !== false && compare(schema, wroteMore, place).length > 0)
        found = merged(
          found,
          one(
            acceptsAll(wroteMore)
              ? 'PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL'
              : 'PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL',
            place,
          ),
        );
    }
    for (const [name, schema] of written) {
      const place = `${path}/properties/${name}`;
      if (read.has(name) || patterns.size > 0 || schema === false) continue;
      if (compare(more, schema, place).length === 0) continue;
      const isClosed = more === false;
      const kind = isClosed
        ? 'PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL'
        : 'PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL';
      found = merged(found, one(kind, place));
    }
    for (const [pattern, schema] of patterns) {
      const other = wrotePatterns.get(pattern);
      if (other !== undefined) found = merged(found, compare(schema, other, `${path}/patternProperties/${pattern}`));
    }
    const place = `${path}/additionalProperties`;
    if (patterns.size === 0 && wroteMore !== false && compare(more, wroteMore, place).length > 0)
      found = merged(
        found,
        one(more === false ? 'ADDITIONAL_PROPERTIES_REMOVED' : 'ADDITIONAL_PROPERTIES_NARROWED', path),
      );
    return merged(found, required(r, w, path));
  }

  private arrays(reader: Schema, writer: Schema, path: string): Found {
    const [read, written] = [itemsOf(reader.value), itemsOf(writer.value)];
    const compare = (value: JsonValue, other: JsonValue, place: string): Found =>
      other === false ? NONE : this.compare({ ...reader, value }, { ...writer, value: other }, place);
    let found = compare(read.rest, written.rest, `${path}/items`);
    for (let i = 0; i < Math.max(read.first.length, written.first.length); i++) {
      const [item, other] = [read.first[i] ?? read.rest, written.first[i] ?? written.rest];
      found = merged(found, compare(item, other, `${path}/items/${i}`));
    }
    return found;
  }
}

interface Schema extends SchemaNode {
  readonly value: JsonObject;
}

/** With a default, a reader has a value for a property that is missing. */
function required(reader: JsonObject, writer: JsonObject, path: string): Found {
  const always = new Set(namesOf(writer, 'required'));
  const properties = membersOf(reader.get('properties'));
  const added = namesOf(reader, 'required').filter(
    (name) => !always.has(name) && !membersOf(properties.get(name)).has('default'),
  );
  return added.map((name) => ({ kind: 'REQUIRED_ATTRIBUTE_ADDED', path: `${path}/required/${name}` }));
}

/** What a chain of `$ref`s ends with. Null: the registry does not know. */
function target(node: SchemaNode): SchemaNode | null {
  let current: SchemaNode | null | undefined = node;
  for (let i = 0; i < MAX_REFERENCES; i++) {
    const value: JsonValue | undefined = current?.value;
    const reference: JsonValue | undefined = isObject(value) ? value.get('$ref') : undefined;
    if (typeof reference !== 'string') return current ?? null;
    current = current?.document.find(reference);
  }
  return null;
}

/** Descriptions and what is only used by reference do not limit values. */
const ANNOTATIONS = ['$schema', '$id', 'id', '$comment', '$defs', 'definitions', 'title', 'description', 'default'];
const MORE_ANNOTATIONS = ['examples', 'readOnly', 'writeOnly', 'deprecated', 'format', '$anchor'];
const FREE = new Set([...ANNOTATIONS, ...MORE_ANNOTATIONS]);

function acceptsAll(value: JsonValue): boolean {
  return value === true || (isObject(value) && [...value.keys()].every((name) => FREE.has(name) || isOwn(name)));
}

/** `connect.type` and others of the kind. */
const isOwn = (name: string): boolean => name.startsWith('connect.');

function isFinite(types: readonly string[] | null): boolean {
  return types !== null && types.every((type) => type === 'null' || type === 'boolean');
}

const without = (schema: JsonObject, name: string): JsonObject =>
  new Map([...schema].filter(([member]) => member !== name));

/** The schema of values that both accept. Null: not the members of one object. */
function join(a: JsonObject, b: JsonObject): JsonObject | null {
  const joined = new Map(a);
  for (const [name, value] of b) {
    const other = joined.get(name);
    if (other === undefined || FREE.has(name)) joined.set(name, value);
    else if (name === 'required' && isArray(other) && isArray(value)) joined.set(name, [...other, ...value]);
    else if (name === 'properties' && isObject(other) && isObject(value)) {
      if ([...value.keys()].some((property) => other.has(property))) return null;
      joined.set(name, new Map([...other, ...value]));
    } else if (valueKey(other) !== valueKey(value)) return null;
  }
  return joined.size === 0 ? ANYTHING : joined;
}

const one = (kind: string, path: string): Found => [{ kind, path }];

function collect(values: readonly JsonValue[], compare: (value: JsonValue) => Found): Found {
  let found = NONE;
  for (const value of values) found = merged(found, compare(value));
  return found;
}

function merged(found: Found, more: Found): Found {
  if (more.length === 0 || found.length >= MAX_DIFFERENCES) return found;
  return found.length === 0 ? more : [...found, ...more].slice(0, MAX_DIFFERENCES);
}
