/**
 * Types of announced columns that the catalog does not have: a type may be dropped before the rows that have it are
 * read, at the end of their own transaction at the latest.
 */
import type { Logger } from '@millrace/sdk';
import type { Client } from 'pg';
import { readTypes, readTypesNamed, type TypeName } from '../database/catalog';
import { SUPPORTED_TYPES } from '../values/resolve-type';
import type { PgType } from '../values/value-type';
import type { RelationMessage } from './relation-message';

export type Types = ReadonlyMap<number, PgType>;

export class KnownTypes {
  /** As last read. */
  private readonly read = new Map<number, PgType>();
  private kept: Types | null = null;
  /** Names as last announced. */
  private readonly announced = new Map<number, TypeName>();

  constructor(private readonly logger: Logger) {}

  /** A Type message: the server sends it before the announcement of a table. Of a domain, it names the base type. */
  announce(oid: number, name: TypeName): void {
    this.announced.set(oid, name);
  }

  /** Keeps types of the catalog. */
  keep(types: Types): void {
    // One read may serve the announcements of many tables.
    if (types === this.kept) return;
    this.kept = types;
    for (const [oid, type] of types) this.read.set(oid, type);
  }

  /**
   * Adds the missing types of the announced columns: as they were read before, else the type that has the announced
   * name now, else text.
   */
  async completed(client: Client, table: string, { columns }: RelationMessage, types: Types): Promise<Types> {
    this.keep(types);
    const missing = columns.filter(({ typeOid }) => !types.has(typeOid));
    if (missing.length === 0) return types;
    const found = new Map(types);
    const unread = missing.filter(({ typeOid }) => !this.addRead(typeOid, found));
    const names = unread.flatMap(({ typeOid }) => this.announced.get(typeOid) ?? []);
    const present = await readTypesNamed(client, names);
    for (const [oid, type] of await readTypes(client, [...present.values()])) if (!found.has(oid)) found.set(oid, type);
    for (const { name: column, typeOid: oid } of unread) {
      const name = this.announced.get(oid);
      const successor = name === undefined ? undefined : found.get(present.get(nameText(name)) ?? 0);
      const type = successor === undefined ? this.dropped(oid, name, `${table}.${column}`) : { ...successor, oid };
      found.set(oid, type);
      if (successor === undefined) this.read.set(oid, type);
    }
    return found;
  }

  /** Adds a type with its element and base types. False: it was never read. */
  private addRead(oid: number, found: Map<number, PgType>): boolean {
    const type = this.read.get(oid);
    if (type === undefined) return false;
    if (!found.has(oid)) found.set(oid, type);
    return type.of === 0 || found.has(type.of) || this.addRead(type.of, found);
  }

  private dropped(oid: number, name: TypeName | undefined, column: string): PgType {
    const isSupported = name !== undefined && SUPPORTED_TYPES.includes(name.name);
    if (!isSupported)
      this.logger.warn(
        `The type of column ${column} was dropped before its values were read: they are published as text, as the server sends them.`,
      );
    const { schema } = name ?? { schema: 'pg_catalog' };
    return {
      oid,
      schema,
      name: isSupported ? name.name : 'text',
      kind: 'b',
      isArray: false,
      of: 0,
      typmod: -1,
      labels: [],
    };
  }
}

function nameText({ schema, name }: TypeName): string {
  return JSON.stringify([schema, name]);
}
