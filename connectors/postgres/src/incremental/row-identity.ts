/**
 * How a row of a chunk is recognized in the stream. Not by its record key, which several rows may share
 * (`message.key.columns`), and which old rows may lack.
 */
import type { CatalogTable } from '../database/catalog';
import type { Cells } from '../events/row';
import type { Struct } from '../events/event-context';
import type { TableModel } from '../events/table-model';

export interface RowIdentity {
  /** Positions of its columns in a row. */
  readonly cells: readonly number[];
  /** No two rows have the same values. */
  readonly isUnique: boolean;
  /** Old rows hold these columns even if only their replica identity is sent. */
  readonly isInOldKey: boolean;
}

/** The columns of the replica identity or of a key, or all columns if there is none that changes show. */
export function rowIdentity(table: CatalogTable, model: TableModel): RowIdentity {
  const cellOf = (column: string): number => model.columns.indexOf(column);
  const isShown = (column: string): boolean => model.decoders[cellOf(column)] != null;
  const columns = table.columns.filter(({ generated }) => !generated);
  const required = new Set(columns.filter(({ notNull }) => notNull).map(({ name }) => name));
  const isKey = (key: readonly string[]): boolean =>
    key.length > 0 && key.every((name) => required.has(name) && isShown(name));
  const inOldKey = oldKey(table);
  const key = [table.identityIndex, table.key].find(isKey);
  const names = key ?? columns.map(({ name }) => name).filter(isShown);
  return {
    cells: names.map(cellOf),
    isUnique: key !== undefined,
    isInOldKey: names.every((name) => inOldKey.includes(name)),
  };
}

function oldKey({ replicaIdentity, identityIndex, hasPrimaryKey, key }: CatalogTable): readonly string[] {
  if (replicaIdentity === 'i') return identityIndex;
  return replicaIdentity === 'd' && hasPrimaryKey ? key : [];
}

/** Null: the row does not hold all columns. */
export function identityText({ cells: positions }: RowIdentity, cells: Cells): string | null {
  const parts: string[] = [];
  for (const position of positions) {
    const value = cells[position];
    if (value === undefined) return null;
    parts.push(text(value));
  }
  return parts.join(',');
}

function text(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Buffer.isBuffer(value)) return `b${value.toString('base64')}`;
  if (value instanceof Date) return `d${value.getTime()}`;
  if (value instanceof Map) return `{${[...value].map(([name, member]) => `${text(name)}:${text(member)}`).join(',')}}`;
  if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
  const struct = value as Struct;
  return `{${Object.keys(struct)
    .map((name) => text(struct[name]))
    .join(',')}}`;
}
