import { ConnectError } from '@millrace/sdk';

/** `millrace dev --seed` has no database. */
export function postgresError(message: string, cause?: unknown): ConnectError {
  return new ConnectError(message, { code: 'DEV_POSTGRES', cause });
}
