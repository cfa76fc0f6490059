/** `offset.mismatch.strategy=trust_offset`: moves a slot to the stored position. */
import type { Logger } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import { errorText } from '../database/errors';
import { formatLsn } from '../database/lsn';
import { startLsn, type StoredOffset } from '../replication/position';
import type { SlotState } from '../replication/slot';

/** The stream starts at the stored position also where this fails, so that is only logged. */
export async function advanceSlot(
  client: Client,
  { name, mismatch }: Pick<PostgresConfig['slot'], 'name' | 'mismatch'>,
  stored: StoredOffset,
  slot: SlotState | null,
  logger: Logger,
): Promise<void> {
  const from = slot?.confirmedFlushLsn ?? null;
  if (mismatch !== 'trust_offset' || stored.kind !== 'position' || from === null) return;
  const to = startLsn(stored.position);
  if (from >= to) return;
  try {
    await client.query('SELECT pg_replication_slot_advance($1, $2::pg_lsn)', [name, formatLsn(to)]);
    logger.info(`Advanced replication slot "${name}" from ${formatLsn(from)} to the stored offset, ${formatLsn(to)}.`);
  } catch (error) {
    logger.warn(`Replication slot "${name}" could not be advanced to the stored offset: ${errorText(error)}.`);
  }
}
