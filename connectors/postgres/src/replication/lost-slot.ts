import type { PostgresConfig } from '../config/postgres-config';
import type { ConnectError } from '@millrace/sdk';
import { errorCode, errorText } from '../database/errors';
import type { GeneralConnection } from '../database/general-connection';
import { findSlot, lostSlot } from './slot';

/** Source files of the server that read the WAL; others report 58P01 for a library that is missing. */
const READS_WAL: ReadonlySet<string | undefined> = new Set(['walsender.c', 'xlogreader.c', 'xlogutils.c']);

/**
 * The error of a slot whose WAL the server has removed, or null. The state of the slot decides: the text of the error
 * differs between versions and is in the language of `lc_messages`.
 */
export async function lostSlotError(
  config: PostgresConfig,
  general: Pick<GeneralConnection, 'get'>,
  error: unknown,
): Promise<ConnectError | null> {
  const code = errorCode(error);
  const isWalGone = code === '58P01' && READS_WAL.has((error as { file?: string }).file);
  if (code !== '55000' && !isWalGone) return null;
  const slot = await general
    .get()
    .then((client) => findSlot(client, config.slot.name))
    .catch(() => null);
  const reason = slot?.lostBecause ?? (isWalGone ? errorText(error) : null);
  return reason === null ? null : lostSlot(config, reason, error);
}
