/** The Connect schema of an Avro schema. Source: AvroData. */
import { LogicalName, type Field, type Schema, type SchemaType } from '@millrace/sdk';
import type { AvroSettings } from '../avro-settings';
import {
  AVRO_PREFIX,
  DEFAULT_NAME,
  DEFAULT_PRECISION,
  GENERAL_UNION_FIELD_PREFIX,
  GENERAL_UNION_PREFIX,
  KEY_FIELD,
  NAMESPACE,
  Param,
  Prop,
  UNION_NAME,
  VALUE_FIELD,
} from '../connect-props';
import { isJsonObject, JsonNumber, type JsonTree } from '../json/json-tree';
import { jsonText } from '../json/json-text';
import { schemaError } from '../schema-error';
import {
  isNamed,
  type AvroArray,
  type AvroFixed,
  type AvroPrimitive,
  type AvroRecord,
  type AvroSchema,
  type AvroUnion,
} from '../schema/avro-schema';
import { isMapEntry } from '../schema/map-entry';
import { connectDefault } from './connect-default';

/** A schema that is being built: of one that contains itself, there are references before it is complete. */
type Draft = { -readonly [K in keyof Schema]: Schema[K] };
type Parameters = Map<string, string>;

interface Use {
  readonly optional: boolean;
  /** Of the Avro field. Undefined: none. */
  readonly byDefault: JsonTree | undefined;
  readonly doc: string | null;
}

const PLAIN_USE: Use = { optional: false, byDefault: undefined, doc: null };
const OPTIONAL_USE: Use = { ...PLAIN_USE, optional: true };

export interface ConnectView {
  readonly schema: Schema;
  /** The Connect fields of unions, by their branch. Null stands for null. */
  readonly unionFields: ReadonlyMap<AvroUnion, readonly (Field | null)[]>;
}

/**
 * Throws DataError `AVRO_SCHEMA`.
 * @param version in the registry, for a schema without a version of its own. Null: unknown
 */
export function connectSchemaOf(avro: AvroSchema, version: number | null, settings: AvroSettings): ConnectView {
  const conversion = new Conversion(settings);
  return { schema: conversion.of(avro, PLAIN_USE, version), unionFields: conversion.unionFields };
}

class Conversion {
  readonly unionFields = new Map<AvroUnion, readonly (Field | null)[]>();
  /** Records that are being converted, and the references to them so far. */
  private readonly open = new Map<AvroRecord, Draft[]>();
  /** Converted as required ones without default, so that a type is converted once however often it is used. */
  private readonly done = new Map<AvroSchema, Schema>();
  /** Records that contain themselves, as they were used first. */
  private readonly recursive = new Map<AvroRecord, Schema>();
  private unions = 0;

  constructor(private readonly settings: AvroSettings) {}

  of(avro: AvroSchema, use: Use, version: number | null = null): Schema {
    if (avro.type === 'union') return this.union(avro, use, version);
    const open = avro.type === 'record' ? this.open.get(avro) : undefined;
    if (open !== undefined) {
      const reference = { optional: use.optional } as Draft;
      open.push(reference);
      return reference;
    }
    const known = this.done.get(avro);
    if (known !== undefined) return this.used(avro, known, use);
    if (avro.type !== 'record') {
      const base = this.bare(avro, version);
      if (isNamed(avro)) this.done.set(avro, base);
      return this.used(avro, base, use);
    }
    const references: Draft[] = [];
    this.open.set(avro, references);
    const base = this.bare(avro, version);
    const made = this.used(avro, base, use);
    this.open.delete(avro);
    this.done.set(avro, base);
    for (const reference of references)
      Object.freeze(Object.assign(reference, { ...made, optional: reference.optional }));
    if (references.length > 0) this.recursive.set(avro, made);
    return made;
  }

  /** As `of`, within arrays, maps and unions: there Java takes a record that contains itself as it was used first. */
  private part(avro: AvroSchema, use: Use): Schema {
    const first = avro.type === 'record' ? this.recursive.get(avro) : undefined;
    return first === undefined ? this.of(avro, use) : Object.freeze({ ...first, optional: use.optional });
  }

