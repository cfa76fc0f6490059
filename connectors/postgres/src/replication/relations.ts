/** Which table model belongs to each relation of the stream, and when the catalog must be asked again (cdc-postgres §5.7). */
import type { Logger } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import {
  qualified,
  readTables,
  readTypes,
  tableFilter,
  type CatalogColumn,
  type CatalogTable,
  type TableName,
} from '../database/catalog';
import type { ServerFacts } from '../database/server';
import { buildTableModel, type TableModel } from '../events/table-model';
import { VoidedValues } from '../events/voided-values';
import { TypeResolver, type EnumAlarm } from '../values/resolve-type';
import type { PgType, ValueOptions } from '../values/value-type';

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

export interface Relation {
  /** Null: the table is not captured. */
  readonly model: TableModel | null;
  /** Key columns that key-only old tuples do not carry (REPLICA IDENTITY USING INDEX, `message.key.columns`). */
  readonly missingInOldKey: readonly string[];
}

interface Entry {
  readonly signature: string;
  readonly relation: Relation;
  /** As last announced; null before the first message of a table known from the catalog. */
  readonly message: RelationMessage | null;
}

export class Relations {
  private readonly entries = new Map<number, Entry>();
  private readonly matches: (table: TableName) => boolean;
  /** Columns found to hold NULL although the catalog says they cannot. By table oid. */
  private readonly forcedOptional = new Map<number, Set<string>>();
  private readonly voided: VoidedValues;
  private readonly values: ValueOptions;
  readonly alarm: EnumAlarm = { unknown: null, accepted: new Map() };

  constructor(
    private readonly config: PostgresConfig,
    private readonly facts: ServerFacts,
    private readonly logger: Logger,
  ) {
    this.matches = tableFilter(config.filters);
    this.voided = new VoidedValues(logger);
    this.values = { ...config.values, currencyDigits: facts.currencyDigits };
  }

  /** Models of catalog tables, before any message names them: for the snapshot, and so that the stream shares its schemas. */
  async load(client: Client, tables: readonly CatalogTable[]): Promise<Map<number, TableModel>> {
    const types = await readTypes(client, [
      ...new Set(tables.flatMap((table) => table.columns.map((column) => column.typeOid))),
    ]);
    const resolver = new TypeResolver(types, this.values, this.alarm);
    const models = new Map<number, TableModel>();
    for (const table of tables) {
      const model = buildTableModel(table, this.context(table.oid, resolver));
      models.set(table.oid, model);
      const relation = this.relation(model, identityColumns(table));
      this.entries.set(table.oid, { signature: catalogSignature(table), relation, message: null });
    }
    return models;
  }

  /** Null: `refresh` must be awaited first. */
  find(message: RelationMessage): Relation | null {
    if (!this.matches(message)) return NOT_CAPTURED;
    const entry = this.entries.get(message.oid);
    return entry !== undefined && entry.signature === messageSignature(message) ? entry.relation : null;
  }

  /** Asks the catalog. Names, types and order are the message's; the catalog adds nullability, defaults and key. */
  async refresh(client: Client, message: RelationMessage): Promise<Relation> {
    const [now] = await readTables(client, [message.oid], this.facts.version);
    const previous = this.entries.get(message.oid)?.message;
    if (previous != null && qualified(previous) !== qualified(message))
      this.logger.info(`Table ${qualified(previous)} is now ${qualified(message)}; its topic changes with it.`);
    const table = merge(message, now ?? null);
    const types = await readTypes(client, [...new Set(table.columns.map((column) => column.typeOid))]);
    this.settleAlarm(types);
    const resolver = new TypeResolver(types, this.values, this.alarm);
    const relation = this.relation(
      buildTableModel(table, this.context(message.oid, resolver), deliversGenerated(message, now ?? null)),
      message.columns.filter((column) => column.inIdentity).map((column) => column.name),
    );
    this.entries.set(message.oid, { signature: messageSignature(message), relation, message });
    return relation;
  }

