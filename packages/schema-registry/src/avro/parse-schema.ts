/** Avro's grammar of schemas, with the rules of its Java library. Throws InvalidSchema. */
import { JsonNumber } from '@millrace/texts/json';
import { MAX_ID } from '../bounds';
import { isArray, isObject, type JsonObject, type JsonValue, parseJson, printJson } from '../json/json-value';
import { InvalidSchema } from '../registry-error';
import { isValidDefault } from './default-value';
import {
  type AvroType,
  type EnumSchema,
  type Field,
  fullName,
  isNamed,
  isPrimitiveName,
  type Name,
  type NamedSchema,
  type PrimitiveName,
  type RecordSchema,
} from './schema';

const NOT_PROPERTIES = ['doc', 'fields', 'items', 'name', 'namespace', 'size', 'symbols', 'values', 'type', 'aliases'];
const OF_TYPE = new Set(NOT_PROPERTIES);
const OF_ENUM = new Set([...NOT_PROPERTIES, 'default']);
const OF_FIELD = new Set(['default', 'doc', 'name', 'order', 'type', 'aliases']);
const ORDERS = ['ascending', 'descending', 'ignore'] as const;
/** Of a text that a message quotes. */
const QUOTED_LENGTH = 200;

/** Named types by their full names. */
export type KnownTypes = Map<string, NamedSchema>;

/** @param known the types of schemas that this one refers to; its own are added */
export function parseAvro(text: string, known: KnownTypes): AvroType {
  let document: JsonValue;
  try {
    document = parseJson(text);
  } catch (error) {
    throw new InvalidSchema(`it is not JSON: ${(error as Error).message}`);
  }
  return new SchemaParser(known).type(document);
}

class SchemaParser {
  /** The namespace around what is parsed. */
  private space: string | null = null;

  constructor(private readonly known: KnownTypes) {}

  type(value: JsonValue): AvroType {
    if (typeof value === 'string') return this.byName(value);
    if (isArray(value)) return this.union(value);
    if (!isObject(value)) throw new InvalidSchema(`${shown(value)} is not a schema`);
    const type = value.get('type');
    if (typeof type !== 'string') throw new InvalidSchema(`No type: ${shown(value)}`);
    switch (type) {
      case 'record':
      case 'error':
      case 'enum':
      case 'fixed':
        return this.named(type, value);
      case 'array':
        return {
          type,
          items: this.member(value, 'items', 'Array has no items type'),
          properties: rest(value, OF_TYPE),
        };
      case 'map':
        return {
          type,
          values: this.member(value, 'values', 'Map has no values type'),
          properties: rest(value, OF_TYPE),
        };
      default:
        if (isPrimitiveName(type)) return { type, properties: rest(value, OF_TYPE) };
        return this.find(type) ?? fail(`Type not supported: ${shown(type)}`);
    }
  }

  private byName(name: string): AvroType {
    if (isPrimitiveName(name)) return primitive(name);
    if (name === '') throw new InvalidSchema('Empty name');
    return this.find(name) ?? fail(`Undefined name: ${shown(name)}`);
  }

  private find(name: string): NamedSchema | undefined {
    const found = this.known.get(fullName(nameOf(name, this.space)));
    return found ?? (name.includes('.') ? undefined : this.known.get(name));
  }

  private member(value: JsonObject, name: string, message: string): AvroType {
    const type = value.get(name);
    return type === undefined ? fail(`${message}: ${shown(value)}`) : this.type(type);
  }

  private union(values: readonly JsonValue[]): AvroType {
    const names = new Set<string>();
    const branches = values.map((value) => {
      const branch = this.type(value);
      if (branch.type === 'union') throw new InvalidSchema(`Nested union: ${shown(values)}`);
      const name = isNamed(branch) ? fullName(branch.name) : branch.type;
      if (names.has(name)) throw new InvalidSchema(`Duplicate in union:${name}`);
      names.add(name);
      return branch;
    });
    return { type: 'union', branches };
  }

  private named(type: 'record' | 'error' | 'enum' | 'fixed', value: JsonObject): NamedSchema {
    const text = value.get('name');
    if (typeof text !== 'string') throw new InvalidSchema(`No name in schema: ${shown(value)}`);
    const name = nameOf(text, optionalText(value, 'namespace') ?? this.space);
    checkName(name.simple);
    if (name.namespace === null && isPrimitiveName(name.simple))
      throw new InvalidSchema(`Schemas may not be named after primitives: ${name.simple}`);
    const outer = this.space;
    this.space = name.namespace ?? outer;
    const aliases = strings(value, 'aliases').map((alias) => nameOf(alias, name.namespace));
    for (const alias of aliases) checkName(alias.simple);
    const common = { name, doc: optionalText(value, 'doc'), aliases: distinct(aliases) };
    const schema = this.content(type, value, common);
    this.space = outer;
    return schema;
  }