  /** Without optionality and default. */
  private bare(avro: Exclude<AvroSchema, AvroUnion>, version: number | null): Schema {
    const draft: Draft = {
      type: 'STRING',
      optional: false,
      default: undefined,
      name: null,
      version: null,
      doc: null,
      parameters: null,
      fields: null,
      keySchema: null,
      valueSchema: null,
    };
    const parameters: Parameters = new Map();
    this.addType(draft, parameters, avro);
    this.addMetaData(draft, parameters, avro, version);
    if (parameters.size > 0) draft.parameters = Object.freeze(Object.fromEntries(parameters));
    return Object.freeze(draft);
  }

  private used(avro: Exclude<AvroSchema, AvroUnion>, base: Schema, use: Use): Schema {
    const { discardTypeDoc, metaData } = this.settings;
    const changes: Partial<Draft> = use.optional ? { optional: true } : {};
    if (discardTypeDoc && use.doc !== null) changes.doc = use.doc;
    const own = avro.props.get(Prop.DEFAULT);
    const { byDefault } = use;
    let value = byDefault === undefined ? undefined : connectDefault(base, avro, byDefault, true);
    if (value === undefined) value = own === undefined ? undefined : connectDefault(base, avro, own, false);
    else if (own === undefined && metaData && !discardTypeDoc)
      changes.parameters = Object.freeze({ ...base.parameters, [Param.FIELD_DEFAULT]: 'true' });
    if (value !== undefined && value !== null) changes.default = value;
    return Object.keys(changes).length === 0 ? base : Object.freeze({ ...base, ...changes });
  }

  private addType(draft: Draft, parameters: Parameters, avro: Exclude<AvroSchema, AvroUnion>): void {
    switch (avro.type) {
      case 'boolean':
        draft.type = 'BOOLEAN';
        return;
      case 'int':
        return addInt(draft, avro);
      case 'long':
        draft.type = 'INT64';
        if (logicalOf(avro) === 'timestamp-millis') addLogical(draft, LogicalName.TIMESTAMP);
        return;
      case 'float':
        draft.type = 'FLOAT32';
        return;
      case 'double':
        draft.type = 'FLOAT64';
        return;
      case 'string':
        return;
      case 'bytes':
      case 'fixed':
        return addBytes(draft, parameters, avro);
      case 'array':
        return this.addArray(draft, avro);
      case 'map':
        draft.type = 'MAP';
        draft.keySchema = plain('STRING');
        draft.valueSchema = this.part(avro.values, PLAIN_USE);
        return;
      case 'record':
        return this.addRecord(draft, parameters, avro);
      case 'enum': {
        const { generalized, discardTypeDoc, metaData } = this.settings;
        if (metaData && avro.doc !== null)
          parameters.set(discardTypeDoc ? Param.PLAIN_ENUM_DOC : Param.ENUM_DOC + avro.name.name, avro.doc);
        if (metaData && !discardTypeDoc && avro.default !== null)
          parameters.set(Param.ENUM_DEFAULT + avro.name.name, avro.default);
        const name = generalized ? Param.GENERAL_ENUM : Param.ENUM;
        parameters.set(name, avro.name.full);
        avro.symbols.forEach((symbol, i) => parameters.set(`${name}.${symbol}`, generalized ? String(i) : symbol));
        return;
      }
      case 'null':
        throw schemaError('The Avro schema has the type null outside of a union, which Connect has not.');
    }
  }

  private addArray(draft: Draft, avro: AvroArray): void {
    const { items } = avro;
    if (!isMapEntry(items)) {
      draft.type = 'ARRAY';
      draft.valueSchema = this.part(items, PLAIN_USE);
      return;
    }
    const part = (name: string): AvroSchema | undefined => items.fields.find((field) => field.name === name)?.schema;
    const key = part(KEY_FIELD);
    const value = part(VALUE_FIELD);
    if (key === undefined || value === undefined || items.fields.length !== 2)
      throw schemaError('An array of map entries in the Avro schema has other fields than key and value.');
    draft.type = 'MAP';
    draft.keySchema = this.of(key, PLAIN_USE);
    draft.valueSchema = this.of(value, PLAIN_USE);
  }

