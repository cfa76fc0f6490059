/** What the leader does before tasks of a connector start with exactly-once. Pure. Source: connect-runtime §3.9. */
type FencingDecision =
  /** All earlier tasks have been fenced. */
  | { readonly kind: 'none' }
  /** Write a task count record. */
  | { readonly kind: 'record'; readonly tasks: number }
  /** Fence the first `fenced` transactional ids of the connector, then write a task count record. */
  | { readonly kind: 'fence'; readonly fenced: number; readonly tasks: number };

export interface FencingSituation {
  /** The last commit record follows the last task count record. */
  readonly pending: boolean;
  /** Of the last task count record; null: there is none. */
  readonly recorded: number | null;
  /** Current number of tasks. */
  readonly tasks: number;
}

export function fencingDecision({ pending, recorded, tasks }: FencingSituation): FencingDecision {
  if (!pending) return { kind: 'none' };
  // No task has used a transactional id. A single task fences its predecessor, whose id it takes, by itself.
  if (recorded === null || (recorded === 1 && tasks === 1)) return { kind: 'record', tasks };
  return { kind: 'fence', fenced: recorded, tasks };
}
