/**
 * Where reading resumes, by `auto.offset.reset`, when the log does not contain the position. Moves the position; the
 * caller logs or throws the result.
 */
import { placeOf, type OffsetReset } from './auto-offset-reset';
import { KafkaError } from '../errors';
import type { FetchedPartition } from './fetched-partition';
import { partitionName } from '../protocol/offset-lookup';
import { protocolError } from '../protocol/protocol-error';

/** The line to log, or the error to throw. */
export type RecoveryResult = { readonly level: 'info' | 'warn'; readonly text: string } | KafkaError;

export function recoverMissingOffset(state: FetchedPartition, offset: number, reset: OffsetReset): RecoveryResult {
  if (reset === 'none')
    return protocolError(1, `fetch ${partitionName(state)} at offset ${offset} (auto.offset.reset is none)`, state);
  state.resetTo(reset);
  return {
    level: 'info',
    text: `Offset ${offset} of ${partitionName(state)} is out of range, resetting to ${placeOf(reset)}`,
  };
}

/**
 * After the topic was created again: all its records are newer than those that were read, so the first is the next one,
 * also for `latest`.
 */
export function recoverRecreated(state: FetchedPartition, reset: OffsetReset): RecoveryResult {
  const { topic, partition, position } = state;
  const text = `Topic '${topic}' was deleted and created again: offset ${position} of ${partitionName(state)} is one of the old topic`;
  if (reset === 'none') {
    const error = `${text}, and auto.offset.reset is none`;
    return new KafkaError('TOPIC_CREATED_AGAIN', error, { topic, partition });
  }
  state.resetTo('earliest');
  state.topicId = undefined;
  return { level: 'warn', text: `${text}; reading the new topic from its first record` };
}

/**
 * After an unclean election the log of the new leader lacks records that were read.
 * @param cut the offset from which on the logs differ, see `findTruncated`.
 * @returns null when only the read-ahead is affected, which is fetched again.
 */
export function recoverTruncated(
  state: FetchedPartition,
  cut: number | 'unknown',
  reset: OffsetReset,
): RecoveryResult | null {
  const { topic, partition, position } = state;
  if (cut !== 'unknown' && (position as number) <= cut) {
    state.release();
    return null;
  }
  const text = `The log of the new leader of ${partitionName(state)} lacks records before offset ${position} that were already read`;
  if (reset === 'none')
    return new KafkaError('LOG_TRUNCATED', `${text}, and auto.offset.reset is none`, { topic, partition });
  if (cut === 'unknown') {
    state.resetTo(reset);
    return { level: 'warn', text: `${text}: resetting to ${placeOf(reset)}` };
  }
  state.seek(cut);
  return { level: 'warn', text: `${text}: resuming from offset ${cut}, where the logs differ` };
}
