/** State transitions of a transactional id as pure functions: they return the next state or an error code. */
import type { TopicPartition } from '../partitions';
import { ErrorCode } from '../protocol/errors';
import type { ProducerTrace } from './producer-traces';

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

/** The stored state of a transactional id. */
export interface Transaction extends ProducerIdentity {
  readonly state: TransactionState;
  /** The producer that requested the current epoch, so that it can repeat the request. Null: none can. */
  readonly previous: ProducerIdentity | null;
  readonly timeoutMs: number;
  /** Start of the ongoing transaction, milliseconds; -1 if there is none. */
  readonly startedAt: number;
  readonly partitions: readonly TopicPartition[];
  /** Groups whose offsets are part of the transaction. */
  readonly groups: readonly string[];
}

type Decision = Transaction | number;

/** The highest epoch, 32767, is reserved for fencing. */
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
 * A producer starts, or restarts after an error. `abort`: the open transaction must be aborted first. `new-id`: the
 * epochs of the producer id are used up. An unchanged transaction: the request is a repetition.
 * @param expected the producer's previous identity; null: a new process, which fences the previous producer
 */
export function initProducer(
  current: Transaction,
  timeoutMs: number,
  expected: ProducerIdentity | null,
): Decision | 'abort' | 'new-id' {
  if (expected !== null && current.previous !== null && isSame(expected, current.previous)) return current;
  if (expected !== null && !isSame(expected, current)) return ErrorCode.PRODUCER_FENCED;
  if (isPreparing(current)) return ErrorCode.CONCURRENT_TRANSACTIONS;
  if (current.state === 'Ongoing') return 'abort';
  if (current.epoch >= LAST_EPOCH) return 'new-id';
  return { ...current, epoch: current.epoch + 1, state: 'Empty', previous: expected, timeoutMs };
}

/** Adds partitions and groups to the transaction, and begins it if necessary. */
export function add(
  current: Transaction,
  producer: ProducerIdentity,
  more: { partitions?: readonly TopicPartition[]; groups?: readonly string[] },
  at: number,
): Decision {
  const error = checkProducer(current, producer);
  if (error !== ErrorCode.NONE) return error;
  if (isPreparing(current)) return ErrorCode.CONCURRENT_TRANSACTIONS;
  const ongoing = current.state === 'Ongoing';
  const partitions = (more.partitions ?? []).filter((each) => !includesPartition(current, each));
  const groups = (more.groups ?? []).filter((id) => !current.groups.includes(id));
  if (ongoing && partitions.length === 0 && groups.length === 0) return current;
  return {
    ...current,
    state: 'Ongoing',
    startedAt: ongoing ? current.startedAt : at,
    partitions: [...current.partitions, ...partitions],
    groups: [...current.groups, ...groups],
  };
}

/** Returns the transaction unchanged if it has already ended this way and the response was lost. */
export function end(current: Transaction, producer: ProducerIdentity, committed: boolean): Decision {
  const error = checkProducer(current, producer);
  if (error !== ErrorCode.NONE) return error;
  if (current.state === 'Ongoing') return { ...current, state: committed ? 'PrepareCommit' : 'PrepareAbort' };
  if (current.state === (committed ? 'CompleteCommit' : 'CompleteAbort')) return current;
  if (current.state === (committed ? 'PrepareCommit' : 'PrepareAbort')) return ErrorCode.CONCURRENT_TRANSACTIONS;
  return ErrorCode.INVALID_TXN_STATE;
}

/** Fences a timed-out or replaced producer: raises the epoch and aborts the transaction. */
export function fence(current: Transaction): Transaction {
  return { ...current, epoch: current.epoch + 1, previous: null, state: 'PrepareAbort' };
}

export function complete(current: Transaction): Transaction {
  const state = current.state === 'PrepareCommit' ? 'CompleteCommit' : 'CompleteAbort';
  return { ...current, state, startedAt: -1, partitions: [], groups: [] };
}

/**
 * The stored state with what partitions and groups have of the producer. An epoch that they have is not used again. If
 * they show that the stored state is not the last one, the transaction is aborted: how it ended is unknown.
 */
export function recover(stored: Transaction, trace: ProducerTrace): Transaction {
  const partitions = trace.partitions.filter((at) => !includesPartition(stored, at));
  const groups = trace.groups.filter((id) => !stored.groups.includes(id));
  const isOutdated = trace.epoch > stored.epoch;
  const wasOpen = stored.state === 'Ongoing' || isPreparing(stored);
  const current = isOutdated ? { ...stored, epoch: trace.epoch, previous: null } : stored;
  if (partitions.length + groups.length === 0 && !(isOutdated && wasOpen)) return current;
  return {
    ...fence(current),
    partitions: [...stored.partitions, ...partitions],
    groups: [...stored.groups, ...groups],
  };
}

export function includesPartition({ partitions }: Transaction, { topic, partition }: TopicPartition): boolean {
  return partitions.some((each) => each.partition === partition && each.topic === topic);
}

function checkProducer(current: Transaction, producer: ProducerIdentity): number {
  if (current.producerId !== producer.producerId) return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
  return current.epoch === producer.epoch ? ErrorCode.NONE : ErrorCode.PRODUCER_FENCED;
}

const isSame = (a: ProducerIdentity, b: ProducerIdentity): boolean =>
  a.producerId === b.producerId && a.epoch === b.epoch;
