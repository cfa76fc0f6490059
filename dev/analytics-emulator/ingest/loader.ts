/** Data of one blob or request → rows of a table, all or nothing. Sources: analytics-sink §5.12, §7.4, §7.7. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remove } from 'fs-extra';
import { typeFacts } from '../engine/column-types';
import { sqlTable, type Catalog, type TableEntry } from '../engine/catalog';
import type { Connection, Database } from '../engine/database';
import { quoteName, quoteText } from '../engine/sql-names';
import { KustoError } from '../kusto-error';
import { avroDocuments } from './avro-documents';
import { isDelimited, parseDelimited } from './delimited';
import { jsonLines, multiJson } from './json-documents';
import { unpack } from './unpack';
import { parseMapping, type FieldSource, type MappedColumn } from './mapping';

export interface IngestionProperties {
  readonly mappingReference?: string;
  /** Inline: JSON text. */
  readonly mapping?: string;
  /** E.g. `Csv`. (Default: the format's own) */
  readonly mappingKind?: string;
  readonly ignoreFirstRecord?: boolean;
  /** Which files of a ZIP archive are meant. (Default: all) */
  readonly zipPattern?: string;
}

export interface LoadRequest {
  readonly database: string;
  readonly table: string;
  /** Any case. */
  readonly format: string;
  /** Plain, gzip or ZIP. */
  readonly data: Buffer;
  readonly properties: IngestionProperties;
  readonly source: { readonly id: string; readonly path: string; readonly tags: readonly string[] };
}

/** Where the records stand until they are in the table. */
const STAGE = '__stage';

export class Loader {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
  ) {}

  /** Rows loaded. @throws KustoError with the service's code; nothing is loaded then. */
  async load(request: LoadRequest): Promise<number> {
    const table = this.catalog.table(request.database, request.table);
    const format = request.format.toLowerCase() || 'csv';
    const columns = this.columns(table, format, request.properties);
    const files = unpack(request.data, request.properties.zipPattern ?? '');
    const staged = await stagedRecords(format, files, request.properties);
    if (staged.count === 0)
      throw new KustoError('BadRequest_NoRecordsOrWrongFormat', `There is no record of format ${format} in the data`);
    return await this.database.transaction(async (connection) => {
      await staged.write(connection);
      const values = columns.map(({ column, source }) =>
        valueSql(column.type, source, staged.fields, request.source.path),
      );
      const names = columns.map(({ column }) => quoteName(column.name));
      await connection.run(
        `INSERT INTO ${sqlTable(table)} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${STAGE} ORDER BY rowid`,
      );
      const [[count] = []] = await connection.rows(`SELECT count(*) FROM ${STAGE}`);
      await connection.run(`DROP TABLE ${STAGE}`);
      await connection.run('INSERT INTO __emulator.ingestions VALUES ($1, $2, $3, $4, $5, now()::TIMESTAMP_NS)', [
        request.source.id,
        table.database,
        table.name,
        Number(count),
        JSON.stringify(request.source.tags),
      ]);
      return Number(count);
    });
  }

  private columns(table: TableEntry, format: string, properties: IngestionProperties): MappedColumn[] {
    const kind = (properties.mappingKind ?? kindOf(format)).toLowerCase();
    if (properties.mapping && properties.mappingReference)
      throw new KustoError('BadRequest_DuplicateMapping', 'Both an inline and a named mapping are given');
    if (properties.mapping) return parseMapping(properties.mapping, kind, table);
    if (properties.mappingReference) {
      const named = this.catalog.findMapping(table, kind, properties.mappingReference);
      if (!named)
        throw new KustoError(
          'BadRequest_MappingReferenceWasNotFound',
          `Mapping reference '${properties.mappingReference}' of type '${kind}' in database '${table.database}' could not be found.`,
        );
      return parseMapping(named.text, kind, table);
    }
    return table.columns.map((column, ordinal) => ({
      column,
      source: isDelimited(format)
        ? { kind: 'ordinal', ordinal }
        : { kind: 'path', path: `$.${quoteName(column.name)}`, unit: null },
    }));
  }
}

interface Staged {
  readonly count: number;
  /** Fields of a delimited record; null: documents. */
  readonly fields: number | null;
  write(connection: Connection): Promise<void>;
}