  private addRecord(draft: Draft, parameters: Parameters, avro: AvroRecord): void {
    const { discardTypeDoc, metaData } = this.settings;
    draft.type = 'STRUCT';
    if (metaData && !discardTypeDoc && avro.doc !== null) parameters.set(Param.RECORD_DOC, avro.doc);
    const fields: Field[] = [];
    draft.fields = fields;
    for (const { name, schema, doc, default: byDefault } of avro.fields) {
      if (metaData && !discardTypeDoc && doc !== null) parameters.set(Param.FIELD_DOC + name, doc);
      const converted = this.of(schema, { optional: false, byDefault, doc });
      fields.push(Object.freeze({ name, index: fields.length, schema: converted }));
    }
    Object.freeze(fields);
  }

  private addMetaData(
    draft: Draft,
    parameters: Parameters,
    avro: Exclude<AvroSchema, AvroUnion>,
    version: number | null,
  ): void {
    const { discardTypeDoc, metaData } = this.settings;
    const { props } = avro;
    if (discardTypeDoc) draft.doc = (isNamed(avro) ? avro.doc : null) ?? textOf(props.get(Prop.DOC));
    else if (metaData) draft.doc = textOf(props.get(Prop.DOC));
    if (metaData && discardTypeDoc && isNamed(avro) && avro.doc !== null)
      parameters.set(Param.PLAIN_RECORD_DOC, avro.doc);
    addVersion(draft, props.get(Prop.VERSION), version);
    const own = props.get(Prop.PARAMETERS);
    if (metaData && own !== undefined) {
      if (!isJsonObject(own)) throw schemaError(`The attribute "${Prop.PARAMETERS}" of the Avro schema is no object.`);
      for (const [key, value] of own) {
        if (typeof value !== 'string')
          throw schemaError(`The attribute "${Prop.PARAMETERS}" of the Avro schema has a member that is no text.`);
        parameters.set(key, value);
      }
    }
    for (const [key, value] of props)
      if (key.startsWith(AVRO_PREFIX)) parameters.set(key, typeof value === 'string' ? value : jsonText(value));
    addName(draft, avro);
  }

  private union(avro: AvroUnion, use: Use, version: number | null): Schema {
    const { types } = avro;
    if (types.length === 1 && this.settings.flattenSingletons)
      return this.part(types[0] as AvroSchema, { ...PLAIN_USE, doc: use.doc });
    const others = types.filter((type) => type.type !== 'null');
    if (types.length === 2 && others.length === 1)
      return this.part(others[0] as AvroSchema, { ...OPTIONAL_USE, doc: use.doc });
    return this.unionStruct(avro, use, version);
  }

  private unionStruct(avro: AvroUnion, use: Use, version: number | null): Schema {
    const { generalized, enhanced, discardTypeDoc, metaData } = this.settings;
    const name = generalized ? `${GENERAL_UNION_PREFIX}${this.unions++}` : UNION_NAME;
    const fields: Field[] = [];
    const names = new Set<string>();
    const byBranch = avro.types.map((type, index) => {
      if (type.type === 'null') return null;
      const own = isNamed(type) ? (enhanced ? type.name.full : type.name.name) : type.type;
      const fieldName = generalized ? `${GENERAL_UNION_FIELD_PREFIX}${index}` : own;
      if (names.has(fieldName))
        throw schemaError(
          `Two types of a union in the Avro schema have the name "${fieldName}": set enhanced.avro.schema.support=true.`,
        );
      names.add(fieldName);
      const field = Object.freeze({ name: fieldName, index: fields.length, schema: this.part(type, OPTIONAL_USE) });
      fields.push(field);
      return field;
    });
    this.unionFields.set(avro, byBranch);
    const parameters: Record<string, string> = generalized ? { [Param.GENERAL_UNION]: name } : {};
    if (use.byDefault !== undefined && metaData && !discardTypeDoc) parameters[Param.FIELD_DEFAULT] = 'true';
    const draft: Draft = {
      ...plain('STRUCT'),
      name,
      version,
      optional: use.optional || byBranch.includes(null),
      doc: discardTypeDoc ? use.doc : null,
      parameters: Object.keys(parameters).length > 0 ? Object.freeze(parameters) : null,
      fields: Object.freeze(fields),
    };
    const [first] = byBranch;
    const hasDefault = use.byDefault !== undefined && use.byDefault !== null;
    if (hasDefault && first !== null && first !== undefined && keepsDefault(avro.types[0] as AvroSchema, first)) {
      const value = connectDefault(first.schema, avro.types[0] as AvroSchema, use.byDefault, true);
      if (value !== undefined)
        draft.default = Object.fromEntries(fields.map((field) => [field.name, field === first ? value : null]));
    }
    return Object.freeze(draft);
  }
}