  private content(
    type: 'record' | 'error' | 'enum' | 'fixed',
    value: JsonObject,
    common: Pick<NamedSchema, 'name' | 'doc' | 'aliases'>,
  ): NamedSchema {
    if (type === 'enum') {
      const properties = rest(value, OF_ENUM);
      return this.declare({ type, ...common, properties, ...symbolsOf(value) });
    }
    const properties = rest(value, OF_TYPE);
    if (type === 'fixed') return this.declare({ type, ...common, properties, size: sizeOf(value) });
    const record: RecordSchema = { type: 'record', keyword: type, ...common, properties, fields: null };
    this.declare(record);
    const fields = value.get('fields');
    if (!isArray(fields)) throw new InvalidSchema(`Record has no fields: ${shown(value)}`);
    const names = new Set<string>();
    record.fields = fields.map((field) => {
      const parsed = this.field(field);
      if (names.has(parsed.name))
        throw new InvalidSchema(`Duplicate field ${parsed.name} in record ${fullName(record.name)}`);
      names.add(parsed.name);
      return parsed;
    });
    return record;
  }

  private declare<T extends NamedSchema>(schema: T): T {
    const name = fullName(schema.name);
    if (this.known.has(name)) throw new InvalidSchema(`Can't redefine: ${name}`);
    this.known.set(name, schema);
    return schema;
  }

  private field(value: JsonValue): Field {
    const name = isObject(value) ? value.get('name') : null;
    if (!isObject(value) || typeof name !== 'string') throw new InvalidSchema(`No field name: ${shown(value)}`);
    const type = this.member(value, 'type', 'No field type');
    checkName(name);
    const order = value.get('order') ?? 'ascending';
    const known = ORDERS.find((one) => typeof order === 'string' && one === order.toLowerCase());
    if (known === undefined) throw new InvalidSchema(`Field ${name} has an unknown order: ${shown(order)}`);
    const given = value.get('default');
    if (given !== undefined && !isValidDefault(type, given))
      throw new InvalidSchema(`Invalid default for field ${name}: ${shown(given)}`);
    return {
      name,
      type,
      doc: optionalText(value, 'doc'),
      default: given,
      order: known,
      aliases: [...new Set(strings(value, 'aliases'))],
      properties: rest(value, OF_FIELD),
    };
  }
}

function symbolsOf(value: JsonObject): Pick<EnumSchema, 'symbols' | 'default'> {
  const given = value.get('symbols');
  if (!isArray(given)) throw new InvalidSchema(`Enum has no symbols: ${shown(value)}`);
  const symbols = new Set<string>();
  for (const symbol of given) {
    if (typeof symbol !== 'string') throw new InvalidSchema(`An enum symbol is not a string: ${shown(symbol)}`);
    checkName(symbol);
    if (symbols.has(symbol)) throw new InvalidSchema(`Duplicate enum symbol: ${symbol}`);
    symbols.add(symbol);
  }
  const fallback = optionalText(value, 'default');
  if (fallback !== null && !symbols.has(fallback))
    throw new InvalidSchema(`The Enum Default: ${shown(fallback)} is not in the enum symbol set`);
  return { symbols: [...symbols], default: fallback };
}

function sizeOf(value: JsonObject): number {
  const size = value.get('size');
  if (!(size instanceof JsonNumber) || !size.integral || !(size.toNumber() <= MAX_ID))
    throw new InvalidSchema(`Invalid or no size: ${shown(value)}`);
  if (size.toNumber() < 0) throw new InvalidSchema(`The size is negative: ${size.text}`);
  return size.toNumber();
}

const primitive = (type: PrimitiveName): AvroType => ({ type, properties: new Map() });

function nameOf(text: string, space: string | null): Name {
  const dot = text.lastIndexOf('.');
  const namespace = dot < 0 ? space : text.slice(0, dot);
  return { simple: text.slice(dot + 1), namespace: namespace === '' ? null : namespace };
}

function checkName(name: string): void {
  if (name === '') throw new InvalidSchema('Empty name');
  if (!/^[\p{L}_][\p{L}\p{Nd}_]*$/u.test(name)) throw new InvalidSchema(`Illegal character in: ${shown(name)}`);
}

function distinct(names: readonly Name[]): readonly Name[] {
  return [...new Map(names.map((name) => [fullName(name), name])).values()];
}

function strings(value: JsonObject, member: string): readonly string[] {
  const given = value.get(member);
  if (given === undefined) return [];
  if (!isArray(given)) throw new InvalidSchema(`${member} not an array: ${shown(value)}`);
  return given.map((one) => (typeof one === 'string' ? one : fail(`not a string in ${member}: ${shown(one)}`)));
}

function optionalText(value: JsonObject, member: string): string | null {
  const given = value.get(member);
  return typeof given === 'string' ? given : null;
}

const rest = (value: JsonObject, reserved: ReadonlySet<string>): JsonObject =>
  new Map([...value].filter(([name]) => !reserved.has(name)));

function fail(message: string): never {
  throw new InvalidSchema(message);
}

function shown(value: JsonValue): string {
  const text = printJson(value);
  return text.length <= QUOTED_LENGTH ? text : `${text.slice(0, QUOTED_LENGTH)}…`;
}
