/**
 * What a group member does about each error code of the group protocol. Pure. Source: connect-runtime 2.6, kafka-client
 * §3.
 */
export type Reaction =
  /** Try again at once. */
  | 'again'
  /** Try again after a pause. */
  | 'later'
  /** The coordinator moved: find it, then try again. */
  | 'find-coordinator'
  /** The group rebalances: join. */
  | 'rejoin'
  /** What was owned is not ours any more; join under the same member id. */
  | 'lost'
  /** The same, under a new member id. */
  | 'lost-identity'
  /** Nothing helps. */
  | 'fatal';

const COMMON: Readonly<Record<string, Reaction>> = {
  COORDINATOR_LOAD_IN_PROGRESS: 'later',
  COORDINATOR_NOT_AVAILABLE: 'find-coordinator',
  NOT_COORDINATOR: 'find-coordinator',
  REQUEST_TIMED_OUT: 'later',
  REBALANCE_IN_PROGRESS: 'rejoin',
  ILLEGAL_GENERATION: 'lost',
  UNKNOWN_MEMBER_ID: 'lost-identity',
};

export function reactionTo(errorName: string): Reaction {
  return COMMON[errorName] ?? 'fatal';
}

export function reactionToJoin(errorName: string): Reaction {
  // A member id is handed out with this error (KIP-394).
  if (errorName === 'MEMBER_ID_REQUIRED') return 'again';
  return errorName === 'REBALANCE_IN_PROGRESS' ? 'later' : reactionTo(errorName);
}
