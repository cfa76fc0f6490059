/** Commands for a table's ingestion mappings. The reader is positioned after the word `ingestion`. */
import type { Mapping, TableEntry } from '../engine/catalog';
import { parseMapping } from '../ingest/mapping';
import { badRequest } from '../kusto-error';
import type { Reader } from '../language/reader';
import { textTable, type ResultTable } from '../engine/result-table';
import type { CommandContext } from './context';

const KINDS = ['csv', 'json', 'avro', 'apacheavro', 'parquet', 'orc', 'w3clogfile'];

function mappingTable(mappings: readonly Mapping[]): ResultTable {
  const kindName = (kind: string): string =>
    kind === 'apacheavro' ? 'ApacheAvro' : kind.charAt(0).toUpperCase() + kind.slice(1);
  return textTable(
    ['Name', 'Kind', 'Mapping', 'LastUpdatedOn', 'Database', 'Table'],
    mappings.map(({ name, kind, text, database, table }) => [name, kindName(kind), text, '', database, table]),
  );
}

function existing({ catalog }: CommandContext, table: TableEntry, kind: string, name: string): Mapping {
  const found = catalog.findMapping(table, kind, name);
  if (!found)
    throw badRequest(
      `Entity '${name}' of kind ${kind} could not be found on table '${table.name}'.`,
      'BadRequest_MappingReferenceWasNotFound',
    );
  return found;
}

/** `csv mapping 'M' '[…]'` */
export async function writeMapping(
  context: CommandContext,
  reader: Reader,
  table: TableEntry,
  how: 'create' | 'create-or-alter' | 'alter',
): Promise<ResultTable> {
  const kind = reader.oneOf(...KINDS);
  reader.expect('mapping');
  const [name = '', ...parts] = reader.strings();
  const text = parts.join('');
  reader.rest();
  parseMapping(text, kind, table);
  if (how === 'alter') existing(context, table, kind, name);
  if (how === 'create' && context.catalog.findMapping(table, kind, name))
    throw badRequest(`Mapping '${name}' of table '${table.name}' already exists`, 'BadRequest_EntityNameAlreadyExists');
  const mapping = { database: table.database, table: table.name, kind, name, text };
  await context.catalog.putMapping(mapping);
  return mappingTable([mapping]);
}

/** `csv mapping 'M'` */
export async function dropMapping(context: CommandContext, reader: Reader, table: TableEntry): Promise<ResultTable> {
  const kind = reader.oneOf(...KINDS);
  reader.expect('mapping');
  const mapping = existing(context, table, kind, reader.string());
  reader.end();
  await context.catalog.dropMapping(mapping);
  return mappingTable(context.catalog.mappingsOf(table, kind));
}

/** `mappings`, `csv mappings`, `csv mapping 'M'` */
export function showMappings(context: CommandContext, reader: Reader, table: TableEntry): ResultTable {
  const { catalog } = context;
  const kind = reader.skip('mappings') ? null : reader.oneOf(...KINDS);
  if (kind === null || reader.skip('mappings')) {
    reader.end();
    return mappingTable(catalog.mappingsOf(table, kind ?? undefined));
  }
  reader.expect('mapping');
  const mapping = existing(context, table, kind, reader.string());
  reader.end();
  return mappingTable([mapping]);
}
