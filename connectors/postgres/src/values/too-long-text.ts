/** Texts that V8 cannot hold: a value of PostgreSQL has up to 1 GB, and its text form may be twice as long. */
import { constants } from 'node:buffer';

/** Characters. */
export const MAX_TEXT_LENGTH = constants.MAX_STRING_LENGTH;

export function isTooLongText(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    (error as NodeJS.ErrnoException).code === 'ERR_STRING_TOO_LONG' ||
    (error instanceof RangeError && error.message === 'Invalid string length')
  );
}
