/** The text of a schema as Avro's Java library prints it, which is what Confluent's registry stores and returns. */
import { quote, printJson, sorted } from '../json/json-value';
import { normalDefault } from './default-value';
import {
  type AvroType,
  type Field,
  fullName,
  isNamed,
  isPrimitiveName,
  type Name,
  type NamedSchema,
  type Properties,
} from './schema';

export interface PrintOptions {
  /** Full names of types that other schemas declare. */
  readonly declared: ReadonlySet<string>;
  /** Sorts what has no order, aliases and properties, and prints defaults as their types have them. */
  readonly normalize: boolean;
}

export function printSchema(type: AvroType, options: PrintOptions): string {
  return new Printer(options).print(type, null);
}

class Printer {
  private readonly known: Set<string>;
  private readonly normalize: boolean;

  constructor({ declared, normalize }: PrintOptions) {
    this.known = new Set(declared);
    this.normalize = normalize;
  }

  /** @param space the namespace around the type */
  print(type: AvroType, space: string | null): string {
    if (isNamed(type)) return this.named(type, space);
    switch (type.type) {
      case 'union':
        return `[${type.branches.map((branch) => this.print(branch, space)).join(',')}]`;
      case 'array':
        return object([
          '"type":"array"',
          `"items":${this.print(type.items, space)}`,
          ...this.properties(type.properties),
        ]);
      case 'map':
        return object([
          '"type":"map"',
          `"values":${this.print(type.values, space)}`,
          ...this.properties(type.properties),
        ]);
      default: {
        if (type.properties.size === 0) return quote(type.type);
        return object([`"type":"${type.type}"`, ...this.properties(type.properties)]);
      }
    }
  }

  private named(type: NamedSchema, space: string | null): string {
    const full = fullName(type.name);
    if (this.known.has(full)) return quote(qualified(type.name, space));
    this.known.add(full);
    const { simple, namespace } = type.name;
    const members = [`"type":"${type.type === 'record' ? type.keyword : type.type}"`, `"name":${quote(simple)}`];
    if (namespace !== space) members.push(`"namespace":${quote(namespace ?? '')}`);
    if (type.doc !== null) members.push(`"doc":${quote(type.doc)}`);
    members.push(...this.content(type));
    members.push(...this.properties(type.properties));
    const aliases = type.aliases.map((alias) => qualified(alias, namespace));
    if (aliases.length > 0) members.push(this.aliases(aliases));
    return object(members);
  }

  private content(type: NamedSchema): string[] {
    switch (type.type) {
      case 'enum': {
        const symbols = `"symbols":[${type.symbols.map(quote).join(',')}]`;
        return type.default === null ? [symbols] : [symbols, `"default":${quote(type.default)}`];
      }
      case 'fixed':
        return [`"size":${type.size}`];
      case 'record': {
        const fields = (type.fields ?? []).map((field) => this.field(field, type.name.namespace));
        return [`"fields":[${fields.join(',')}]`];
      }
    }
  }

  private field(field: Field, space: string | null): string {
    const members = [`"name":${quote(field.name)}`, `"type":${this.print(field.type, space)}`];
    if (field.doc !== null) members.push(`"doc":${quote(field.doc)}`);
    if (field.default !== undefined) {
      const value = this.normalize ? normalDefault(field.type, field.default) : field.default;
      members.push(`"default":${printJson(value)}`);
    }
    if (field.order !== 'ascending') members.push(`"order":"${field.order}"`);
    if (field.aliases.length > 0) members.push(this.aliases(field.aliases));
    members.push(...this.properties(field.properties));
    return object(members);
  }

  private aliases(names: readonly string[]): string {
    return `"aliases":[${(this.normalize ? names.toSorted() : names).map(quote).join(',')}]`;
  }

  private properties(properties: Properties): string[] {
    const shown = this.normalize ? (sorted(properties) as Properties) : properties;
    return Array.from(shown, ([name, value]) => `${quote(name)}:${printJson(value)}`);
  }
}

const object = (members: readonly string[]): string => `{${members.join(',')}}`;

function qualified(name: Name, space: string | null): string {
  const isShort = name.namespace === null || (name.namespace === space && !isPrimitiveName(name.simple));
  return isShort ? name.simple : fullName(name);
}
