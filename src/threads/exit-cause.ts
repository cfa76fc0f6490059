/** Of what a worker thread died. */
export type ThreadDeath =
  | { readonly kind: 'memory' }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'exit'; readonly code: number };

/** @param error what its `error` event said; null: there was none */
export function deathOf(error: unknown, code: number): ThreadDeath {
  if ((error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY') return { kind: 'memory' };
  return error === null ? { kind: 'exit', code } : { kind: 'error', error };
}

/** Ends a sentence. */
export function deathText(death: ThreadDeath): string {
  if (death.kind === 'memory') return 'it ran out of memory';
  if (death.kind === 'exit') return `it ended with exit code ${death.code}`;
  const { error } = death;
  return `it failed with ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
}
