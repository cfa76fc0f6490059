/** True for errors, also those of another realm: from a module in a sandbox, or copied from another thread. */
export function isErrorLike(error: unknown): error is Error {
  return (
    error instanceof Error ||
    (typeof error === 'object' && error !== null && typeof (error as Error).message === 'string')
  );
}

/** Of an error that has no message but is made of others. */
const MAX_PARTS = 10;
const MAX_DEPTH = 3;

/** The message of a thrown value, without its class: for log lines and errors that quote others. Never throws. */
export function messageOf(error: unknown): string {
  try {
    return messageAt(error, 1);
  } catch {
    return 'the thrown value has no readable message';
  }
}

function messageAt(error: unknown, depth: number): string {
  if (!isErrorLike(error)) return String(error);
  if (error.message !== '') return String(error.message);
  // Node reports a host with several addresses as an AggregateError without a message.
  const { errors, code } = error as { errors?: unknown; code?: unknown };
  const parts = Array.isArray(errors) && depth < MAX_DEPTH ? errors.slice(0, MAX_PARTS) : [];
  return parts.map((part) => messageAt(part, depth + 1)).join('; ') || String(code === undefined ? error.name : code);
}
