/**
 * How a group member reacts to each error code of the group protocol. Pure. Source: connect-runtime §2.6, kafka-client
 * §3.
 */
import type { KafkaErrorCode } from '../errors';

export type Reaction =
  /** Retry at once. */
  | 'retry'
  /** Retry after a backoff. */
  | 'retry-later'
  /** The coordinator moved: look it up, then retry. */
  | 'find-coordinator'
  /** The group is rebalancing: join. */
  | 'rejoin'
  /** The assignment is lost; join under the same member id. */
  | 'reset-generation'
  /** The assignment is lost; join under a new member id. */
  | 'reset-member-id'
  | 'fatal';

const COMMON: Partial<Record<KafkaErrorCode, Reaction>> = {
  COORDINATOR_LOAD_IN_PROGRESS: 'retry-later',
  COORDINATOR_NOT_AVAILABLE: 'find-coordinator',
  NOT_COORDINATOR: 'find-coordinator',
  REQUEST_TIMED_OUT: 'retry-later',
  REBALANCE_IN_PROGRESS: 'rejoin',
  ILLEGAL_GENERATION: 'reset-generation',
  UNKNOWN_MEMBER_ID: 'reset-member-id',
};

export function reactionTo(code: KafkaErrorCode): Reaction {
  return COMMON[code] ?? 'fatal';
}

export function reactionToJoin(code: KafkaErrorCode): Reaction {
  // The response with this error contains the member id to join with (KIP-394).
  if (code === 'MEMBER_ID_REQUIRED') return 'retry';
  return code === 'REBALANCE_IN_PROGRESS' ? 'retry-later' : reactionTo(code);
}
