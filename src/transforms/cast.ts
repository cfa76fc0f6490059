/** `Cast`: fields, or the whole key or value, as other primitive types. Source: connect-runtime §7.2. */
import {
  schema as makeSchema,
  type ConnectorConfig,
  type ConnectRecord,
  type Field,
  type ParsedValue,
  type Schema,
  type Transformation,
  schemaBasics,
  setMember,
} from '@millrace/sdk';
import { invalidValue, messageValue } from '../config/config-parse';
import { CAST_TYPES, castValue, type CastType } from './cast-value';
import { REPLACE_NULL, Settings } from './settings';
import {
  fieldValue,
  isNull,
  memberOf,
  requireFit,
  requireMap,
  requireStruct,
  withMember,
  type StructValue,
} from './shapes';
import type { Side } from './side';
import { fieldsOf, perSchema, redefined, structOf } from './struct-schemas';
import type { FrameworkKey } from '../config/framework-key';

export const CAST_CONFIG: readonly FrameworkKey[] = [
  {
    name: 'spec',
    type: 'LIST',
    importance: 'HIGH',
    documentation:
      'Pairs field:type, or one type for the whole key or value. Types: int8, int16, int32, int64, float32, float64, boolean, string. ' +
      'Bytes can become strings (base64) alone.',
    check: invalidSpec,
  },
  REPLACE_NULL,
];

const PURPOSE = 'cast types';
const CONNECT_TYPES = [...CAST_TYPES, 'BYTES', 'ARRAY', 'MAP', 'STRUCT'];

/** Field (null: the whole value) and type. Java's `split(":")` drops empty parts at the end. */
function parse(mapping: string): { readonly field: string | null; readonly type: string } {
  const parts = mapping.replace(/(?<!:):+$/, '').split(':');
  const [first = '', second] = parts;
  return second === undefined ? { field: null, type: first } : { field: first.trim(), type: second };
}

/** Java's messages: the first names another setting, the second an enum constant. */
function invalidSpec(value: ParsedValue): readonly string[] {
  const mappings = value as readonly string[] | null;
  if (mappings === null || mappings.length === 0) return ['Must specify at least one field to cast.'];
  for (const mapping of mappings) {
    if (mapping.replace(/(?<!:):+$/, '').split(':').length > 2) {
      return [invalidValue('renames', messageValue('LIST', value), `Invalid rename mapping: ${mapping}`)];
    }
    const { type } = parse(mapping);
    const upper = type.trim().toUpperCase();
    if (!CONNECT_TYPES.includes(upper)) {
      const name = `No enum constant org.apache.kafka.connect.data.Schema.Type.${upper}`;
      return [
        `Invalid value java.lang.IllegalArgumentException: ${name} for configuration Invalid type found in casting spec: ${type.trim()}`,
      ];
    }
    if (!CAST_TYPES.includes(upper as CastType)) {
      return [
        `Cast transformation does not support casting to ${upper}; supported types are [${CAST_TYPES.join(', ')}]`,
      ];
    }
  }
  return mappings.length > 1 && mappings.some((mapping) => parse(mapping).field === null)
    ? [
        'Cast transformations that specify a type to cast the entire value to may only specify a single cast in their spec',
      ]
    : [];
}

export class Cast implements Transformation {
  private fields: ReadonlyMap<string, CastType> = new Map();
  private whole: CastType | null = null;
  private replaceNull = true;

  constructor(private readonly side: Side) {}

  configure(config: ConnectorConfig): void {
    const settings = new Settings(CAST_CONFIG, config);
    const fields = new Map<string, CastType>();
    this.whole = null;
    for (const mapping of settings.list('spec')) {
      const { field, type } = parse(mapping);
      const castType = type.trim().toUpperCase() as CastType;
      if (field === null) this.whole = castType;
      else fields.set(field, castType);
    }
    this.fields = fields;
    this.replaceNull = settings.flag('replace.null.with.default');
  }

  apply<R extends ConnectRecord>(record: R): R {
    const value = this.side.valueOf(record);
    if (isNull(value)) return record;
    const schema = this.side.schemaOf(record);
    if (schema === null) return this.side.replaced(record, null, this.schemaless(value));
    if (this.whole) return this.side.replaced(record, this.wholeSchema(schema), castValue(schema, value, this.whole));
    const updated = this.structSchema(schema);
    return this.side.replaced(record, updated, this.castStruct(schema, requireStruct(schema, value, PURPOSE), updated));
  }

  private schemaless(value: unknown): unknown {
    if (this.whole) return castValue(null, value, this.whole);
    let map = requireMap(value, PURPOSE);
    for (const [name, type] of this.fields) map = withMember(map, name, castValue(null, memberOf(map, name), type));
    return map;
  }

  private castStruct(schema: Schema, struct: StructValue, updated: Schema): StructValue {
    const cast: Record<string, unknown> = {};
    for (const field of fieldsOf(schema)) {
      const type = this.fields.get(field.name);
      const member = fieldValue(struct, field, this.replaceNull);
      const value = type === undefined ? member : castValue(field.schema, member, type);
      if (value === null) requireFit(field.name, (fieldsOf(updated)[field.index] as Field).schema, null);
      setMember(cast, field.name, value);
    }
    return cast;
  }

  private readonly wholeSchema = perSchema((schema): Schema => {
    const type = this.whole as CastType;
    return makeSchema(type, { ...schemaBasics(schema), ...conditions(schema, type) });
  });

  private readonly structSchema = perSchema((schema): Schema => {
    const fields = fieldsOf(schema).map(({ name, schema: of }): [string, Schema] => {
      const type = this.fields.get(name);
      return [name, type === undefined ? of : makeSchema(type, conditions(of, type))];
    });
    const updated = structOf(fields, { ...schemaBasics(schema), optional: schema.optional });
    if (isNull(schema.default)) return updated;
    return redefined(updated, schema.optional, this.castStruct(schema, schema.default as StructValue, updated));
  });
}

function conditions(schema: Schema, type: CastType): { optional: boolean; default: unknown } {
  const fallback = schema.default ?? undefined;
  return {
    optional: schema.optional,
    default: fallback === undefined ? undefined : castValue(schema, fallback, type),
  };
}
