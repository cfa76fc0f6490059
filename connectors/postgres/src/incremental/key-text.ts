/** The identity of a record key, so that keys can be looked up. */
import { keyOf, type Cells } from '../events/row';
import type { Struct } from '../events/struct';
import type { TableModel } from '../events/table-model';

export function keyText(key: Struct): string {
  const parts: string[] = [];
  for (const name of Object.keys(key)) parts.push(text(key[name]));
  return parts.join(',');
}

function text(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Buffer.isBuffer(value)) return `b${value.toString('base64')}`;
  if (value instanceof Date) return `d${value.getTime()}`;
  if (value instanceof Map) return `{${[...value].map(([name, member]) => `${text(name)}:${text(member)}`).join(',')}}`;
  if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
  return `{${keyText(value as Struct)}}`;
}

/**
 * Identity of a row: its record key, or the columns that order the chunk in a table without one. Null: the row does not
 * hold them all.
 */
export function rowKeyText(model: TableModel, cells: Cells, chunkKey: readonly string[]): string | null {
  if (model.key.length > 0) {
    if (model.key.some(({ cell }) => cells[cell] === undefined)) return null;
    return keyText(keyOf(model, cells) as Struct);
  }
  const values = chunkKey.map((name) => cells[model.columns.indexOf(name)]);
  return values.some((value) => value === undefined) ? null : values.map(text).join(',');
}
