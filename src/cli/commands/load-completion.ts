/** Loads what the scripts of `millrace completion` ask. */
export function loadCompletion(): typeof import('../completion/complete') {
  return require('../completion/complete') as typeof import('../completion/complete');
}
