/** The SELECT of a chunk. Pure. */
import { quoteIdentifier, quoteTable } from '../database/identifiers';
import type { Chunk, SnapshotTable } from './chunk';

/** @param xmin see `ResumePoint` */
export function chunkQuery({ table, blocks, changedOnly }: Chunk, xmin: bigint): string {
  const conditions: string[] = [];
  if (blocks.from > 0) conditions.push(`ctid >= '(${blocks.from},0)'::tid`);
  if (blocks.to < Infinity) conditions.push(`ctid < '(${blocks.to},0)'::tid`);
  if (changedOnly) conditions.push(writtenSince(xmin));
  return select(table) + (conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`);
}

function select({ model, table, override }: SnapshotTable): string {
  const columns = model.columns.map((column, i) => (model.decoders[i] === null ? 'NULL' : quoteIdentifier(column)));
  // On a line of its own, so that a comment at the end of the statement does not hide the parenthesis.
  const from = override === null ? quoteTable(table) : `(${override.replace(/;\s*$/, '')}\n) AS override`;
  return `SELECT ${columns.join(', ')} FROM ${from}`;
}

/**
 * Row versions written by this transaction or a later one. Their 32-bit ids wrap around, so they are compared as the
 * server does; a row that is more than two billion transactions old may be read again.
 */
function writtenSince(xmin: bigint): string {
  return `(xmin::text::int8 - ${xmin % (1n << 32n)} + ${1n << 32n}) % ${1n << 32n} < ${1n << 31n}`;
}
