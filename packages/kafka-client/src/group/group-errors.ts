/**
 * How a group member reacts to each error code of the group protocol, and how it reports one of a join. Pure. Source:
 * connect-runtime §2.6, kafka-client §3.
 */
import { KafkaError, type KafkaErrorCode } from '../errors';
import { errorName, protocolError } from '../protocol/protocol-error';

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

/** Why the coordinator refused a join. Kafka's own text does not say that the group id belongs to others. */
export function joinError(errorCode: number, groupId: string, protocolType: string): KafkaError {
  const error = protocolError(errorCode, `join group '${groupId}'`);
  if (errorName(errorCode) !== 'INCONSISTENT_GROUP_PROTOCOL') return error;
  // Workers always have a protocol in common; consumers may differ in their assignors.
  return protocolType === 'connect'
    ? new KafkaError(
        'GROUP_TYPE',
        `group.id '${groupId}' is used by a consumer group or by other clients that are not Connect workers: ` +
          `set another group.id on all workers of this cluster, or stop those clients`,
        { cause: error },
      )
    : new KafkaError(
        error.code,
        `Consumer group '${groupId}' is used by Connect workers or other clients, or by consumers without a common ` +
          `partition.assignment.strategy: set another group id (a sink's consumer.override.group.id), or their strategy`,
        { cause: error },
      );
}
