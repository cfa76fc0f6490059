/** The text of a schema, byte for byte as `org.apache.avro.Schema.toString()` writes it. */
import { DataError } from '@millrace/sdk';
import { jsonText, membersText, quote } from '../json/json-text';
import type { AvroName } from './avro-name';
import { isNamed, type AvroField, type AvroNamed, type AvroSchema, type Props } from './avro-schema';
import { equalSchemas } from './schema-equality';

/** Throws DataError for two types of one name. */
export function schemaText(schema: AvroSchema): string {
  return textOf(schema, new Map(), null);
}

function textOf(schema: AvroSchema, written: Map<string, AvroNamed>, space: string | null): string {
  if (isNamed(schema)) return namedText(schema, written, space);
  switch (schema.type) {
    case 'union':
      return `[${schema.types.map((type) => textOf(type, written, space)).join(',')}]`;
    case 'array':
      return `{"type":"array","items":${textOf(schema.items, written, space)}${propsText(schema.props)}}`;
    case 'map':
      return `{"type":"map","values":${textOf(schema.values, written, space)}${propsText(schema.props)}}`;
    default:
      return schema.props.size === 0 ? `"${schema.type}"` : `{"type":"${schema.type}"${propsText(schema.props)}}`;
  }
}

function namedText(schema: AvroNamed, written: Map<string, AvroNamed>, outer: string | null): string {
  const { name } = schema;
  const known = written.get(name.full);
  if (known !== undefined) {
    if (equalSchemas(known, schema)) return quote(name.within(outer));
    throw new DataError(
      `Two different types of the record's schema have the name ${name.full}, which Avro does not allow: give one of them another name.`,
      { code: 'AVRO_SCHEMA', place: { type: name.full } },
    );
  }
  written.set(name.full, schema);
  const docText = schema.doc === null ? '' : `,"doc":${quote(schema.doc)}`;
  const head = `{"type":"${schema.type}",${nameText(name, outer)}${docText}`;
  const tail = `${propsText(schema.props)}${aliasesText(schema.aliases, name.space)}}`;
  switch (schema.type) {
    case 'record':
      return `${head},"fields":[${schema.fields.map((one) => fieldText(one, written, name.space)).join(',')}]${tail}`;
    case 'enum': {
      const byDefault = schema.default === null ? '' : `,"default":${quote(schema.default)}`;
      return `${head},"symbols":[${schema.symbols.map(quote).join(',')}]${byDefault}${tail}`;
    }
    case 'fixed':
      return `${head},"size":${schema.size}${tail}`;
  }
}

function fieldText(field: AvroField, written: Map<string, AvroNamed>, space: string | null): string {
  const type = textOf(field.schema, written, space);
  const doc = field.doc === null ? '' : `,"doc":${quote(field.doc)}`;
  const byDefault = field.default === undefined ? '' : `,"default":${jsonText(field.default)}`;
  const aliases = field.aliases.length === 0 ? '' : `,"aliases":[${field.aliases.map(quote).join(',')}]`;
  return `{"name":${quote(field.name)},"type":${type}${doc}${byDefault}${aliases}${propsText(field.props)}}`;
}

function nameText(name: AvroName, outer: string | null): string {
  const space = name.space === outer ? '' : `,"namespace":${quote(name.space ?? '')}`;
  return `"name":${quote(name.name)}${space}`;
}

function aliasesText(aliases: readonly AvroName[], space: string | null): string {
  return aliases.length === 0 ? '' : `,"aliases":[${aliases.map((alias) => quote(alias.within(space))).join(',')}]`;
}

function propsText(props: Props): string {
  return props.size === 0 ? '' : `,${membersText(props)}`;
}
