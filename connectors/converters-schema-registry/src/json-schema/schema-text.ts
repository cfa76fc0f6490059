/**
 * The JSON Schema of a Connect schema, as text. Equal schemas have equal texts: members come in a fixed order, and
 * fields in theirs. Structs that contain themselves are definitions; all others are written where they are used.
 */
import { LogicalName, type Schema } from '@millrace/sdk';
import type { JsonSchemaSettings, SpecVersion } from './json-schema-config';
import { quote } from './quote';
import { unusable } from './schema-error';
import { enumValues, isEnumParameter, isUnion } from './sum-types';
import {
  CONNECT_INDEX,
  CONNECT_PARAMETERS,
  CONNECT_TYPE,
  CONNECT_VERSION,
  DEEPEST_SCHEMA,
  ENTRY_KEY,
  ENTRY_VALUE,
  MOST_SCHEMA_CHARACTERS,
} from './vocabulary';

/** A member of an object: its name, and the text of its value. */
type Member = readonly [name: string, text: string];

/** Readers take schemas without `$schema` for this version. */
const USUAL_VERSION: SpecVersion = 'draft_7';
const DIALECTS: Readonly<Record<SpecVersion, string>> = {
  draft_4: 'http://json-schema.org/draft-04/schema#',
  draft_6: 'http://json-schema.org/draft-06/schema#',
  draft_7: 'http://json-schema.org/draft-07/schema#',
  draft_2019_09: 'https://json-schema.org/draft/2019-09/schema',
  draft_2020_12: 'https://json-schema.org/draft/2020-12/schema',
};

const NUMBERS: Readonly<Partial<Record<Schema['type'], string>>> = {
  INT8: 'integer',
  INT16: 'integer',
  INT32: 'integer',
  INT64: 'integer',
  FLOAT32: 'number',
  FLOAT64: 'number',
};

/** @param valueText the JSON of a value, for defaults. Throws DataError `JSON_SCHEMA_INVALID`. */
export function jsonSchemaText(
  schema: Schema,
  settings: JsonSchemaSettings,
  valueText: (schema: Schema, value: unknown) => string,
): string {
  return new SchemaWriter(settings, valueText).document(schema);
}

/** Of values that have no schema. */
export const ANY_VALUE = '{}';

class SchemaWriter {
  /** Structs that contain what is being written, and how it refers to them, if it does. They are the same by fields. */
  private readonly open = new Map<Schema['fields'], string | null>();
  private readonly definitions = new Map<string, string>();
  /** Fields of structs with a definition, and its reference. */
  private readonly defined = new Map<Schema['fields'], string>();
  private readonly definitionsName: string;
  private root: Schema['fields'] = null;
  private depth = 0;

  constructor(
    private readonly settings: JsonSchemaSettings,
    private readonly valueText: (schema: Schema, value: unknown) => string,
  ) {
    const { specVersion } = settings;
    this.definitionsName = specVersion === 'draft_2019_09' || specVersion === 'draft_2020_12' ? '$defs' : 'definitions';
  }

  document(schema: Schema): string {
    if (!schema.optional) this.root = schema.fields;
    const members = [...this.members(schema)];
    const { specVersion } = this.settings;
    if (specVersion !== USUAL_VERSION) members.unshift(['$schema', quote(DIALECTS[specVersion])]);
    if (this.definitions.size > 0) members.push([this.definitionsName, object([...this.definitions])]);
    return object(members);
  }

  /** Of a schema, with null if that is a value. */
  private members(schema: Schema): readonly Member[] {
    const own = this.nonNull(schema);
    if (!schema.optional) return own;
    const type = own.find(([name]) => name === 'type');
    if (this.settings.oneOfForNullables || type === undefined) return [['oneOf', `[{"type":"null"},${object(own)}]`]];
    return own.map(([name, text]): Member => {
      if (name === 'type') return [name, `["null",${text}]`];
      return name === 'enum' ? [name, `${text.slice(0, -1)},null]`] : [name, text];
    });
  }

  private text(schema: Schema, more: readonly Member[] = []): string {
    return object([...this.members(schema), ...more]);
  }

  private nonNull(schema: Schema): readonly Member[] {
    if (++this.depth > DEEPEST_SCHEMA) throw unusable(`it is nested deeper than ${DEEPEST_SCHEMA} levels`);
    const members = isUnion(schema) ? this.union(schema) : this.typed(schema);
    this.depth--;
    return members;
  }

  private typed(schema: Schema): readonly Member[] {
    switch (schema.type) {
      case 'STRUCT':
        return this.struct(schema);
      case 'ARRAY':
        return [...this.basics(schema, 'array'), ['items', this.text(schema.valueSchema as Schema)]];
      case 'MAP':
        return this.map(schema);
      case 'BYTES':
        return this.basics(schema, isNumericDecimal(schema, this.settings) ? 'number' : 'string', 'bytes');
      case 'BOOLEAN':
        return this.basics(schema, 'boolean');
      case 'STRING': {
        const values = enumValues(schema);
        const members = this.basics(schema, 'string');
        return values === null ? members : [...members, ['enum', `[${values.map(quote).join(',')}]`]];
      }
      default: {
        const format = this.settings.isoDates ? temporalFormat(schema.name) : undefined;
        const type = format === undefined ? (NUMBERS[schema.type] as string) : 'string';
        const members = this.basics(schema, type, schema.type.toLowerCase());
        return format === undefined ? members : [...members, ['format', quote(format)]];
      }
    }
  }