  /** A label that the catalog does not know now either was renamed since; its old text is all there is. */
  private settleAlarm(types: ReadonlyMap<number, PgType>): void {
    const { alarm } = this;
    const { unknown } = alarm;
    alarm.unknown = null;
    if (unknown === null || types.get(unknown.enumOid)?.labels.includes(unknown.label)) return;
    const labels = alarm.accepted.get(unknown.enumOid) ?? new Set();
    alarm.accepted.set(unknown.enumOid, labels.add(unknown.label));
  }

  forceOptional(oid: number, column: string): void {
    const columns = this.forcedOptional.get(oid) ?? new Set<string>();
    columns.add(column);
    this.forcedOptional.set(oid, columns);
  }

  private context(oid: number, types: TypeResolver): Parameters<typeof buildTableModel>[1] {
    const { config, logger, voided } = this;
    return { config, types, logger, voided, forcedOptional: this.forcedOptional.get(oid) ?? new Set() };
  }

  private relation(model: TableModel, identity: readonly string[]): Relation {
    if (identity.length === 0) return { model, missingInOldKey: [] };
    const columns = model.key.map((field) => field.column);
    return { model, missingInOldKey: columns.filter((column) => !identity.includes(column)) };
  }
}

const NOT_CAPTURED: Relation = { model: null, missingInOldKey: [] };

function signature(table: TableName, columns: readonly (readonly [string, number, number, boolean])[]): string {
  return JSON.stringify([table.schema, table.name, columns]);
}

function messageSignature(message: RelationMessage): string {
  return signature(
    message,
    message.columns.map((column) => [column.name, column.typeOid, column.typmod, column.inIdentity]),
  );
}

/** What the server will announce for a table that does not change. */
function catalogSignature(table: CatalogTable): string {
  const identity = new Set(identityColumns(table));
  return signature(
    table,
    table.columns
      .filter((column) => !column.generated)
      .map((column) => [column.name, column.typeOid, column.typmod, identity.has(column.name)]),
  );
}

function identityColumns(table: CatalogTable): readonly string[] {
  switch (table.replicaIdentity) {
    case 'f':
      return table.columns.map((column) => column.name);
    case 'i':
      return table.identityIndex;
    case 'd':
      return table.hasPrimaryKey ? table.key : [];
    default:
      return [];
  }
}

function deliversGenerated(message: RelationMessage, now: CatalogTable | null): boolean {
  const names = new Set(message.columns.map((column) => column.name));
  return now?.columns.some((column) => column.generated && names.has(column.name)) ?? false;
}

/** The table as the message announces it, with what only the catalog knows where both speak of the same columns. */
function merge(message: RelationMessage, now: CatalogTable | null): CatalogTable {
  const delivered = (now?.columns ?? []).filter(
    (column) => !column.generated || message.columns.some((announced) => announced.name === column.name),
  );
  const same =
    delivered.length === message.columns.length &&
    message.columns.every((column, i) => sameColumn(column, delivered[i] as CatalogColumn));
  const columns = same
    ? (now as CatalogTable).columns
    : message.columns.map((column) => {
        const known = now?.columns.find((candidate) => sameColumn(column, candidate));
        // The catalog is of a later time than these rows: only what the key needs is taken for granted.
        const inKey = now?.key.includes(column.name) ?? column.inIdentity;
        return {
          name: column.name,
          typeOid: column.typeOid,
          typmod: column.typmod,
          notNull: inKey && (known?.notNull ?? false),
          default: known?.default ?? null,
          generated: false,
        };
      });
  const names = new Set(columns.map((column) => column.name));
  const identity = message.columns.filter((column) => column.inIdentity).map((column) => column.name);
  return {
    oid: message.oid,
    schema: message.schema,
    name: message.name,
    replicaIdentity: message.replicaIdentity,
    unlogged: false,
    partitionedRoot: false,
    columns,
    key: (now?.key ?? (message.replicaIdentity === 'd' ? identity : [])).filter((column) => names.has(column)),
    hasPrimaryKey: now?.hasPrimaryKey ?? message.replicaIdentity === 'd',
    identityIndex: message.replicaIdentity === 'i' ? identity : [],
  };
}

function sameColumn(announced: RelationMessage['columns'][number], column: CatalogColumn): boolean {
  return announced.name === column.name && announced.typeOid === column.typeOid && announced.typmod === column.typmod;
}
