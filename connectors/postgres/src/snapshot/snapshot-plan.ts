/** Which tables a snapshot reads, in which order and in which chunks (cdc-postgres §4.2, §4.6). */
import type { Client } from 'pg';
import { findTables, qualified, readTables, snapshotTables, type TableName } from '../database/catalog';
import { reportingWaits } from '../database/lock-wait';
import type { TableModel } from '../events/table-model';
import type { Session } from '../session';
import { planChunks, SnapshotTable, type Chunk } from './chunk';
import { coversAll } from './block-ranges';
import { holdBlocks, lockTables } from './lock-tables';
import { PlannedColumns } from './planned-columns';
import type { ResumePoint } from './resume-point';
import { SnapshotStorage } from './rewritten-tables';
import { streamCoverage } from './stream-coverage';
import { exactFingerprint, readSizes, tableFingerprint } from './table-sizes';

export interface SnapshotPlan {
  readonly tables: readonly SnapshotTable[];
  /** In the order of reading; the chunks of an entry are read by one connection. */
  readonly chunks: Chunk[][];
  readonly storage: SnapshotStorage;
  readonly columns: PlannedColumns;
}

/**
 * Builds the models of all captured tables, also of those that the snapshot leaves out.
 * @param streams whether the snapshot is followed by a stream
 * @param tellsChanges see there
 */
export async function planSnapshot(
  session: Session,
  client: Client,
  resume: ResumePoint | null,
  streams: boolean,
  tellsChanges: boolean,
): Promise<SnapshotPlan> {
  const { config, relations, facts, logger, exactlyOnce } = session;
  const { include, overrides, threads, threadsMultiplier, tablePerThread, order, lockTimeoutMs } = config.snapshot;
  const found = await findTables(client, config.filters);
  const wantedOf = <Table extends TableName>(tables: readonly Table[]): Table[] =>
    snapshotTables(tables, config.filters).filter((table) => include?.matches(qualified(table)) ?? true);
  if (lockTimeoutMs !== null) await lockTables(client, wantedOf(found), lockTimeoutMs);
  const isPartlyRead = ({ oid }: { readonly oid: number }): boolean => {
    const before = resume?.tables.get(oid);
    if (before === undefined || coversAll(before.blocks)) return false;
    return before.blocks.length > 0 || (before.partial ?? []).length > 0;
  };
  await reportingWaits(
    { config: config.connection, logger, client, doing: 'The snapshot' },
    holdBlocks(client, wantedOf(found).filter(isPartlyRead)),
  );
  const captured = await readTables(
    client,
    found.map((table) => table.oid),
    facts.version,
  );
  const models = await relations.load(client, captured);
  const wanted = wantedOf(captured);
  const oids = wanted.map((table) => table.oid);
  const sizeOf = await readSizes(client, oids);
  const storage = await SnapshotStorage.read(session, client, oids);
  await storage.check(client, await session.general.get(), oids);
  const columns = await PlannedColumns.read(client, oids);
  const coverage = await streamCoverage(session, client, streams && exactlyOnce);
  const isUnchanged = resume === null || (resume.exactlyOnce && tellsChanges);
  const tables = wanted.map((table) => {
    const name = qualified(table);
    const model = models.get(table.oid) as TableModel;
    const size = sizeOf(table.oid);
    const override = overrides.get(name) ?? null;
    const fingerprint = exactlyOnce
      ? exactFingerprint(model, size.files, override)
      : tableFingerprint(table, model, size.storage);
    const before = resume?.tables.get(table.oid) ?? null;
    const isSame = before?.fingerprint === fingerprint;
    const finished = isSame && (exactlyOnce || (override === null && size.byBlock)) ? before : null;
    if (before !== null && finished === null)
      logger.warn(`Table ${name} has changed since the snapshot began; reading it again from its start.`);
    // Changes of tables that inherit from it arrive under their own names.
    const hasHeirs = size.parts > 1 && !table.partitionedRoot;
    const covered = isUnchanged && override === null && size.byBlock && !hasHeirs && coverage.covers(table);
    const since = resume === null || (before === null ? coverage.includesNew : isSame && before.exact === true);
    return new SnapshotTable(table, name, model, override, size, fingerprint, finished, covered && since);
  });
  if (order !== 'disabled') {
    const sign = order === 'ascending' ? 1 : -1;
    tables.sort((a, b) => sign * (a.size.rows - b.size.rows));
  }
  const resumed = resume !== null;
  const settings = { threads, multiplier: threadsMultiplier, serverVersion: facts.version, exactlyOnce, resumed };
  const chunks = tables.map((table) => {
    const planned = planChunks(table, settings);
    table.openChunks = planned.length;
    return planned;
  });
  return { tables, storage, columns, chunks: tablePerThread ? chunks : chunks.flat().map((chunk) => [chunk]) };
}
