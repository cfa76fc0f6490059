/**
 * Reads the catalog once for all announcements that have arrived, instead of once for each. After a reconnect, or when
 * the server has dropped its cache of announced tables, every table is announced with its next change.
 */
import type { Client } from 'pg';
import { qualified, readTables, readTablesNamed, readTypes, type CatalogTable } from '../database/catalog';
import type { PgType } from '../values/value-type';
import type { RelationMessage } from './relation-message';

export interface Definition {
  /** Null: the table was dropped since. */
  readonly now: CatalogTable | null;
  /** The table that has the announced name now, if it is another one and the catalog has no key of the announced. */
  readonly successor: CatalogTable | null;
  /** Types of the table's columns, announced or not, with element and base types. May contain types of other tables. */
  readonly types: ReadonlyMap<number, PgType>;
}

interface Ahead extends Definition {
  /** Announcements that arrived before this read and are not decoded yet. */
  left: number;
}

/** Maximum number of tables read at once. */
const MANY_TABLES = 500;

export class DefinitionPrefetch {
  private readonly byOid = new Map<number, Ahead>();

  constructor(private readonly serverVersion: number) {}

  /** Call for a new connection: the announcements that were read ahead will not come. */
  clear(): void {
    this.byOid.clear();
  }

  /**
   * A definition at least as new as the announcement. @param queued the announcements that have arrived, this one first
   */
  async announced(
    client: Client,
    message: RelationMessage,
    queued: () => readonly RelationMessage[],
  ): Promise<Definition> {
    if (!this.byOid.has(message.oid)) await this.readAhead(client, [message, ...queued().slice(1)]);
    const found = this.byOid.get(message.oid) as Ahead;
    if (--found.left === 0) this.byOid.delete(message.oid);
    return found;
  }

  async read(client: Client, messages: readonly RelationMessage[]): Promise<(message: RelationMessage) => Definition> {
    const tables = await readTables(client, [...new Set(messages.map(({ oid }) => oid))], this.serverVersion);
    const columns = [...tables, ...messages].flatMap((table): readonly { typeOid: number }[] => table.columns);
    const types = await readTypes(client, [...new Set(columns.map(({ typeOid }) => typeOid))]);
    const byOid = new Map(tables.map((table) => [table.oid, table]));
    const needsSuccessor = (message: RelationMessage): boolean => {
      const now = byOid.get(message.oid);
      return now === undefined || (now.key.length === 0 && qualified(now) !== qualified(message));
    };
    const successors = await readTablesNamed(client, messages.filter(needsSuccessor), this.serverVersion);
    const byName = new Map(successors.map((table) => [qualified(table), table]));
    return (message) => ({
      now: byOid.get(message.oid) ?? null,
      successor: needsSuccessor(message) ? (byName.get(qualified(message)) ?? null) : null,
      types,
    });
  }

  private async readAhead(client: Client, messages: readonly RelationMessage[]): Promise<void> {
    const byOid = new Map<number, RelationMessage[]>();
    for (const message of messages) {
      const same = byOid.get(message.oid);
      if (same) same.push(message);
      else if (byOid.size < MANY_TABLES) byOid.set(message.oid, [message]);
    }
    const definition = await this.read(client, [...byOid.values()].flat());
    for (const [oid, [first, ...others]] of byOid) {
      this.byOid.set(oid, { ...definition(first as RelationMessage), left: 1 + others.length });
    }
  }
}
