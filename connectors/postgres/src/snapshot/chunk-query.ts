/** The SELECT of a chunk. Pure. */
import { quoteIdentifier, quoteTable } from '../database/identifiers';
import { tidLiteral } from './block-ranges';
import type { Chunk, SnapshotTable } from './chunk';

/** Conditions on the row versions of a later attempt. */
export interface VersionConditions {
  /** See there. */
  readonly changedFrom: bigint;
  /** See `unchangedSince`. */
  readonly unchanged: string;
}

export function chunkQuery({ table, blocks, changedOnly, exactly }: Chunk, versions: VersionConditions): string {
  const conditions: string[] = [];
  if (blocks.from > 0) conditions.push(`ctid >= ${tidLiteral(blocks.from)}`);
  if (blocks.to < Infinity) conditions.push(`ctid < ${tidLiteral(blocks.to)}`);
  if (changedOnly) conditions.push(writtenSince(versions.changedFrom));
  if (exactly?.unchangedOnly) conditions.push(versions.unchanged);
  const last = exactly?.after ?? null;
  if (last !== null) conditions.push(`(tableoid, ctid) > (${last.part}::oid, ${tidLiteral(last.position)})`);
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const order = exactly && table.size.parts > 1 ? ' ORDER BY tableoid, ctid' : '';
  return select(table, exactly === undefined ? [] : table.positionColumns) + where + order;
}

function select({ model, table, override }: SnapshotTable, more: readonly string[]): string {
  const columns = model.columns.map((column, i) => (model.decoders[i] === null ? 'NULL' : quoteIdentifier(column)));
  // On a line of its own, so that a comment at the end of the statement does not hide the parenthesis.
  const from = override === null ? quoteTable(table) : `(${override.replace(/;\s*$/, '')}\n) AS override`;
  return `SELECT ${[...columns, ...more].join(', ')} FROM ${from}`;
}

/**
 * Row versions written by this transaction or a later one. Their 32-bit ids wrap around, so they are compared as the
 * server does; a row that is more than two billion transactions old may be read again.
 */
function writtenSince(xid: bigint): string {
  return `(xmin::text::int8 - ${xid % (1n << 32n)} + ${1n << 32n}) % ${1n << 32n} < ${1n << 31n}`;
}
