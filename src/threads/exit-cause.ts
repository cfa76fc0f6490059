/** Why a worker thread exited. */
type ExitCause =
  | { readonly kind: 'memory' }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'exit'; readonly code: number };

/** @param error from its `error` event; null: none */
export function exitCauseOf(error: unknown, code: number): ExitCause {
  if ((error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY') return { kind: 'memory' };
  return error === null ? { kind: 'exit', code } : { kind: 'error', error };
}

/** Ends a sentence. */
export function exitText(cause: ExitCause): string {
  if (cause.kind === 'memory') return 'it ran out of memory';
  if (cause.kind === 'exit') return `it exited with code ${cause.code}`;
  const { error } = cause;
  return `it failed with ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
}
