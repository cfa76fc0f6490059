/**
 * Which table model belongs to each relation of the stream (cdc-postgres §5.7). The server announces a table before its
 * first change on a connection and again after whatever may have altered it, so the catalog is read with each
 * announcement and never otherwise.
 */
import type { Logger } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import {
  qualified,
  readTypes,
  tableFilter,
  type CatalogTable,
  type TableDefinition,
  type TableName,
} from '../database/catalog';
import type { ServerFacts } from '../database/server';
import { buildTableModel, type TableModel } from './table-model';
import { UnrepresentableValues } from './unrepresentable-values';
import { TypeResolver, type EnumLabels } from '../values/resolve-type';
import type { PgType, ValueOptions } from '../values/value-type';
import { announcedTable, deliversGenerated } from './announced-table';
import { DefinitionsAhead } from './definition-prefetch';
import type { RelationMessage } from './relation-message';

export interface Relation {
  /** Null: the table is not captured. */
  readonly model: TableModel | null;
  /** Key columns that key-only old tuples do not carry (REPLICA IDENTITY USING INDEX, `message.key.columns`). */
  readonly missingInOldKey: readonly string[];
}

/** Of a table that is not captured. */
export const NOT_CAPTURED: Relation = { model: null, missingInOldKey: [] };

interface Entry {
  /** All that the model was built from. */
  readonly facts: string;
  readonly model: TableModel;
  readonly table: TableDefinition;
}

export class Relations {
  private readonly entries = new Map<number, Entry>();
  /** Names as the stream last told them. By table oid. */
  private readonly announced = new Map<number, string>();
  private readonly matches: (table: TableName) => boolean;
  private readonly definitions: DefinitionsAhead;
  /** Columns found to hold NULL although the catalog says they cannot. By table oid. */
  private readonly forcedOptional = new Map<number, Set<string>>();
  /** Shared by snapshot and stream, so that each column is reported once. */
  readonly unrepresentable: UnrepresentableValues;
  private readonly values: ValueOptions;
  readonly enumLabels: EnumLabels = { unlisted: null, accepted: new Map() };

  constructor(
    private readonly config: PostgresConfig,
    private readonly facts: ServerFacts,
    private readonly logger: Logger,
  ) {
    this.matches = tableFilter(config.filters);
    this.unrepresentable = new UnrepresentableValues(logger);
    this.definitions = new DefinitionsAhead(facts.version);
    this.values = { ...config.values, currencyDigits: facts.currencyDigits };
  }

  /**
   * Models of catalog tables, before any message names them: for the snapshot, and so that the stream shares its
   * schemas.
   */
  async load(client: Client, tables: readonly CatalogTable[]): Promise<Map<number, TableModel>> {
    const types = await readTypes(client, [
      ...new Set(tables.flatMap((table) => table.columns.map((column) => column.typeOid))),
    ]);
    const resolver = new TypeResolver(types, this.values, this.enumLabels);
    const models = new Map<number, TableModel>();
    for (const table of tables) models.set(table.oid, this.model(table, types, resolver, false));
    return models;
  }

  captures(message: RelationMessage): boolean {
    return this.matches(message);
  }

  /** A new connection announces everything again. */
  restart(): void {
    this.definitions.clear();
  }

  /**
   * Asks the catalog. Names, types and order are the message's; the catalog adds nullability, defaults and key.
   * @param queued the announcements that have arrived, this one first; null: the table was announced before
   */
  async refresh(
    client: Client,
    message: RelationMessage,
    queued: (() => readonly RelationMessage[]) | null,
  ): Promise<Relation> {
    const { now, types } =
      queued === null
        ? (await this.definitions.read(client, [message]))(message)
        : await this.definitions.announced(client, message, () => queued().filter((one) => this.matches(one)));
    const known = this.entries.get(message.oid)?.table ?? null;
    const name = qualified(message);
    const before = this.announced.get(message.oid) ?? name;
    if (before !== name) this.logger.info(`Table ${before} is now ${name}; its topic changes with it.`);
    this.announced.set(message.oid, name);
    const table = announcedTable(message, now, known);
    this.acceptRenamedLabel(types);
    const resolver = new TypeResolver(types, this.values, this.enumLabels);
    const model = this.model(table, types, resolver, deliversGenerated(message, now));
    const identity = message.columns.filter((column) => column.inIdentity).map((column) => column.name);
    const keyColumns = model.key.map((field) => field.column);
    return {
      model,
      missingInOldKey: identity.length === 0 ? [] : keyColumns.filter((column) => !identity.includes(column)),
    };
  }

  /** A label that the catalog does not know now either was renamed since; its old text is all there is. */
  private acceptRenamedLabel(types: ReadonlyMap<number, PgType>): void {
    const { enumLabels } = this;
    const { unlisted } = enumLabels;
    enumLabels.unlisted = null;
    if (unlisted === null || types.get(unlisted.enumOid)?.labels.includes(unlisted.label)) return;
    const labels = enumLabels.accepted.get(unlisted.enumOid) ?? new Set();
    enumLabels.accepted.set(unlisted.enumOid, labels.add(unlisted.label));
  }

  forceOptional(oid: number, column: string): void {
    const columns = this.forcedOptional.get(oid) ?? new Set<string>();
    columns.add(column);
    this.forcedOptional.set(oid, columns);
  }

  /** The model that is there as long as it says the same: converters know schemas by their identity. */
  private model(
    table: TableDefinition,
    types: ReadonlyMap<number, PgType>,
    resolver: TypeResolver,
    generatedDelivered: boolean,
  ): TableModel {
    const { config, logger } = this;
    const { oid, schema, name, columns, key } = table;
    const forcedOptional = this.forcedOptional.get(oid) ?? new Set();
    const accepted = ({ oid: type }: PgType): string[] => [...(this.enumLabels.accepted.get(type) ?? [])];
    const used = columns.flatMap((column) => typeChain(column.typeOid, types).map((type) => [type, accepted(type)]));
    const facts = JSON.stringify([schema, name, columns, key, used, [...forcedOptional], generatedDelivered]);
    const entry = this.entries.get(oid);
    if (entry?.facts === facts) return entry.model;
    const context = { config, types: resolver, logger, forcedOptional };
    const model = buildTableModel(table, context, generatedDelivered);
    this.entries.set(oid, { facts, model, table });
    return model;
  }
}

/** A type and those it is made of. */
function typeChain(oid: number, types: ReadonlyMap<number, PgType>): PgType[] {
  const type = types.get(oid);
  if (type === undefined) return [];
  return type.isArray || type.kind === 'd' ? [type, ...typeChain(type.of, types)] : [type];
}
