/** Types of key columns, as far as the form of their values in offsets depends on them. */
import type { Client } from 'pg';
import { readTypes } from '../database/catalog';
import { quoteIdentifier } from '../database/identifiers';

export interface KeyType {
  /** Of the type, or of the base type of a domain. */
  readonly oid: number;
  /** Name of a type for which Java's driver has no class; null: it has one, or uses texts. */
  readonly objectName: string | null;
}

/** Types for which the driver has a class, or whose values Debezium reads as texts. */
const WITH_CLASS = new Set([
  // bool, bytea, name, int8, int2, int4, text, oid, float4, float8, money
  ...[16, 17, 19, 20, 21, 23, 25, 26, 700, 701, 790],
  // bpchar, varchar, date, time, timestamp, timestamptz, timetz, bit, numeric, uuid
  ...[1042, 1043, 1082, 1083, 1114, 1184, 1266, 1560, 1700, 2950],
]);

/** A text that is the same while the rows of a table have the same order: of this table, by these columns. */
export async function keyOrder(client: Client, oid: number, key: readonly string[]): Promise<string> {
  const { rows } = await client.query(
    'SELECT attname AS name, atttypid::int8::text AS type, attcollation::int8::text AS collation FROM pg_attribute WHERE attrelid = $1::oid AND attname = ANY($2)',
    [String(oid), key],
  );
  const found = new Map((rows as { name: string; type: string; collation: string }[]).map((row) => [row.name, row]));
  const columns = key.map((name) => [name, Number(found.get(name)?.type), Number(found.get(name)?.collation)]);
  return JSON.stringify({ table: oid, columns });
}

type Types = Awaited<ReturnType<typeof readTypes>>;

/** Reads the catalog if there are other types than the usual ones of keys. */
export async function readKeyTypes(client: Client, oids: readonly number[]): Promise<KeyType[]> {
  const isPlain = oids.every((oid) => WITH_CLASS.has(oid));
  const types: Types = isPlain ? new Map() : await readTypes(client, oids);
  return oids.map((oid) => keyType(oid, types));
}

function keyType(given: number, types: Types): KeyType {
  let type = types.get(given);
  while (type?.kind === 'd') type = types.get(type.of);
  const oid = type?.oid ?? given;
  if (type === undefined || type.kind === 'e' || WITH_CLASS.has(oid)) return { oid, objectName: null };
  const { schema, name } = type;
  // Names without a schema are searched in the path, which may lack the schema of an extension.
  const objectName = schema === 'pg_catalog' ? name : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
  return { oid, objectName };
}
