/**
 * Tables that were rewritten after the snapshot was taken, by most forms of ALTER TABLE and by tools that replace a
 * table's files: to the snapshot they are empty, and the stream does not have their rows either. Reading holds a lock,
 * so they can only be rewritten before they are read. VACUUM FULL and CLUSTER keep the rows that a snapshot contains,
 * and what is inserted after a TRUNCATE is streamed.
 */
import { RetriableError } from '@millrace/sdk';
import type { Client, QueryResult } from 'pg';
import { closeConnection, openConnection } from '../database/connection';
import { errorCode } from '../database/errors';
import type { Session } from '../session';

const PARTS = `
  WITH RECURSIVE part AS (
    SELECT o AS root, o AS oid FROM unnest($1::oid[]) AS o
    UNION SELECT part.root, i.inhrelid FROM part JOIN pg_inherits i ON i.inhparent = part.oid)`;

/** Tables, or their parts, whose files are not those that the snapshot of the query knows. */
export const MOVED = `${PARTS}
  SELECT c.oid::int8::text AS oid FROM part JOIN pg_class c ON c.oid = part.oid
  WHERE c.relfilenode <> 0 AND c.relfilenode <> pg_relation_filenode(c.oid)`;

/** Reads the catalog only: a lock of the table would queue after a session that waits for the snapshot to end. */
const STORAGE = `${PARTS}
  SELECT part.root::int8::text AS root, c.oid::int8::text AS oid, format('%I.%I', n.nspname, c.relname) AS name,
         c.relfilenode::int8::text AS file, c.xmin::text AS written,
         CASE WHEN c.xmax::text = '0' THEN c.cmin::text ELSE '4294967295' END AS command,
         concat_ws(' ', c.relpersistence, c.relam::int8, c.reltoastrelid::int8, (SELECT string_agg(concat(a.attnum, ':', a.xmin), ',' ORDER BY a.attnum)
           FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0)) AS definition
  FROM part JOIN pg_class c ON c.oid = part.oid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relfilenode <> 0`;

/** A table, or a part of it. */
interface Storage {
  /** Oid of the captured table. */
  readonly root: string;
  readonly oid: string;
  /** With its schema, quoted for a query: connections may differ in their `search_path`. */
  readonly name: string;
  readonly file: string;
  /** Transaction that changed the table's row in the catalog last. */
  readonly written: string;
  /** Its command that did so; the highest number if another transaction may have overwritten it. */
  readonly command: string;
  /**
   * Differs after each ALTER TABLE that rewrites the table; if that is undone, too (SET UNLOGGED, SET LOGGED), only by
   * the TOAST table, if it has one.
   */
  readonly definition: string;
}

/** For one look at the rows of a table that was truncated or replaced. */
const LOCK_TIMEOUT_MS = 1_000;
const LOOK_TIMEOUT_MS = 30_000;

/** What a snapshot knows of the storage of its tables. */
export class SnapshotStorage {
  private constructor(
    private readonly session: Session,
    private readonly parts: ReadonlyMap<string, Storage>,
  ) {}

  /** @param client has the transaction of the snapshot */
  static async read(session: Session, client: Client, oids: readonly number[]): Promise<SnapshotStorage> {
    return new SnapshotStorage(session, await readStorage(client, oids));
  }

  /**
   * Throws a RetriableError if a table has rows that are hidden from the snapshot. Call it before anything is read, and
   * when all is read, before the locks are released.
   * @param reader has the transaction of the snapshot; no rows are returned to it, as they would be taken for read ones
   * @param current any other connection
   * @param oids of the tables that count
   */
  async check(reader: Client, current: Client, oids: readonly number[]): Promise<void> {
    for (const [oid, now] of await readStorage(current, oids)) {
      const before = this.parts.get(oid);
      if (before === undefined || before.file === now.file || !(await this.isHidden(reader, before, now))) continue;
      throw new RetriableError(
        `Table ${now.name} was rewritten (for example by ALTER TABLE) before the snapshot reached it, which therefore does not contain its rows`,
        { code: 'PG_SNAPSHOT_REWRITTEN', place: { table: now.name } },
      );
    }
  }

  private async isHidden(reader: Client, before: Storage, now: Storage): Promise<boolean> {
    const look = `DECLARE millrace_row NO SCROLL CURSOR FOR SELECT FROM ONLY ${now.name} LIMIT 1; MOVE FORWARD ALL IN millrace_row; CLOSE millrace_row`;
    try {
      const results = (await reader.query(look)) as unknown as readonly QueryResult[];
      if (results.some(({ command, rowCount }) => command === 'MOVE' && rowCount !== 0)) return false;
    } catch (error) {
      // A part may only be readable through its table, or is dropped. Another attempt is right in any case.
      if (/^42(501|P01)/.test(errorCode(error))) return true;
      throw error;
    }
    return before.definition !== now.definition || (await this.hasEarlierRows(now));
  }

  /**
   * Whether rows were written before the file became the table's, which are therefore not in the stream. A rewrite
   * writes the rows before the catalog, and what the transaction of a TRUNCATE inserts is written by later commands;
   * the command of a row that another transaction has locked or changed may be overwritten. True if it is unknown:
   * another attempt only repeats rows. Uses a connection of its own for the timeouts.
   */
  private async hasEarlierRows({ name, written, command }: Storage): Promise<boolean> {
    const { client } = await openConnection(this.session.config.connection, 'General');
    try {
      await client.query(
        `SET lock_timeout = ${LOCK_TIMEOUT_MS}; SET statement_timeout = ${LOOK_TIMEOUT_MS}; SET row_security = off`,
      );
      const look = `SELECT FROM ONLY ${name} WHERE age(xmin) > age('${written}'::xid)
        OR (xmin = '${written}' AND (cmin::text::int8 <= ${command} OR xmax <> '0')) LIMIT 1`;
      return (await client.query(look)).rowCount !== 0;
    } catch (error) {
      if (!/^(42|55P03|57014)/.test(errorCode(error))) throw error;
      return true;
    } finally {
      await closeConnection(client);
    }
  }
}

async function readStorage(client: Client, oids: readonly number[]): Promise<Map<string, Storage>> {
  const { rows } = await client.query(STORAGE, [oids.map(String)]);
  return new Map((rows as Storage[]).map((part) => [part.oid, part]));
}
