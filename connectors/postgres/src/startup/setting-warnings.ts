/** Settings that name tables or columns which do not exist: signals, statements and masks have no effect then. */
import type { PatternList } from '../config/patterns';
import type { PostgresConfig } from '../config/postgres-config';
import { qualified, type CatalogTable } from '../database/catalog';
import { quoteTable } from '../database/identifiers';

const SIGNAL_COLUMNS = '(id varchar(42) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048))';

/** Warnings for the log. @param tables all captured ones */
export function settingWarnings(config: PostgresConfig, tables: readonly CatalogTable[]): string[] {
  // Each task of several slots has some of the tables only.
  if (config.part !== null) return [];
  return [
    ...signalTableWarnings(config, tables),
    ...overrideWarnings(config, tables),
    ...columnWarnings(config, tables),
  ];
}

function signalTableWarnings({ signals }: PostgresConfig, tables: readonly CatalogTable[]): string[] {
  const { table: name } = signals;
  if (name === null) return [];
  const table = tables.find((one) => qualified(one) === name);
  if (table === undefined) {
    const at = name.indexOf('.');
    const quoted = quoteTable({ schema: name.slice(0, at), name: name.slice(at + 1) });
    return [
      `The table ${name} of signal.data.collection does not exist, so no signals are read from it, and incremental snapshots fail. Run CREATE TABLE ${quoted} ${SIGNAL_COLUMNS}; and restart the connector if it runs. Upper and lower case matter.`,
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

/** A wrong pattern would publish values that should be hidden. Keys of masks are not shown, because they have salts. */
function columnWarnings({ events, filters }: PostgresConfig, tables: readonly CatalogTable[]): string[] {
  if (tables.length === 0) return [];
  const lists: readonly (readonly [string, PatternList | null])[] = [
    ...events.masks.map(({ columns }) => ['a column.mask.* or column.truncate.* key', columns] as const),
    ['column.exclude.list', filters.columnExclude],
    ['column.include.list', filters.columnInclude],
  ];
  const matchesColumn = (pattern: RegExp): boolean =>
    tables.some((table) => table.columns.some(({ name }) => pattern.test(`${qualified(table)}.${name}`)));
  return lists.flatMap(([key, list]) =>
    (list?.sources ?? [])
      .filter((_, i) => !matchesColumn((list as PatternList).patterns[i] as RegExp))
      .map((source) => `The pattern ${source} of ${key} matches no column of a captured table (schema.table.column).`),
  );
}
