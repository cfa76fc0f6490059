/** Tables whose lock another session holds, as an ALTER TABLE does: a snapshot reads the other tables meanwhile. */
import { errorText } from '../database/errors';
import type { Session } from '../session';
import type { Chunk, SnapshotTable } from './chunk';

/** Those that hold it or wait for it. */
const HOLDERS = `
  SELECT DISTINCT pid FROM pg_locks
  WHERE locktype = 'relation' AND relation = $1::oid AND mode = 'AccessExclusiveLock' ORDER BY pid`;

export class LockedTables {
  private readonly reported = new Set<SnapshotTable>();

  constructor(private readonly session: Pick<Session, 'general' | 'logger'>) {}

  /** Warns once for each table. */
  async report(table: SnapshotTable): Promise<void> {
    if (this.reported.has(table)) return;
    this.reported.add(table);
    const holders = await this.holders(table);
    const by = holders === '' ? '' : ` (process ${holders})`;
    this.session.logger.warn(
      `Table ${table.name} is locked by another session${by}: the snapshot reads the other tables first, then waits for it.`,
    );
  }

  private async holders({ table }: SnapshotTable): Promise<string> {
    const { general, logger } = this.session;
    try {
      const { rows } = await (await general.get()).query(HOLDERS, [String(table.oid)]);
      return (rows as { pid: number }[]).map(({ pid }) => pid).join(', ');
    } catch (error) {
      logger.debug(`The sessions that hold a lock could not be read: ${errorText(error)}`);
      return '';
    }
  }
}

/**
 * What is left to read when the table of `postponed` is locked: all its chunks last, in their order. Pure.
 * @param waiting the chunks of an entry are read by one connection
 */
export function afterOthers(waiting: readonly Chunk[][], postponed: Chunk[]): Chunk[][] {
  const isSame = ([chunk]: Chunk[]): boolean => chunk?.table === postponed[0]?.table;
  return [...waiting.filter((entry) => !isSame(entry)), postponed, ...waiting.filter(isSame)];
}
