/** Reads columns of several rows of a table with one query. */
import type { Client } from 'pg';
import { quoteIdentifier, quoteTable } from '../database/identifiers';
import { readCell, type RowContext } from '../events/row';
import { publishedValue, type ModelField, type TableModel } from '../events/table-model';
import type { UnsentValues } from '../events/unsent-values';
import type { ReselectTable, WantedColumns } from './wanted-columns';

/** Types of the key columns as SQL, by table. */
export type KeyTypes = WeakMap<ReselectTable, readonly string[]>;

interface Reselected {
  /** Of those rows that exist no more, or have another key. */
  readonly missing: readonly WantedColumns[];
  readonly bytes: number;
}

const TYPES = `
  SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped`;

/** Values stay in the server's text form, which the decoders of the model read. */
const TEXT = { getTypeParser: () => (text: string) => text };

/**
 * Writes the values into the rows. Throws the error of the query.
 * @param wanted of one table, with at most a few dozen rows
 * @param timeoutMs for a server that does not answer
 */
export async function reselect(
  client: Client,
  wanted: readonly WantedColumns[],
  types: KeyTypes,
  context: RowContext,
  unsent: UnsentValues,
  timeoutMs: number,
): Promise<Reselected> {
  const { table } = wanted[0] as WantedColumns;
  let keyTypes = types.get(table);
  if (!keyTypes) types.set(table, (keyTypes = await readKeyTypes(client, table)));
  const fields = [...new Set(wanted.flatMap((one) => one.fields))];
  const keys = table.key.map((_, i) => wanted.map(({ key }) => key[i]));
  const { rows } = await client.query<(string | null)[]>({
    text: selectText(table, fields, keyTypes),
    values: keys,
    rowMode: 'array',
    types: TEXT,
    ...(timeoutMs > 0 && { query_timeout: timeoutMs }),
  });
  const found = new Set<WantedColumns>();
  let bytes = 0;
  for (const [position, ...values] of rows) {
    const one = wanted[Number(position) - 1];
    if (!one) continue;
    found.add(one);
    for (const [i, field] of fields.entries()) {
      const text = values[i] ?? null;
      bytes += text?.length ?? 0;
      if (one.fields.includes(field)) put(one, field, text, context, unsent);
    }
  }
  return { missing: wanted.filter((one) => !found.has(one)), bytes };
}

function put(
  { table, row }: WantedColumns,
  field: ModelField,
  text: string | null,
  context: RowContext,
  unsent: UnsentValues,
): void {
  // The column has lost its NOT NULL since: the value of the event is unknown.
  if (text === null && field.required) return;
  const { model } = table;
  row[field.name] = publishedValue(model, field, text === null ? null : valueOf(model, field, text, context));
  unsent.found(row, field);
}

function valueOf(model: TableModel, field: ModelField, text: string, context: RowContext): unknown {
  const buffer = Buffer.from(text);
  return readCell(buffer, 0, buffer.length, model, field.cell, context);
}

/** The first column is the position of the key. */
function selectText(table: ReselectTable, fields: readonly ModelField[], types: readonly string[]): string {
  const columns = fields.map(({ column }) => `, t.${quoteIdentifier(column)}`).join('');
  const arrays = table.key.map((_, i) => `$${i + 1}::text[]`).join(', ');
  const names = table.key.map((_, i) => `k${i + 1}`).join(', ');
  const same = table.key.map(({ column }, i) => `t.${quoteIdentifier(column)} = k.k${i + 1}::${types[i]}`);
  return (
    `SELECT k.n${columns} FROM unnest(${arrays}) WITH ORDINALITY AS k(${names}, n) ` +
    `JOIN ${quoteTable(table.model)} AS t ON ${same.join(' AND ')}`
  );
}

async function readKeyTypes(client: Client, { model, key }: ReselectTable): Promise<string[]> {
  const { rows } = await client.query<{ name: string; type: string }>(TYPES, [model.schema, model.name]);
  return key.map(({ column }) => {
    const found = rows.find(({ name }) => name === column);
    if (!found) throw Object.assign(new Error(`column "${column}" does not exist`), { code: '42703' });
    return found.type;
  });
}
