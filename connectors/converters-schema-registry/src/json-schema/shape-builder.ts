/** Registered schemas as shapes. Structs may contain themselves. */
import {
  arraySchema,
  mapSchema,
  schema as primitive,
  structSchema,
  type Field,
  type Schema,
  type SchemaOptions,
} from '@millrace/sdk';
import { scalarOf, type Scalar } from './scalar-types';
import type { SchemaDocuments } from './schema-documents';
import { isObject, memberOf, shown, type Place, type Tree, type TreeObject } from './schema-documents';
import { unusable, Misfit } from './schema-error';
import { factsOf, integerOf, type Facts } from './schema-facts';
import { valueKey, type Form, type Shape, type ShapeField } from './shape';
import { enumParameters } from './sum-types';
import {
  CONNECT_INDEX,
  DEEPEST_SCHEMA,
  ENTRY_KEY,
  ENTRY_VALUE,
  GENERALIZED_UNION,
  GENERALIZED_UNION_PREFIX,
  UNION_NAME,
} from './vocabulary';

export interface ShapeSettings {
  readonly optionalForNonRequired: boolean;
  readonly generalizedSumTypes: boolean;
}

/** More are no schema of people. */
const MOST_SHAPES = 50_000;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** @param read a value of the shape, for defaults. Throws Misfit. */
export type ReadDefault = (shape: Shape, tree: Tree) => unknown;

export class ShapeBuilder {
  /** By node, and whether the shape is optional although its schema does not say so. Null: not complete yet. */
  private readonly known = new Map<TreeObject, [Shape | null | undefined, Shape | null | undefined]>();
  /** Properties that several schemas describe, by the numbers of these. */
  private readonly joined = new Map<string, TreeObject>();
  private readonly numbers = new Map<Tree, number>();
  private count = 0;
  private unions = 0;
  private depth = 0;

  constructor(
    private readonly documents: SchemaDocuments,
    private readonly settings: ShapeSettings,
    private readonly readDefault: ReadDefault,
  ) {}

  /** Throws DataError `JSON_SCHEMA_INVALID`. */
  root(): Shape {
    return this.shape(this.documents.root, false);
  }

  private shape(place: Place, isMissable: boolean): Shape {
    const { node } = place;
    if (!isObject(node)) return this.build(place, isMissable, () => undefined);
    let known = this.known.get(node);
    if (known === undefined) this.known.set(node, (known = [undefined, undefined]));
    const at = isMissable ? 1 : 0;
    const found = known[at];
    if (found === null) throw unusable('it contains itself without an object between');
    if (found !== undefined) return found;
    if (++this.depth > DEEPEST_SCHEMA) throw unusable(`it is nested deeper than ${DEEPEST_SCHEMA} levels`);
    known[at] = null;
    const own = known;
    known[at] = this.build(place, isMissable, (early) => (own[at] = early));
    this.depth--;
    return known[at];
  }

  /** @param announce is called with a shape that may contain itself, before it is complete */
  private build(place: Place, isMissable: boolean, announce: (shape: Shape) => void): Shape {
    if (++this.count > MOST_SHAPES) throw unusable(`it has more than ${MOST_SHAPES} parts`);
    return this.ofFacts(factsOf(place, this.documents), isMissable, announce);
  }

  private ofFacts(facts: Facts, isMissable: boolean, announce: (shape: Shape) => void): Shape {
    const options = optionsOf(facts, isMissable);
    const types = typesOf(facts);
    if (facts.isNever) return shapeOf('never', primitive('STRING', { optional: true }), facts);
    if (isUnion(facts, types)) {
      const alternatives = facts.alternatives ?? [];
      return this.union(facts, options, announce, (i) =>
        alternatives[i] === undefined ? undefined : this.shape(this.inheriting(alternatives[i], types), true),
      );
    }
    if (types.length > 1)
      return this.union(facts, options, announce, (i) => {
        const type = types[i];
        const own = { ...facts, types: [type as string], alternatives: null, title: null, default: undefined };
        return type === undefined ? undefined : this.ofFacts(own, true, () => undefined);
      });
    switch (types[0]) {
      case 'object':
        return this.object(facts, options, announce);
      case 'array':
        return this.array(facts, options, announce);
      case undefined:
        return shapeOf('any', primitive('STRING', { ...options, optional: true }), { ...facts, nullable: true });
      default:
        return this.scalar(scalarOf(types[0], facts), facts, options);
    }
  }

  private scalar({ type, form, name, version, isText }: Scalar, facts: Facts, options: SchemaOptions): Shape {
    if (name !== undefined) options.name = name;
    if (version !== undefined) options.version ??= version;
    const values = facts.values?.filter((value) => value !== null) ?? [];
    if (form === 'string' && values.length > 0 && values.every((value) => typeof value === 'string'))
      options.parameters = { ...enumParameters(values, this.settings.generalizedSumTypes), ...options.parameters };
    return this.withDefault({ ...shapeOf(form, primitive(type, options), facts), isText }, facts);
  }

