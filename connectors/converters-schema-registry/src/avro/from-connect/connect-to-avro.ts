/** The Avro schema of a Connect schema. Source: AvroData. */
import { LogicalName, type Field, type Schema } from '@millrace/sdk';
import type { AvroSettings } from '../avro-settings';
import {
  AVRO_PREFIX,
  DEFAULT_NAME,
  DEFAULT_PRECISION,
  KEY_FIELD,
  MAP_ENTRY,
  NAMESPACE,
  Param,
  Prop,
  VALUE_FIELD,
} from '../connect-props';
import { JsonNumber, type JsonTree } from '../json/json-tree';
import { MAX_DEPTH, schemaError } from '../schema-error';
import { ANYTHING_SCHEMA } from '../schema/anything';
import type { AvroName } from '../schema/avro-name';
import {
  branchName,
  field as avroField,
  primitive,
  record,
  type AvroField,
  type AvroRecord,
  type AvroSchema,
  type AvroUnion,
  type Props,
} from '../schema/avro-schema';
import { equalTrees } from '../schema/schema-equality';
import { enumOf, isFixed, isStringMap, isUnion, parameter } from './connect-kinds';
import { defaultTree, isValidDefault } from './default-tree';
import { addLogicalType, parsedInteger, precisionOf } from './logical-props';
import { checkedFieldName, checkedName, scrubName, splitName } from './names';
import { SchemaIdentity } from './schema-identity';

/** Throws DataError `AVRO_SCHEMA`. */
export function avroSchemaOf(schema: Schema | null, settings: AvroSettings): AvroSchema {
  return schema === null ? ANYTHING_SCHEMA : new Conversion(settings).of(schema);
}

class Conversion {
  private readonly identity = new SchemaIdentity();
  /** Equal Connect schemas are one Avro type. */
  private readonly made = new Map<number, AvroSchema>();
  /**
   * Records by the fields that they are made of: they may contain themselves. As in Java, a struct of the same name is
   * the same record even if its parameters differ, where it is optional or within an array, a map or a union.
   */
  private readonly records = new Map<readonly Field[], { readonly name: string; readonly record: AvroRecord }>();
  private unnamed = 0;
  private depth = 0;

  constructor(private readonly settings: AvroSettings) {}

  of(schema: Schema, ignoreOptional = false): AvroSchema {
    const reusable = !schema.optional;
    const id = reusable ? this.identity.of(schema) : -1;
    const known = reusable && !isUnion(schema) ? this.made.get(id) : undefined;
    if (known !== undefined) return known;
    if (++this.depth > MAX_DEPTH) throw schemaError(`The schema is nested deeper than ${MAX_DEPTH} levels.`);
    const base = this.base(schema);
    this.depth--;
    let final = base;
    if (base.type !== 'union') {
      if (this.settings.metaData) this.addMetaData(schema, base.props);
      addLogicalType(schema, base);
      for (const [key, value] of Object.entries(schema.parameters ?? {}))
        if (key.startsWith(AVRO_PREFIX)) addProp(base.props, key, value);
      if (!ignoreOptional) final = orNull(schema, base);
    }
    if (reusable) this.made.set(id, final);
    return final;
  }

  private base(schema: Schema): AvroSchema {
    switch (schema.type) {
      case 'INT8':
      case 'INT16':
      case 'INT32':
        return primitive('int');
      case 'INT64':
        return primitive('long');
      case 'FLOAT32':
        return primitive('float');
      case 'FLOAT64':
        return primitive('double');
      case 'BOOLEAN':
        return primitive('boolean');
      case 'STRING':
        return this.stringOrEnum(schema);
      case 'BYTES':
        return this.bytesOrFixed(schema);
      case 'ARRAY':
        return { type: 'array', items: this.orOpen(part(schema.valueSchema), false), props: new Map() };
      case 'MAP':
        return this.map(schema);
      case 'STRUCT':
        return this.struct(schema);
    }
  }

  private stringOrEnum(schema: Schema): AvroSchema {
    const found = enumOf(schema, this.settings);
    if (found === null) return primitive('string');
    const { discardTypeDoc } = this.settings;
    const [, name] = this.names(schema.name);
    if (found.name === undefined)
      throw schemaError('An enum of the schema has no name for the form that generalized.sum.type.support asks for.');
    const symbol = parameter(schema, Param.ENUM_DEFAULT + name);
    const doc = parameter(schema, discardTypeDoc ? Param.PLAIN_ENUM_DOC : Param.ENUM_DOC + name) ?? null;
    const byDefault = discardTypeDoc ? null : (symbol ?? null);
    if (byDefault !== null && !found.symbols.includes(byDefault))
      throw schemaError(`The enum ${found.name} has a default that is none of its symbols.`);
    for (const one of found.symbols) checkedName(null, one);
    const full = checkedName(null, found.name);
    return { type: 'enum', name: full, doc, symbols: found.symbols, default: byDefault, aliases: [], props: new Map() };
  }

  private bytesOrFixed(schema: Schema): AvroSchema {
    const props: Props = new Map();
    if (schema.name?.toLowerCase() === LogicalName.DECIMAL.toLowerCase()) {
      addProp(props, Prop.SCALE, number(parsedInteger(schema, Param.SCALE)));
      addProp(props, Prop.PRECISION, number(precisionOf(schema) ?? DEFAULT_PRECISION));
    }
    if (!isFixed(schema)) return primitive('bytes', props);
    const name = checkedName(...this.names(schema.name));
    const size = parsedInteger(schema, Param.FIXED_SIZE);
    if (size < 0) throw schemaError(`The fixed type ${name.full} has a negative size.`);
    return { type: 'fixed', name, doc: null, size, aliases: [], props };
  }

