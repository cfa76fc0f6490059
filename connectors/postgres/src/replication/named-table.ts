/**
 * Definitions of tables for output plugins that name table and columns in each row instead of announcing them. The
 * catalog is read when a table or a shape of its rows is new, and describes the table as it is now; names and types of
 * the row win.
 */
import type { Client } from 'pg';
import { qualified, type TableName } from '../database/catalog';
import { errorCode } from '../database/errors';
import { unquoteIdentifier } from '../database/identifiers';
import type { RelationMessage } from '../events/relation-message';
import type { Cells } from '../events/row';
import type { Relation, Relations } from '../events/relations';

/** A column as a row names it. */
export interface RowColumn {
  readonly name: string;
  /** Null: the row does not say. */
  readonly typeOid: number | null;
  /** As `format_type` writes it, with modifier. Null: the row does not say. */
  readonly type: string | null;
}

/** What a row says about its table. */
export interface RowShape extends TableName {
  readonly columns: readonly RowColumn[];
  /** `columns` are all columns of the table, except for unchanged TOASTed ones with `update`. */
  readonly kind: 'complete' | 'update' | 'key';
  /** Columns of the replica identity, if the row says. */
  readonly identity: readonly string[] | null;
}

export interface NamedTable {
  readonly message: RelationMessage;
  readonly relation: Relation;
  /** Old rows are complete (REPLICA IDENTITY FULL). */
  readonly isFull: boolean;
  /** Position in the model's cells, by column name. */
  readonly cells: ReadonlyMap<string, number>;
  /** By column name; null if neither row nor catalog have the type. */
  readonly types: ReadonlyMap<string, string | null>;
  /** Columns whose values may be stored out of line. */
  readonly toastable: ReadonlySet<string>;
}

/** What the old tuple of an update holds, of which `isFull` tells only how it is now. */
export function oldKind(
  { isFull }: NamedTable,
  { newCells, oldCells }: { readonly newCells: Cells; readonly oldCells: Cells },
): 'key' | 'complete' {
  if (!isFull) return 'key';
  // A complete old row has the value that an update leaves alone.
  for (let i = 0; i < newCells.length; i++) if (newCells[i] === undefined && oldCells[i] === null) return 'key';
  return 'complete';
}

interface CatalogRow {
  readonly oid: string;
  readonly identity: string;
  readonly name: string;
  readonly type_oid: string;
  readonly typmod: number;
  readonly type: string;
  /** Without modifier, as wal2json writes it on request. */
  readonly bare: string;
  readonly toastable: boolean;
  readonly in_identity: boolean;
}