  private array(facts: Facts, options: SchemaOptions, announce: (shape: Shape) => void): Shape {
    if (facts.connectType === 'map') return this.entries(facts, options, announce);
    const { items } = facts;
    const place = items?.length === 1 ? items[0] : items && this.anyOf(items);
    const { shape, schema } = draft('array', arraySchema(NONE, options), facts, announce);
    shape.values = this.shape(place ?? anything(facts), false);
    schema.valueSchema = shape.values.schema;
    return this.withDefault(shape, facts);
  }

  private entries(facts: Facts, options: SchemaOptions, announce: (shape: Shape) => void): Shape {
    const entry = facts.items?.[0];
    const { properties } = entry ? factsOf(entry, this.documents) : facts;
    const [key, value] = [ENTRY_KEY, ENTRY_VALUE].map((name) => properties.get(name)?.[0]);
    if (key === undefined || value === undefined)
      throw unusable('the elements of an array with "connect.type": "map" need the properties "key" and "value"');
    const { shape, schema } = draft('entries', mapSchema(NONE, NONE, options), facts, announce);
    shape.keys = this.shape(key, false);
    shape.values = this.shape(value, false);
    schema.keySchema = shape.keys.schema;
    schema.valueSchema = shape.values.schema;
    return this.withDefault(shape, facts);
  }

  private object(facts: Facts, options: SchemaOptions, announce: (shape: Shape) => void): Shape {
    const isMap = facts.connectType === 'map' || (facts.properties.size === 0 && facts.additional !== null);
    return isMap ? this.map(facts, options, announce) : this.struct(facts, options, announce);
  }

  private map(facts: Facts, options: SchemaOptions, announce: (shape: Shape) => void): Shape {
    const { shape, schema } = draft('map', mapSchema(primitive('STRING'), NONE, options), facts, announce);
    shape.values = this.shape(facts.additional ?? anything(facts), false);
    schema.valueSchema = shape.values.schema;
    return this.withDefault(shape, facts);
  }

  private struct(facts: Facts, options: SchemaOptions, announce: (shape: Shape) => void): Shape {
    const properties = new Map(facts.properties);
    // Alternatives beside properties say which of them belong together.
    for (const alternative of facts.alternatives ?? [])
      for (const [name, places] of factsOf(alternative, this.documents).properties)
        if (!properties.has(name)) properties.set(name, places);
    const { shape, fields, add } = draftStruct('struct', facts, options, announce);
    const members: { readonly index: number; readonly field: ShapeField }[] = [];
    for (const [name, places] of properties) {
      const place = this.joint(places);
      const isRequired = facts.required.has(name);
      const isMissable = (this.settings.optionalForNonRequired || !facts.properties.has(name)) && !isRequired;
      const member = this.shape(place, isMissable);
      if (member.form === 'never') continue;
      members.push({ index: indexOf(places), field: { name, shape: member, isRequired } });
    }
    // The sort is stable: those without an index, or with the same, keep their order.
    members.sort((a, b) => a.index - b.index);
    for (const { field } of members) add(field);
    return this.withDefault(shape, facts, fields);
  }

  /** @param alternative by its number; undefined: there is none */
  private union(
    facts: Facts,
    options: SchemaOptions,
    announce: (shape: Shape) => void,
    alternative: (i: number) => Shape | undefined,
  ): Shape {
    const { generalizedSumTypes } = this.settings;
    const named: SchemaOptions = generalizedSumTypes
      ? {
          ...options,
          parameters: { ...options.parameters, [GENERALIZED_UNION]: `${GENERALIZED_UNION_PREFIX}${this.unions++}` },
        }
      : { ...options, name: UNION_NAME };
    const { shape, fields, schema, add } = draftStruct('union', facts, named, announce);
    const prefix = generalizedSumTypes ? `${GENERALIZED_UNION_PREFIX}field_` : `${UNION_NAME}.field.`;
    for (let i = 0, made = alternative(0); made !== undefined; made = alternative(++i)) {
      add({ name: `${prefix}${i}`, shape: made, isRequired: false });
      if (made.isNullable && facts.nullable === undefined) {
        shape.isNullable = true;
        schema.optional = true;
      }
    }
    return this.withDefault(shape, facts, fields);
  }

  /** Freezes the schema. A default that the schema does not allow counts as none. */
  private withDefault(shape: Shape, facts: Facts, fields?: Field[]): Shape {
    if (fields) Object.freeze(fields);
    let schema = shape.schema as Mutable<Schema>;
    if (facts.default !== undefined) {
      if (Object.isFrozen(schema)) schema = { ...schema };
      try {
        schema.default = this.readDefault(shape, facts.default);
      } catch (error) {
        if (!(error instanceof Misfit)) throw error;
      }
    }
    (shape as Mutable<Shape>).schema = Object.freeze(schema);
    return shape;
  }

