/**
 * The table model of each relation in the stream (cdc-postgres §5.7). The server announces a table before its first
 * change on a connection and again after it may have been altered, so the catalog is read on each announcement and only
 * then.
 */
import { ConnectError, type Logger, type Schema } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import { slotOf } from '../config/slot-part';
import {
  qualified,
  readTypes,
  tableFilter,
  type CatalogTable,
  type TableDefinition,
  type TableName,
} from '../database/catalog';
import { withSentColumns } from './sent-columns';
import type { ServerFacts } from '../database/server';
import type { EventCounts } from '../metrics/event-counts';
import type { ColumnConversions } from './column-conversions';
import { NameConflicts } from './name-conflicts';
import { buildTableModel, type TableModel } from './table-model';
import { UnrepresentableValues } from './unrepresentable-values';
import { UnsentValues } from './unsent-values';
import { TypeResolver, type EnumLabels } from '../values/resolve-type';
import type { PgType, ValueOptions } from '../values/value-type';
import { announcedTable } from './announced-table';
import { DefinitionPrefetch } from './definition-prefetch';
import { KnownTypes } from './known-types';
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
  /** Everything the model was built from. */
  readonly facts: string;
  readonly model: TableModel;
  readonly table: TableDefinition;
}

export class Relations {
  private readonly entries = new Map<number, Entry>();
  private readonly byEnvelope = new WeakMap<Schema, Entry>();
  /** Names as last announced, by table oid. */
  private readonly announced = new Map<number, string>();
  private readonly matches: (table: TableName) => boolean;
  private readonly definitions: DefinitionPrefetch;
  /** Columns found to contain NULL although the catalog says NOT NULL, by table oid. */
  private readonly forcedOptional = new Map<number, Set<string>>();
  /** Shared by snapshot and stream, so that each column is reported once. */
  readonly unrepresentable: UnrepresentableValues;
  readonly unsent: UnsentValues;
  private readonly names: NameConflicts;
  private readonly values: ValueOptions;
  /** Called when the server announces a table for the first time on a connection, or under another name. */
  onDdl: (() => void) | null = null;
  readonly types: KnownTypes;
  readonly enumLabels: EnumLabels = { unlisted: null, accepted: new Map() };

  constructor(
    private readonly config: PostgresConfig,
    private readonly facts: ServerFacts,
    private readonly logger: Logger,
    private readonly counts: EventCounts,
    private readonly conversions: ColumnConversions | null = null,
  ) {
    this.matches = tableFilter(config.filters);
    this.names = new NameConflicts(logger);
    this.types = new KnownTypes(logger);
    this.unrepresentable = new UnrepresentableValues(logger, config.events.conversionFailures);
    this.unsent = new UnsentValues(logger, config.reselect);
    this.definitions = new DefinitionPrefetch(facts.version);
    this.values = { ...config.values, currencyDigits: facts.currencyDigits };
  }

  /**
   * Builds models of catalog tables before any announcement: for the snapshot, and so that the stream shares its
   * schemas.
   */
  async load(client: Client, found: readonly CatalogTable[]): Promise<Map<number, TableModel>> {
    const tables = await withSentColumns(client, this.config, this.facts, found);
    const types = await readTypes(client, [
      ...new Set(tables.flatMap((table) => table.columns.map((column) => column.typeOid))),
    ]);
    this.types.keep(types);
    const resolver = new TypeResolver(types, this.values, this.enumLabels);
    const models = new Map<number, TableModel>();
    for (const table of tables) models.set(table.oid, this.model(table, types, resolver));
    return models;
  }

  /** The table whose events have this schema, now or before its definition changed; null: none. */
  tableOf(envelope: Schema): { readonly model: TableModel; readonly table: TableDefinition } | null {
    return this.byEnvelope.get(envelope) ?? null;
  }

  /** The latest model of a table; null: it was not read yet. */
  modelOf(oid: number): TableModel | null {
    return this.entries.get(oid)?.model ?? null;
  }

  /** Names of the tables that were read so far, as `schema.table`. */
  tableNames(): string[] {
    return [...this.entries.values()].map(({ table }) => qualified(table));
  }

