/**
 * Ingestion mappings from fields of a record to columns, in both notations of an element. Source: analytics-sink §5.11.
 */
import type { TableEntry } from '../engine/catalog';
import { parseColumnType, type Column } from '../engine/column-types';
import { KustoError } from '../kusto-error';
import { parseJsonPath } from './json-path';

export type FieldSource =
  | { readonly kind: 'ordinal'; readonly ordinal: number }
  /** The path in DuckDB's notation. */
  | { readonly kind: 'path'; readonly path: string; readonly unit: EpochUnit | null }
  | { readonly kind: 'constant'; readonly value: string }
  | { readonly kind: 'location' }
  | { readonly kind: 'line' };

/** Length of one unit in nanoseconds. */
export type EpochUnit = 1_000_000_000 | 1_000_000 | 1_000 | 1;

export interface MappedColumn {
  readonly column: Column;
  readonly source: FieldSource;
}

const EPOCHS: Record<string, EpochUnit> = {
  datetimefromunixseconds: 1_000_000_000,
  datetimefromunixmilliseconds: 1_000_000,
  datetimefromunixmicroseconds: 1_000,
  datetimefromunixnanoseconds: 1,
};

/**
 * @throws KustoError `BadRequest_InvalidMapping` or, if it does not match the table, `BadRequest_InconsistentMapping`.
 */
export function parseMapping(text: string, kind: string, table: TableEntry): MappedColumn[] {
  const elements = parseElements(text);
  return elements.map((element) => {
    const name = String(element.column ?? element.name ?? '');
    const column = table.columns.find((candidate) => candidate.name === name);
    if (!column)
      throw new KustoError(
        'BadRequest_InconsistentMapping',
        `The mapping names column '${name}', which table '${table.name}' does not have`,
      );
    const type = element.datatype;
    if (typeof type === 'string' && type !== '' && parseColumnType(type) !== column.type)
      throw new KustoError(
        'BadRequest_InconsistentMapping',
        `The mapping has type ${type} for column '${name}', which is a ${column.type}`,
      );
    return { column, source: sourceOf(element, kind, name) };
  });
}

function sourceOf(element: Record<string, unknown>, kind: string, column: string): FieldSource {
  const { constvalue, transform, ordinal, path, field } = element;
  if (constvalue !== undefined && constvalue !== null && constvalue !== '')
    return { kind: 'constant', value: plain(constvalue) };
  const named = plain(transform ?? '').toLowerCase();
  if (named === 'sourcelocation') return { kind: 'location' };
  if (named === 'sourcelinenumber') return { kind: 'line' };
  if (!['', 'none', 'bytesasbase64'].includes(named) && !(named in EPOCHS))
    throw invalid(`transform ${plain(transform)} of column '${column}' is not one that the emulator knows`);
  if (kind === 'csv') {
    if (!/^[0-9]+$/.test(plain(ordinal ?? ''))) throw invalid(`column '${column}' has no ordinal`);
    return { kind: 'ordinal', ordinal: Number(plain(ordinal)) };
  }
  const unit = EPOCHS[named] ?? null;
  if (typeof path === 'string' && path !== '') return { kind: 'path', path: parseJsonPath(path), unit };
  if (typeof field === 'string' && field !== '') return { kind: 'path', path: parseJsonPath(`$['${field}']`), unit };
  throw invalid(`column '${column}' has neither path nor field`);
}

/** The element with keys in lower case, including those of `Properties`. */
function parseElements(text: string): Record<string, unknown>[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error));
  }
  if (!Array.isArray(parsed)) throw invalid('it is not a list');
  return parsed.map((element: unknown) => {
    if (typeof element !== 'object' || element === null) throw invalid('an element is not an object');
    const flat: Record<string, unknown> = {};
    const add = (object: object): void => {
      for (const [key, value] of Object.entries(object)) {
        if (key.toLowerCase() === 'properties' && typeof value === 'object' && value !== null) add(value as object);
        else flat[key.toLowerCase()] = value;
      }
    };
    add(element);
    return flat;
  });
}

function plain(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function invalid(why: string): KustoError {
  return new KustoError('BadRequest_InvalidMapping', `The mapping cannot be read: ${why}`);
}