  /** The schema of a property that has to fit all of these. */
  private joint(places: readonly Place[]): Place {
    const [first] = places as readonly [Place];
    if (places.length === 1) return first;
    const key = places.map(({ node }) => this.numberOf(node)).join(',');
    return { node: this.made(key, () => ({ allOf: places.map(({ node }) => node) })), document: first.document };
  }

  private anyOf(places: readonly Place[]): Place {
    const [first] = places as readonly [Place];
    const key = `any ${places.map(({ node }) => this.numberOf(node)).join(',')}`;
    return { node: this.made(key, () => ({ anyOf: places.map(({ node }) => node) })), document: first.document };
  }

  /** An alternative of a schema that has a type itself. */
  private inheriting(place: Place, types: readonly string[]): Place {
    const { node, document } = place;
    const [type] = types;
    if (types.length !== 1 || !isObject(node) || node.type !== undefined || node.$ref !== undefined) return place;
    return { node: this.made(`typed ${this.numberOf(node)}`, () => ({ ...node, type: type as string })), document };
  }

  private made(key: string, make: () => TreeObject): TreeObject {
    let node = this.joined.get(key);
    if (node === undefined) this.joined.set(key, (node = make()));
    return node;
  }

  private numberOf(node: Tree): number {
    let number = this.numbers.get(node);
    if (number === undefined) this.numbers.set(node, (number = this.numbers.size));
    return number;
  }
}

/** Stands for a schema that is not known yet. */
const NONE = primitive('STRING');

interface Draft {
  readonly shape: Mutable<Shape>;
  readonly schema: Mutable<Schema>;
}

/** A schema whose parts are added later, since they may contain it. */
function draft(form: Form, of: Schema, facts: Facts, announce: (shape: Shape) => void): Draft {
  const schema: Mutable<Schema> = { ...of };
  const shape: Mutable<Shape> = shapeOf(form, schema, facts);
  announce(shape);
  return { shape, schema };
}

function draftStruct(
  form: Form,
  facts: Facts,
  options: SchemaOptions,
  announce: (shape: Shape) => void,
): Draft & { readonly fields: Field[]; readonly add: (field: ShapeField) => void } {
  const fields: Field[] = [];
  const members: ShapeField[] = [];
  const { shape, schema } = draft(form, { ...structSchema([], options), fields }, facts, (made) => {
    (made as Mutable<Shape>).fields = members;
    announce(made);
  });
  const add = (field: ShapeField): void => {
    fields.push(Object.freeze({ name: field.name, index: fields.length, schema: field.shape.schema }));
    members.push(field);
  };
  return { shape, schema, fields, add };
}

function shapeOf(form: Form, schema: Schema, facts: Facts): Shape {
  const keys = facts.values?.map(valueKey);
  return {
    form,
    schema,
    isNullable: facts.nullable === true,
    isText: false,
    allowed: keys?.every((key) => key !== undefined) === true ? new Set(keys) : null,
    values: null,
    keys: null,
    fields: [],
    isClosed: facts.isClosed,
  };
}

function optionsOf(facts: Facts, isMissable: boolean): SchemaOptions {
  return {
    optional: isMissable || facts.nullable === true,
    ...(facts.title !== null && { name: facts.title }),
    ...(facts.version !== null && { version: facts.version }),
    ...(facts.description !== null && { doc: facts.description }),
    ...(facts.parameters !== null && { parameters: facts.parameters }),
  };
}

/** What the schema says, or what its other keywords are for. Empty: any. */
function typesOf(facts: Facts): readonly string[] {
  if (facts.types !== null) {
    for (const type of facts.types) if (!KNOWN.has(type)) throw unusable(`its type ${shown(type)} does not exist`);
    // A number may be an integer.
    return facts.types.includes('number') ? facts.types.filter((type) => type !== 'integer') : facts.types;
  }
  if (facts.values !== null && facts.values.length > 0)
    return [...new Set(facts.values.flatMap((value) => jsonTypeOf(value)))];
  if (facts.properties.size > 0 || facts.required.size > 0 || facts.additional !== null) return ['object'];
  return facts.items === null ? [] : ['array'];
}

const KNOWN: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array']);

function jsonTypeOf(value: Tree): readonly string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'string' || typeof value === 'boolean') return [typeof value];
  if (isObject(value)) return ['object'];
  return [(value as { readonly integral: boolean }).integral ? 'integer' : 'number'];
}

/** Alternatives count where the schema itself does not say what its values are. */
function isUnion(facts: Facts, types: readonly string[]): boolean {
  if (facts.alternatives === null) return false;
  return types.length !== 1 || (types[0] === 'object' && facts.properties.size === 0 && facts.additional === null);
}

function anything(facts: Facts): Place {
  const document = facts.items?.[0]?.document ?? { root: true, base: '' };
  return { node: true, document };
}

/** Those without an index come last. */
function indexOf(places: readonly Place[]): number {
  for (const { node } of places) {
    const index = isObject(node) ? integerOf(memberOf(node, CONNECT_INDEX)) : null;
    if (index !== null) return index;
  }
  return Number.MAX_SAFE_INTEGER;
}
