import type { TableName, TypeName } from '../database/catalog';

/** Type of the message. */
export const RELATION = 0x52; // R
/** Type of the message that names the type of a column. */
export const TYPE = 0x59; // Y

/** A Relation message. */
export interface RelationMessage extends TableName {
  readonly oid: number;
  readonly replicaIdentity: string;
  readonly columns: readonly {
    readonly name: string;
    readonly typeOid: number;
    readonly typmod: number;
    readonly inIdentity: boolean;
  }[];
}

/** `R`: oid, namespace, name, replica identity, columns (cdc-postgres §5.5). @param at position of the type byte */
export function parseRelation(buffer: Buffer, at: number): RelationMessage {
  const oid = buffer.readUInt32BE(at + 1);
  let position = at + 5;
  const text = (): string => {
    const end = buffer.indexOf(0, position);
    const value = buffer.toString('utf8', position, end);
    position = end + 1;
    return value;
  };
  const schema = text();
  const name = text();
  const replicaIdentity = String.fromCharCode(buffer[position] as number);
  const count = buffer.readUInt16BE(position + 1);
  position += 3;
  const columns = Array.from({ length: count }, () => {
    const inIdentity = (buffer[position++] as number) === 1;
    const column = text();
    const typeOid = buffer.readUInt32BE(position);
    const typmod = buffer.readInt32BE(position + 4);
    position += 8;
    return { name: column, typeOid, typmod, inIdentity };
  });
  // pg_catalog is announced as an empty name.
  return { oid, schema: schema === '' ? 'pg_catalog' : schema, name, replicaIdentity, columns };
}

/** `Y`: oid, namespace, name. @param at position of the type byte */
export function parseTypeMessage(buffer: Buffer, at: number): TypeName & { readonly oid: number } {
  const schemaEnd = buffer.indexOf(0, at + 5);
  const schema = buffer.toString('utf8', at + 5, schemaEnd);
  const name = buffer.toString('utf8', schemaEnd + 1, buffer.indexOf(0, schemaEnd + 1));
  // pg_catalog is announced as an empty name.
  return { oid: buffer.readUInt32BE(at + 1), schema: schema === '' ? 'pg_catalog' : schema, name };
}
