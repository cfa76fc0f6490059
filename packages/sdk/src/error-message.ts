/** True for errors, also those of another realm: from a module in a sandbox, or copied from another thread. */
export function isErrorLike(error: unknown): error is Error {
  return (
    error instanceof Error ||
    (typeof error === 'object' && error !== null && typeof (error as Error).message === 'string')
  );
}

/** The message of a thrown value, without its class: for log lines and errors that quote others. */
export function messageOf(error: unknown): string {
  if (!isErrorLike(error)) return String(error);
  if (error.message !== '') return error.message;
  // Node reports a host with several addresses as an AggregateError without a message.
  const { errors, code } = error as { errors?: unknown; code?: unknown };
  const parts = Array.isArray(errors) ? errors.map(messageOf) : [];
  return parts.join('; ') || (code === undefined ? error.name : String(code));
}
