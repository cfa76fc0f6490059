/** Differences on purpose; each has a row in docs/compatibility.md. */
import type { Difference } from './differences';

const REASONS: readonly (readonly [why: string, test: (difference: Difference) => boolean])[] = [
  ['Millrace names keys that are likely typing errors or have no effect', ({ path }) => path === 'body.warnings'],
];

/** Why the difference is one on purpose, or null. */
export function explain(difference: Difference): string | null {
  return REASONS.find(([, test]) => test(difference))?.[0] ?? null;
}
