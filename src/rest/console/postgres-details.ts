/** Snapshot and replication slot of a PostgreSQL source, from the series that it publishes (docs/metrics.md). Pure. */
import type { PostgresDetails, PostgresTable } from '@millrace/console';
import type { Series } from './published';

const OWN = 'millrace_postgres_';
const DEBEZIUM = 'debezium_metrics_';
const MOST_TABLES = 1_000;

/** Null: the series are of another plugin, or there are none. */
export function postgresDetails(series: readonly Series[]): PostgresDetails | null {
  if (!series.some(({ name }) => name.startsWith(OWN))) return null;
  return { snapshot: snapshotOf(series), slot: slotOf(series) };
}

function valueOf(series: readonly Series[], name: string): number | null {
  return series.find((one) => one.name === name)?.value ?? null;
}

function snapshotOf(series: readonly Series[]): PostgresDetails['snapshot'] {
  const is = (name: string): boolean => valueOf(series, `${DEBEZIUM}Snapshot${name}`) === 1;
  return {
    state: is('Running') ? 'running' : is('Aborted') ? 'aborted' : is('Completed') ? 'completed' : 'none',
    tables: tablesOf(series),
    remainingTables: valueOf(series, `${DEBEZIUM}RemainingTableCount`),
  };
}

/** In the order of reading. */
function tablesOf(series: readonly Series[]): readonly PostgresTable[] {
  const tables = new Map<string, PostgresTable>();
  for (const { name, labels, value } of series) {
    const figure =
      name === `${OWN}snapshot_table_percent` ? 'percent' : name === `${DEBEZIUM}RowsScanned` ? 'rowsScanned' : null;
    const { table } = labels;
    if (figure === null || table === undefined) continue;
    const known = tables.get(table) ?? { table, percent: null, rowsScanned: null };
    if (tables.has(table) || tables.size < MOST_TABLES) tables.set(table, { ...known, [figure]: value });
  }
  return [...tables.values()];
}

function slotOf(series: readonly Series[]): PostgresDetails['slot'] {
  const ofSlot = series.filter(({ name, labels }) => name.startsWith(OWN) && labels['slot'] !== undefined);
  const name = ofSlot[0]?.labels['slot'];
  if (name === undefined) return null;
  const value = (suffix: string): number | null => valueOf(ofSlot, OWN + suffix);
  const active = value('slot_active');
  const flushed = value('last_flush_lsn');
  const status = ofSlot.find((one) => one.name === `${OWN}slot_wal_status` && one.value === 1)?.labels['status'];
  return {
    name,
    isActive: active === null ? null : active === 1,
    walStatus: status ?? null,
    retainedWalBytes: value('slot_retained_wal_bytes'),
    safeWalBytes: value('slot_safe_wal_size_bytes'),
    lagBytes: value('slot_confirmed_lag_bytes'),
    confirmedLsn: flushed === null ? null : lsnText(flushed),
  };
}

/** As PostgreSQL writes it. */
function lsnText(position: number): string {
  const bits = BigInt.asUintN(64, BigInt(Math.trunc(position)));
  const half = (value: bigint): string => value.toString(16).toUpperCase();
  return `${half(bits >> 32n)}/${half(bits & 0xffffffffn)}`;
}