const COLUMNS = `
  SELECT c.oid::int8::text AS oid, c.relreplident AS identity, a.attname AS name, a.atttypid::int8::text AS type_oid,
         a.atttypmod AS typmod, format_type(a.atttypid, a.atttypmod) AS type, t.typname AS bare, a.attlen = -1 AS toastable,
         c.relreplident = 'f' OR EXISTS (
           SELECT FROM pg_index i WHERE i.indrelid = c.oid AND a.attnum = ANY(i.indkey)
           AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END
         ) AS in_identity
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
  JOIN pg_type t ON t.oid = a.atttypid
  WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;

/** Oids of tables that the catalog no longer has under their names, from here down. The server's start at 16384. */
const LAST_OID = 2 ** 32 - 1;

interface FoundType {
  readonly typeOid: number;
  readonly typmod: number;
}

type Column = RelationMessage['columns'][number];

export class NamedTables {
  /** As last found, by qualified name: a table may be dropped or renamed before its rows are decoded. */
  private readonly oids = new Map<string, number>();

  private nextUnknown = LAST_OID;
  /** Types as last found, by the text that rows have for them. */
  private readonly foundTypes = new Map<string, FoundType>();

  constructor(private readonly relations: Relations) {}

  /** @param nullColumn column that a row of this table holds NULL in although the catalog says NOT NULL */
  async read(client: Client, shape: RowShape, nullColumn: string | null): Promise<NamedTable> {
    const { schema, name } = shape;
    const key = qualified(shape);
    const { rows } = await client.query<CatalogRow>(COLUMNS, [schema, name]);
    const [first] = rows;
    const oid = first === undefined ? (this.oids.get(key) ?? this.nextUnknown--) : Number(first.oid);
    this.oids.set(key, oid);
    const types = new Map<string, string | null>();
    const columns = await this.columnsOf(client, shape, rows, types);
    const message: RelationMessage = { oid, schema, name, replicaIdentity: first?.identity ?? 'd', columns };
    if (nullColumn !== null) this.relations.forceOptional(oid, nullColumn);
    const relation = await this.relations.refresh(client, message, null);
    const cells = new Map(relation.model?.columns.map((column, cell) => [column, cell]));
    const inline = new Set(rows.filter((row) => !row.toastable).map((row) => row.name));
    const toastable = new Set(columns.map((column) => column.name).filter((column) => !inline.has(column)));
    return { message, relation, isFull: message.replicaIdentity === 'f', cells, types, toastable };
  }

  /** @param types filled with the type of each column */
  private async columnsOf(
    client: Client,
    shape: RowShape,
    rows: readonly CatalogRow[],
    types: Map<string, string | null>,
  ): Promise<Column[]> {
    const ofRow = new Map(shape.columns.map((column) => [column.name, column]));
    const columns: Column[] = [];
    const identity = shape.identity;
    for (const row of rows) {
      const named = ofRow.get(row.name);
      // A missing value may be unchanged; one that is never stored out of line shows that the column is younger.
      if (named === undefined && (shape.kind === 'complete' || (shape.kind === 'update' && !row.toastable))) continue;
      ofRow.delete(row.name);
      for (const text of [row.type, row.bare])
        this.foundTypes.set(text, { typeOid: Number(row.type_oid), typmod: row.typmod });
      const isSame =
        named === undefined ||
        ((named.typeOid === null || named.typeOid === Number(row.type_oid)) &&
          (named.type === null || named.type === row.type || named.type === row.bare));
      types.set(row.name, named?.type ?? row.type);
      columns.push({
        name: row.name,
        ...(isSame
          ? { typeOid: Number(row.type_oid), typmod: row.typmod }
          : await this.typeOf(client, named as RowColumn)),
        inIdentity: row.in_identity,
      });
    }
    // Dropped since: where the row has them.
    let previous = -1;
    for (const column of shape.columns) {
      if (ofRow.has(column.name)) {
        types.set(column.name, column.type);
        const inIdentity = identity?.includes(column.name) ?? false;
        columns.splice(previous + 1, 0, { name: column.name, ...(await this.typeOf(client, column)), inIdentity });
      }
      previous = columns.findIndex(({ name }) => name === column.name);
    }
    // Columns may have been renamed or added again since.
    const order = new Map(shape.columns.map(({ name }, i) => [name, i]));
    if (shape.kind === 'complete')
      columns.sort((a, b) => (order.get(a.name) as number) - (order.get(b.name) as number));
    return columns;
  }

  /** A type that only the row has: the column was altered or dropped since. */
  private async typeOf(client: Client, column: RowColumn): Promise<FoundType> {
    const { type, typeOid } = column;
    if (type === null) return { typeOid: typeOid ?? 0, typmod: -1 };
    const known = (await presentType(client, type)) ?? this.foundTypes.get(type) ?? this.droppedType(type, typeOid);
    this.foundTypes.set(type, known);
    return known;
  }

  private droppedType(type: string, typeOid: number | null): FoundType {
    const oid = typeOid ?? this.nextUnknown--;
    const bare = type.split('(', 1)[0] as string;
    // Enough for a type of an extension, which has the same name in every schema.
    this.relations.types.announce(oid, { schema: '', name: unquoteIdentifier(bare.slice(bare.lastIndexOf('.') + 1)) });
    return { typeOid: oid, typmod: -1 };
  }
}

async function presentType(client: Client, type: string): Promise<FoundType | null> {
  try {
    const { rows } = await client.query<{ found: boolean }>('SELECT to_regtype($1) IS NOT NULL AS found', [type]);
    // That the server parses it as a type is also what makes it safe in the next statement.
    if (rows[0]?.found !== true) return null;
    const [field] = (await client.query(`SELECT NULL::${type}`)).fields;
    return field === undefined ? null : { typeOid: field.dataTypeID, typmod: field.dataTypeModifier };
  } catch (error) {
    if (errorCode(error) === '42601') return null;
    throw error;
  }
}