  /** What schemas of all types have. */
  private basics(schema: Schema, type: string, connectType?: string): readonly Member[] {
    const { name, version, doc, parameters } = schema;
    const members: Member[] = [['type', quote(type)]];
    if (name !== null) members.push(['title', quote(name)]);
    if (doc !== null) members.push(['description', quote(doc)]);
    if (schema.default !== undefined && schema.default !== null)
      members.push(['default', this.valueText(schema, schema.default)]);
    if (connectType !== undefined) members.push([CONNECT_TYPE, quote(connectType)]);
    if (version !== null) members.push([CONNECT_VERSION, String(version)]);
    const isEnum = enumValues(schema) !== null;
    const own = Object.entries(parameters ?? {}).filter(([key]) => !isEnum || !isEnumParameter(key));
    if (own.length > 0)
      members.push([CONNECT_PARAMETERS, object(own.map(([key, value]): Member => [key, quote(value)]))]);
    return members;
  }

  private struct(schema: Schema): readonly Member[] {
    const { fields } = schema;
    const known = this.defined.get(fields);
    if (known !== undefined) return [['$ref', quote(known)]];
    const above = this.open.get(fields);
    if (above !== undefined) {
      const reference = above ?? (fields === this.root ? '#' : this.reference(schema));
      this.open.set(fields, reference);
      return [['$ref', quote(reference)]];
    }
    this.open.set(fields, null);
    const members = this.structMembers(schema);
    const reference = this.open.get(fields) ?? null;
    this.open.delete(fields);
    if (reference === null || fields === this.root) return members;
    this.defined.set(fields, reference);
    this.definitions.set(reference.slice(`#/${this.definitionsName}/`.length), object(members));
    return [['$ref', quote(reference)]];
  }

  private structMembers(schema: Schema): readonly Member[] {
    const { additionalProperties, optionalForNonRequired } = this.settings;
    const fields = schema.fields ?? [];
    const properties = fields.map(({ name, index, schema: of }): Member => [
      name,
      this.text(of, [[CONNECT_INDEX, String(index)]]),
    ]);
    const members: Member[] = [...this.basics(schema, 'object'), ['properties', object(properties)]];
    const required = optionalForNonRequired ? fields.filter((field) => !field.schema.optional) : [];
    // Draft 4 allows no empty list.
    if (required.length > 0) members.push(['required', `[${required.map(({ name }) => quote(name)).join(',')}]`]);
    if (!additionalProperties) members.push(['additionalProperties', 'false']);
    return members;
  }

  /** A reference that no other struct has, and that needs no escapes. */
  private reference(schema: Schema): string {
    const name = (schema.name ?? 'Struct').replace(/[^\w.-]/g, '_');
    const taken = new Set([...this.open.values(), ...this.defined.values()]);
    let reference = `#/${this.definitionsName}/${name}`;
    for (let i = 2; taken.has(reference); i++) reference = `#/${this.definitionsName}/${name}_${i}`;
    return reference;
  }

  private map(schema: Schema): readonly Member[] {
    const keys = schema.keySchema as Schema;
    const values = schema.valueSchema as Schema;
    if (isObjectMap(schema))
      return [...this.basics(schema, 'object', 'map'), ['additionalProperties', this.text(values)]];
    const entry = object([
      ['type', '"object"'],
      [
        'properties',
        object([
          [ENTRY_KEY, this.text(keys)],
          [ENTRY_VALUE, this.text(values)],
        ]),
      ],
    ]);
    return [...this.basics(schema, 'array', 'map'), ['items', entry]];
  }

  /** Alternatives that share values would contradict `oneOf`. Readers treat `anyOf` alike. */
  private union(schema: Schema): readonly Member[] {
    const fields = schema.fields ?? [];
    const alternatives = fields.map(({ schema: of }) => this.nonNull(of));
    const types = alternatives.map((members) =>
      members.find(([name]) => name === 'type')?.[1].replace('integer', 'number'),
    );
    const isDisjoint = new Set(types).size === types.length && !types.includes(undefined);
    const members = this.basics(schema, '').filter(([name]) => name !== 'type' && name !== 'title');
    return [...members, [isDisjoint ? 'oneOf' : 'anyOf', `[${alternatives.map(object).join(',')}]`]];
  }
}

/** Whether decimals of the schema are numbers. */
export function isNumericDecimal({ name }: Schema, { decimalFormat }: JsonSchemaSettings): boolean {
  return name === LogicalName.DECIMAL && decimalFormat === 'NUMERIC';
}

/** Of maps: the others are arrays of entries. Null is no name of a member. */
export function isObjectMap({ keySchema }: Schema): boolean {
  return keySchema?.type === 'STRING' && !keySchema.optional;
}

/** The format of texts of a logical type; undefined: it is none that has one. */
export function temporalFormat(name: string | null): 'date' | 'time' | 'date-time' | undefined {
  switch (name) {
    case LogicalName.DATE:
      return 'date';
    case LogicalName.TIME:
      return 'time';
    case LogicalName.TIMESTAMP:
      return 'date-time';
    default:
      return undefined;
  }
}

/** Schemas are used wherever they occur, so that few of them can make a long text. */
function object(members: readonly Member[]): string {
  const text = `{${members.map(([name, value]) => `${quote(name)}:${value}`).join(',')}}`;
  if (text.length > MOST_SCHEMA_CHARACTERS)
    throw unusable(`its text has more than ${MOST_SCHEMA_CHARACTERS} characters`);
  return text;
}
