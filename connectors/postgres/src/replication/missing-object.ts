/**
 * Slots and publications that do not exist where the stream reads. Servers word this in the language of `lc_messages`,
 * so it is recognized by SQLSTATE and by the source file of the server that reports it.
 */
import { ConnectError } from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import { errorCode, errorText } from '../database/errors';

type Missing = Pick<PostgresConfig, 'slot' | 'publication'>;

/** What the server sends besides the text. */
interface ServerReport {
  readonly code?: string | undefined;
  readonly file?: string | undefined;
  readonly message?: string | undefined;
}

/** UNDEFINED_OBJECT: the slot or the publication. */
export function isMissingObject(error: unknown): boolean {
  return errorCode(error) === '42704';
}

export function missingObject(config: Missing, error: unknown): ConnectError {
  const { slot } = config;
  const { file } = error as ServerReport;
  if (slot.copyOf !== null && file?.startsWith('slot') === true)
    return new ConnectError(
      `Replication slot "${slot.copyOf}", which the preview reads, no longer exists: it was dropped, or ended with its connection. Start the preview again.`,
      { code: 'PG_PREVIEW_ENDED', cause: error, place: { slot: slot.copyOf } },
    );
  // Publications are looked up elsewhere.
  if (file === 'slot.c')
    return new ConnectError(
      `Replication slot "${slot.name}" no longer exists: changes made since it was dropped are lost. Delete the connector's offsets so that it takes a new snapshot, or use snapshot.mode=when_needed.`,
      { code: 'PG_POSITION_LOST', cause: error, place: { slot: slot.name } },
    );
  return missingPublication(config, errorText(error), error);
}

/** PostgreSQL 18 leaves out changes that it decodes without the publication, and only warns of it. */
export function leavesOutChanges({ code, file }: ServerReport): boolean {
  return code === '55000' && file === 'pgoutput.c';
}

export function missingPublication({ slot, publication }: Missing, text: string, cause?: unknown): ConnectError {
  const { name } = publication;
  const cure =
    slot.copyOf === null
      ? "Create it before the slot, then drop the slot and delete the connector's offsets."
      : 'Start the preview again; if it ends in the same way, the connector cannot stream from its slot either.';
  return new ConnectError(
    `${text}: publication "${name}" was dropped, or created after the position at which the slot starts reading. ${cure}`,
    { code: 'PG_PUBLICATION_MISSING', cause, place: { publication: name } },
  );
}