  private map(schema: Schema): AvroSchema {
    const values = part(schema.valueSchema);
    if (isStringMap(schema, this.settings.optionalMapKeys))
      return { type: 'map', values: this.orOpen(values, false), props: new Map() };
    const own = schema.name === null ? null : checkedName(...this.names(schema.name));
    const entry = record(own ?? checkedName(NAMESPACE, MAP_ENTRY));
    if (own !== null) entry.props.set(Prop.INTERNAL_TYPE, MAP_ENTRY);
    entry.fields.push(this.field(KEY_FIELD, part(schema.keySchema), null), this.field(VALUE_FIELD, values, null));
    return { type: 'array', items: entry, props: new Map() };
  }

  private struct(schema: Schema): AvroSchema {
    if (isUnion(schema)) {
      const members = (schema.fields ?? []).map((one) => this.orOpen(required(one.schema), true));
      return union(schema.optional ? [primitive('null'), ...members] : members);
    }
    if (schema.optional) return union([primitive('null'), this.orOpen(required(schema), false)]);
    const { discardTypeDoc, scrub } = this.settings;
    const doc = parameter(schema, discardTypeDoc ? Param.PLAIN_RECORD_DOC : Param.RECORD_DOC) ?? null;
    const made = record(this.recordName(schema), doc);
    const fields = schema.fields ?? [];
    if (schema.name !== null) this.records.set(fields, { name: schema.name, record: made });
    const names = new Set<string>();
    for (const one of fields) {
      const name = scrub ? scrubName(one.name) : one.name;
      if (names.has(name)) throw schemaError(`Two fields of ${made.name.full} have the name "${name}".`, { name });
      names.add(name);
      const fieldDoc = discardTypeDoc ? null : (parameter(schema, Param.FIELD_DOC + one.name) ?? null);
      made.fields.push(this.field(name, one.schema, fieldDoc));
    }
    return made;
  }

  private recordName(schema: Schema): AvroName {
    return checkedName(...this.names(schema.name));
  }

  private names(name: string | null): readonly [string | null, string] {
    if (name !== null) return splitName(name, this.settings.scrub);
    this.unnamed++;
    return [NAMESPACE, this.unnamed > 1 ? `${DEFAULT_NAME}${this.unnamed}` : DEFAULT_NAME];
  }

  /** As `of`, for schemas that may contain themselves. */
  private orOpen(schema: Schema, ignoreOptional: boolean): AvroSchema {
    const known = schema.fields === null ? undefined : this.records.get(schema.fields);
    if (known === undefined || known.name !== schema.name) return this.of(schema, ignoreOptional);
    return ignoreOptional ? known.record : orNull(schema, known.record);
  }

  private field(name: string, schema: Schema, doc: string | null): AvroField {
    const type = this.of(schema);
    let byDefault: JsonTree | undefined;
    if (hasDefault(schema)) byDefault = defaultTree(schema, schema.default, true, this.settings);
    else if (schema.optional) byDefault = null;
    return avroField(checkedFieldName(name), type, {
      doc: this.settings.discardTypeDoc ? schema.doc : doc,
      default: isValidDefault(type, byDefault) ? byDefault : undefined,
    });
  }

  private addMetaData(schema: Schema, props: Props): void {
    const { discardTypeDoc } = this.settings;
    if (schema.doc !== null) addProp(props, Prop.DOC, schema.doc);
    if (schema.version !== null) addProp(props, Prop.VERSION, number(schema.version));
    if (schema.parameters !== null) {
      const kept = Object.entries(schema.parameters).filter(([key]) => discardTypeDoc || key !== Param.FIELD_DEFAULT);
      if (kept.length > 0) addProp(props, Prop.PARAMETERS, new Map(kept));
    }
    if (hasDefault(schema) && (discardTypeDoc || parameter(schema, Param.FIELD_DEFAULT) === undefined))
      addProp(props, Prop.DEFAULT, defaultTree(schema, schema.default, false, this.settings));
    if (schema.name !== null) addProp(props, Prop.NAME, schema.name);
    if (schema.type === 'INT8' || schema.type === 'INT16') addProp(props, Prop.TYPE, schema.type.toLowerCase());
  }
}

export function hasDefault(schema: Schema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

function required(schema: Schema): Schema {
  return schema.optional ? { ...schema, optional: false } : schema;
}

function part(schema: Schema | null): Schema {
  if (schema === null) throw schemaError('An array or map of the schema has no schema for what it contains.');
  return schema;
}

function number(value: number): JsonNumber {
  return new JsonNumber(String(value));
}

function orNull(schema: Schema, base: AvroSchema): AvroSchema {
  if (!schema.optional) return base;
  return union(hasDefault(schema) ? [base, primitive('null')] : [primitive('null'), base]);
}

function union(types: readonly AvroSchema[]): AvroUnion {
  const names = new Set<string>();
  for (const type of types) {
    const name = branchName(type);
    if (type.type === 'union') throw schemaError('A union of the schema contains another union, which Avro has not.');
    if (names.has(name)) throw schemaError(`A union of the schema contains ${name} twice.`, { type: name });
    names.add(name);
  }
  return { type: 'union', types };
}

function addProp(props: Props, name: string, value: JsonTree): void {
  const known = props.get(name);
  if (known !== undefined && !equalTrees(known, value))
    throw schemaError(`The attribute "${name}" of the Avro schema has two values.`, { name });
  props.set(name, value);
}