  /**
   * Throws ConnectError `PG_SLOT_LAYOUT` for a table that was renamed to the name of another slot's table: the
   * publication of that slot does not contain it, so this one must not drop its changes.
   */
  captures(table: TableName): boolean {
    if (this.matches(table)) return true;
    const { filters, parallel, part, publication } = this.config;
    if (part === null || publication.mode !== 'filtered' || !tableFilter({ ...filters, owns: null })(table))
      return false;
    const name = qualified(table);
    throw new ConnectError(
      `Table ${name} belongs to slot ${slotOf(name, parallel)} by its present name, but the publication of slot ${part.number} has its changes: it was renamed. Rename it back, or start over with another distribution of tables (slot.tables) as "Several slots" of the connector's page describes.`,
      { code: 'PG_SLOT_LAYOUT', place: { table: name } },
    );
  }

  /** Call when the task stops. */
  close(): void {
    this.conversions?.close();
  }

  /** Call for a new connection, which announces every table again. */
  restart(): void {
    this.definitions.clear();
  }

  /**
   * Reads the catalog. Names, types and order come from the message; nullability, defaults and key from the catalog.
   * @param queued the announcements that have arrived, this one first; null: the table was announced before
   */
  async refresh(
    client: Client,
    message: RelationMessage,
    queued: (() => readonly RelationMessage[]) | null,
  ): Promise<Relation> {
    const {
      now,
      successor,
      types: present,
    } = queued === null
      ? (await this.definitions.read(client, [message]))(message)
      : await this.definitions.announced(client, message, () => queued().filter((one) => this.matches(one)));
    const known = this.entries.get(message.oid)?.table ?? null;
    const name = qualified(message);
    const types = await this.types.completed(client, name, message, present);
    const before = this.announced.get(message.oid) ?? name;
    if (before !== name) this.logger.info(`Table ${before} was renamed to ${name}; its topic changes accordingly.`);
    this.announced.set(message.oid, name);
    const table = announcedTable(message, now, known, successor);
    this.acceptRenamedLabel(types);
    const resolver = new TypeResolver(types, this.values, this.enumLabels);
    const model = this.model(table, types, resolver);
    if (now === null && known === null && model.key.length === 0)
      this.logger.warn(
        `Table ${name} was dropped or renamed before its changes were read, and they do not tell its key: its events have no key. Set message.key.columns to columns that tell its rows apart.`,
      );
    const identity = message.columns.filter((column) => column.inIdentity).map((column) => column.name);
    const keyColumns = model.key.map((field) => field.column);
    return {
      model,
      missingInOldKey: identity.length === 0 ? [] : keyColumns.filter((column) => !identity.includes(column)),
    };
  }

  /** Accepts a label that the catalog still does not list: it was renamed since, and only its old text is known. */
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

  /** Reuses the model while its definition is unchanged, because converters cache schemas by identity. */
  private model(table: TableDefinition, types: ReadonlyMap<number, PgType>, resolver: TypeResolver): TableModel {
    const { config, logger } = this;
    const { oid, schema, name, columns, key } = table;
    const forcedOptional = this.forcedOptional.get(oid) ?? new Set();
    const accepted = ({ oid: type }: PgType): string[] => [...(this.enumLabels.accepted.get(type) ?? [])];
    const used = columns.flatMap((column) => typeChain(column.typeOid, types).map((type) => [type, accepted(type)]));
    // A comment that no schema holds changes nothing.
    const described = config.events.comments ? columns : columns.map((column) => ({ ...column, comment: null }));
    const facts = JSON.stringify([schema, name, described, key, used, [...forcedOptional]]);
    const entry = this.entries.get(oid);
    if (entry?.facts === facts) return entry.model;
    const context = {
      config,
      types: resolver,
      logger,
      names: this.names,
      conversions: this.conversions,
      forcedOptional,
      counts: this.counts,
    };
    const model = buildTableModel(table, context);
    const built = { facts, model, table };
    this.entries.set(oid, built);
    this.byEnvelope.set(model.envelope, built);
    return model;
  }
}

/** A type with its element and base types. */
function typeChain(oid: number, types: ReadonlyMap<number, PgType>): PgType[] {
  const type = types.get(oid);
  if (type === undefined) return [];
  return type.isArray || type.kind === 'd' ? [type, ...typeChain(type.of, types)] : [type];
}