/** Java finds no member of the union for defaults of other types. */
function keepsDefault(avro: AvroSchema, { schema }: Field): boolean {
  return avro.type !== 'enum' && avro.type !== 'record' && schema.type !== 'INT8' && schema.type !== 'INT16';
}

function plain(type: SchemaType): Schema {
  return Object.freeze({
    type,
    optional: false,
    default: undefined,
    name: null,
    version: null,
    doc: null,
    parameters: null,
    fields: null,
    keySchema: null,
    valueSchema: null,
  });
}

function textOf(tree: JsonTree | undefined): string | null {
  return typeof tree === 'string' ? tree : null;
}

function logicalOf(avro: Exclude<AvroSchema, AvroUnion>): string | null {
  return textOf(avro.props.get(Prop.LOGICAL_TYPE))?.toLowerCase() ?? null;
}

function addLogical(draft: Draft, name: string): void {
  draft.name = name;
  draft.version = 1;
}

const SMALL_TYPES: ReadonlyMap<string, SchemaType> = new Map([
  ['int8', 'INT8'],
  ['int16', 'INT16'],
]);

function addInt(draft: Draft, avro: AvroPrimitive): void {
  const logical = logicalOf(avro);
  const type = textOf(avro.props.get(Prop.TYPE));
  draft.type = 'INT32';
  if (logical === 'date') addLogical(draft, LogicalName.DATE);
  else if (logical === 'time-millis') addLogical(draft, LogicalName.TIME);
  else if (logical === null && type !== null) {
    const small = SMALL_TYPES.get(type);
    if (small === undefined) throw schemaError(`The attribute "${Prop.TYPE}" of the Avro schema is not int8 or int16.`);
    draft.type = small;
  }
}

function addBytes(draft: Draft, parameters: Parameters, avro: AvroPrimitive | AvroFixed): void {
  draft.type = 'BYTES';
  if (logicalOf(avro) === 'decimal') {
    addLogical(draft, LogicalName.DECIMAL);
    parameters.set(Param.SCALE, String(integerOf(avro.props.get(Prop.SCALE)) ?? 0));
    const precision = avro.props.get(Prop.PRECISION);
    const digits = integerOf(precision);
    if (precision !== undefined && digits === null)
      throw schemaError('The precision of a decimal in the Avro schema is no integer.');
    if (digits !== null && digits !== DEFAULT_PRECISION) parameters.set(Param.PRECISION, String(digits));
  }
  if (avro.type === 'fixed') parameters.set(Param.FIXED_SIZE, String(avro.size));
}

function integerOf(tree: JsonTree | undefined): number | null {
  return tree instanceof JsonNumber ? Math.trunc(Number(tree.text)) | 0 : null;
}

/** Connect's own version comes first, then that of the registry. */
function addVersion(draft: Draft, own: JsonTree | undefined, registered: number | null): void {
  if (own !== undefined && !(own instanceof JsonNumber))
    throw schemaError(`The attribute "${Prop.VERSION}" of the Avro schema is no number.`);
  const version = integerOf(own) ?? registered ?? -1;
  if (version < 0) return;
  if (draft.version === null) draft.version = version;
  else if (own !== undefined && draft.version !== version)
    throw schemaError(`The attribute "${Prop.VERSION}" of a logical type in the Avro schema is not ${draft.version}.`);
}

function addName(draft: Draft, avro: Exclude<AvroSchema, AvroUnion>): void {
  const own = avro.props.get(Prop.NAME);
  if (own !== undefined && typeof own !== 'string')
    throw schemaError(`The attribute "${Prop.NAME}" of the Avro schema is no text.`);
  let name = own ?? null;
  if (name === null && isNamed(avro) && draft.name === null) name = avro.name.full;
  if (name === null || name.startsWith(`${NAMESPACE}.${DEFAULT_NAME}`)) return;
  if (draft.name !== null && draft.name !== name)
    throw schemaError(`The attribute "${Prop.NAME}" of a logical type in the Avro schema is not ${draft.name}.`);
  draft.name = name;
}