async function stagedRecords(
  format: string,
  files: readonly Buffer[],
  properties: IngestionProperties,
): Promise<Staged> {
  if (format === 'parquet') return parquet(files);
  if (isDelimited(format)) {
    const all = files.map((data) => parseDelimited(textOf(data), format));
    const rows = all.flatMap((file) => (properties.ignoreFirstRecord ? file.slice(1) : file));
    const fields = Math.max(0, ...all.map(([first]) => first?.length ?? 0));
    return table(rows, fields, (row, i) => row[i] ?? '', fields);
  }
  const documents = (await Promise.all(files.map(async (data) => await documentsOf(format, data)))).flat();
  return table(documents, 1, (document) => document, null);
}

async function documentsOf(format: string, data: Buffer): Promise<string[]> {
  switch (format) {
    case 'json':
      return jsonLines(textOf(data));
    case 'multijson':
    case 'singlejson':
      return multiJson(textOf(data));
    case 'avro':
    case 'apacheavro':
      return await avroDocuments(data);
    default:
      throw new KustoError('BadRequest_FormatNotSupported', `Format '${format}' is not one that the emulator can load`);
  }
}

function table<T>(
  records: readonly T[],
  width: number,
  field: (record: T, index: number) => string,
  fields: number | null,
): Staged {
  return {
    count: records.length,
    fields,
    write: async (connection) => {
      const columns = Array.from({ length: width }, (_, i) => `f${i} VARCHAR`);
      await connection.run(`CREATE TEMP TABLE ${STAGE} (${columns.join(', ')})`);
      const appender = await connection.appender(STAGE);
      for (const record of records) {
        for (let i = 0; i < width; i++) appender.appendVarchar(field(record, i));
        appender.endRow();
      }
      appender.closeSync();
    },
  };
}

/** DuckDB reads the file itself. */
function parquet(files: readonly Buffer[]): Staged {
  return {
    count: files.length,
    fields: null,
    write: async (connection) => {
      const folder = await mkdtemp(join(tmpdir(), 'analytics-emulator-'));
      try {
        const paths = files.map((_, i) => join(folder, `data-${i}.parquet`));
        for (const [i, path] of paths.entries()) await writeFile(path, files[i] as Buffer);
        await connection.run(
          `CREATE TEMP TABLE ${STAGE} AS SELECT CAST(to_json(t) AS VARCHAR) AS f0 FROM read_parquet([${paths.map(quoteText).join(', ')}]) t`,
        );
      } catch (error) {
        throw new KustoError('BadRequest_InvalidBlob', error instanceof Error ? error.message : String(error));
      } finally {
        await remove(folder);
      }
    },
  };
}

function valueSql(
  type: MappedColumn['column']['type'],
  source: FieldSource,
  fields: number | null,
  location: string,
): string {
  const facts = typeFacts(type);
  switch (source.kind) {
    case 'constant':
      return facts.fromText(quoteText(source.value));
    case 'location':
      return facts.fromText(quoteText(location));
    case 'line':
      return facts.fromText('CAST(rowid + 1 AS VARCHAR)');
    case 'ordinal':
      return facts.fromText(source.ordinal < (fields ?? 0) ? `f${source.ordinal}` : 'CAST(NULL AS VARCHAR)');
    case 'path': {
      const text = `json_extract_string(f0, ${quoteText(source.path)})`;
      if (source.unit !== null && type === 'datetime')
        return `make_timestamp_ns(try_cast(try_cast(${text} AS DECIMAL(30,9)) * ${source.unit} AS BIGINT))`;
      if (type !== 'dynamic') return facts.fromText(text);
      const value = `json_extract(f0, ${quoteText(source.path)})`;
      return `CASE WHEN json_type(${value}) <> 'NULL' THEN ${value} END`;
    }
  }
}

function kindOf(format: string): string {
  if (isDelimited(format)) return 'csv';
  return format === 'multijson' || format === 'singlejson' ? 'json' : format;
}

function textOf(data: Buffer): string {
  // A byte-order mark is not part of the first field.
  return data.toString('utf8').replace(/^\uFEFF/, '');
}
