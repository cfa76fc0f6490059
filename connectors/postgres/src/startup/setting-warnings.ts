/** Settings that name tables which do not exist, or lack columns: signals and SELECT statements have no effect then. */
import type { PostgresConfig } from '../config/postgres-config';
import { qualified, type CatalogTable } from '../database/catalog';
import { quoteTable } from '../database/identifiers';

const SIGNAL_COLUMNS = '(id varchar(42) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048))';

/** Warnings for the log. @param tables all captured ones */
export function settingWarnings(config: PostgresConfig, tables: readonly CatalogTable[]): string[] {
  // Each task of several slots has some of the tables only.
  if (config.part !== null) return [];
  return [...signalTableWarnings(config, tables), ...overrideWarnings(config, tables)];
}

function signalTableWarnings({ signals }: PostgresConfig, tables: readonly CatalogTable[]): string[] {
  const { table: name } = signals;
  if (name === null) return [];
  const table = tables.find((one) => qualified(one) === name);
  if (table === undefined) {
    const at = name.indexOf('.');
    const quoted = quoteTable({ schema: name.slice(0, at), name: name.slice(at + 1) });
    return [
      `The table ${name} of signal.data.collection does not exist, so no signals are read from it, and incremental snapshots fail. Run CREATE TABLE ${quoted} ${SIGNAL_COLUMNS}; and restart the connector. Upper and lower case matter.`,
    ];
  }
  if (table.columns.length >= 3) return [];
  return [
    `The table ${name} of signal.data.collection has ${table.columns.length} column(s), but needs three in this order: ${SIGNAL_COLUMNS}.`,
  ];
}

function overrideWarnings({ snapshot }: PostgresConfig, tables: readonly CatalogTable[]): string[] {
  const names = new Set(tables.map(qualified));
  return [...snapshot.overrides.keys()]
    .filter((name) => !names.has(name))
    .map(
      (name) =>
        `snapshot.select.statement.overrides names ${name}, which is not a captured table: its statement has no effect. Upper and lower case matter.`,
    );
}
