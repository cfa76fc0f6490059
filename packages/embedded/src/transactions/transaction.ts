/**
 * The life of a transactional id as pure decisions: a state and a request make the next state, or an error code.
 * Kafka's own rules.
 */
import type { TopicPartition } from '../partitions';
import { ErrorCode } from '../protocol/errors';

export const TRANSACTION_STATES = [
  'Empty',
  'Ongoing',
  'PrepareCommit',
  'PrepareAbort',
  'CompleteCommit',
  'CompleteAbort',
] as const;
export type TransactionState = (typeof TRANSACTION_STATES)[number];

export interface ProducerIdentity {
  readonly producerId: number;
  readonly epoch: number;
}

/** Everything a restart needs. */
export interface Transaction extends ProducerIdentity {
  readonly state: TransactionState;
  /** Who asked for the present epoch, so that the question may be repeated. Null: nobody may. */
  readonly previous: ProducerIdentity | null;
  readonly timeoutMs: number;
  /** Milliseconds; of the transaction that goes on. */
  readonly startedAt: number;
  readonly partitions: readonly TopicPartition[];
  /** Groups whose offsets are part of it. */
  readonly groups: readonly string[];
}

type Decision = Transaction | number;

/** 32767 is kept for fencing a producer for the last time. */
const LAST_EPOCH = 32_766;

export const isPreparing = ({ state }: Transaction): boolean => state === 'PrepareCommit' || state === 'PrepareAbort';

export function newTransaction(producerId: number, timeoutMs: number): Transaction {
  return {
    producerId,
    epoch: 0,
    state: 'Empty',
    previous: null,
    timeoutMs,
    startedAt: -1,
    partitions: [],
    groups: [],
  };
}

/**
 * A producer starts, or starts anew after an error. `abort`: what its predecessor left open must be aborted first;
 * `new-id`: its id has used up its epochs; an unchanged transaction: the question was asked before.
 * @param expected what the producer had until now; null: it is a new process and whoever was before is fenced.
 */
export function initProducer(
  now: Transaction,
  timeoutMs: number,
  expected: ProducerIdentity | null,
): Decision | 'abort' | 'new-id' {
  if (expected !== null && now.previous !== null && isSame(expected, now.previous)) return now;
  if (expected !== null && !isSame(expected, now)) return ErrorCode.PRODUCER_FENCED;
  if (isPreparing(now)) return ErrorCode.CONCURRENT_TRANSACTIONS;
  if (now.state === 'Ongoing') return 'abort';
  if (now.epoch >= LAST_EPOCH) return 'new-id';
  return { ...now, epoch: now.epoch + 1, state: 'Empty', previous: expected, timeoutMs };
}

/** Partitions and groups join the transaction, which begins with the first of them. */
export function enlarge(
  now: Transaction,
  who: ProducerIdentity,
  more: { partitions?: readonly TopicPartition[]; groups?: readonly string[] },
  at: number,
): Decision {
  const refused = checkProducer(now, who);
  if (refused !== ErrorCode.NONE) return refused;
  if (isPreparing(now)) return ErrorCode.CONCURRENT_TRANSACTIONS;
  const ongoing = now.state === 'Ongoing';
  const partitions = (more.partitions ?? []).filter((each) => !takesPart(now, each));
  const groups = (more.groups ?? []).filter((id) => !now.groups.includes(id));
  if (ongoing && partitions.length === 0 && groups.length === 0) return now;
  return {
    ...now,
    state: 'Ongoing',
    startedAt: ongoing ? now.startedAt : at,
    partitions: [...now.partitions, ...partitions],
    groups: [...now.groups, ...groups],
  };
}

/** An unchanged transaction: it has ended so before, and the answer was lost. */
export function end(now: Transaction, who: ProducerIdentity, committed: boolean): Decision {
  const refused = checkProducer(now, who);
  if (refused !== ErrorCode.NONE) return refused;
  if (now.state === 'Ongoing') return { ...now, state: committed ? 'PrepareCommit' : 'PrepareAbort' };
  if (now.state === (committed ? 'CompleteCommit' : 'CompleteAbort')) return now;
  if (now.state === (committed ? 'PrepareCommit' : 'PrepareAbort')) return ErrorCode.CONCURRENT_TRANSACTIONS;
  return ErrorCode.INVALID_TXN_STATE;
}

/** The producer is slow or replaced: the next epoch aborts its transaction and shuts it out. */
export function fence(now: Transaction): Transaction {
  return { ...now, epoch: now.epoch + 1, previous: null, state: 'PrepareAbort' };
}

export function complete(now: Transaction): Transaction {
  const state = now.state === 'PrepareCommit' ? 'CompleteCommit' : 'CompleteAbort';
  return { ...now, state, startedAt: -1, partitions: [], groups: [] };
}

export function takesPart({ partitions }: Transaction, { topic, partition }: TopicPartition): boolean {
  return partitions.some((each) => each.partition === partition && each.topic === topic);
}

function checkProducer(now: Transaction, who: ProducerIdentity): number {
  if (now.producerId !== who.producerId) return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
  return now.epoch === who.epoch ? ErrorCode.NONE : ErrorCode.PRODUCER_FENCED;
}

const isSame = (a: ProducerIdentity, b: ProducerIdentity): boolean =>
  a.producerId === b.producerId && a.epoch === b.epoch;
