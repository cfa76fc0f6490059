/**
 * Where reading goes on when the log does not have a position, by `auto.offset.reset`. Moves the state; the caller logs
 * and fails.
 */
import { placeOf, type OffsetReset } from './auto-offset-reset';
import { KafkaError } from '../errors';
import type { FetchedPartition } from './fetched-partition';
import { nameOf } from '../protocol/offset-lookup';
import { protocolError } from '../protocol/protocol-error';

/** What to say: an error when nothing may be done about it. */
export type Said = { readonly level: 'info' | 'warn'; readonly text: string } | KafkaError;

export function leaveMissingOffset(state: FetchedPartition, offset: number, reset: OffsetReset): Said {
  if (reset === 'none')
    return protocolError(1, `fetch ${nameOf(state)} at offset ${offset} (auto.offset.reset is none)`, state);
  state.lose(reset);
  return { level: 'info', text: `Offset ${offset} of ${nameOf(state)} is out of range, going to ${placeOf(reset)}` };
}

/**
 * An unclean election has cut off what was read from the leader before. @param cut from where on, see `findTruncated`.
 * Null: only what was read ahead, and is fetched again.
 */
export function leaveTruncated(state: FetchedPartition, cut: number | 'unknown', reset: OffsetReset): Said | null {
  const { topic, partition, position } = state;
  if (cut !== 'unknown' && (position as number) <= cut) {
    state.release();
    return null;
  }
  const text = `What was read of ${nameOf(state)} up to offset ${position} is not in the log of its new leader`;
  if (reset === 'none')
    return new KafkaError('LOG_TRUNCATED', `${text}, and auto.offset.reset is none`, { topic, partition });
  if (cut === 'unknown') {
    state.lose(reset);
    return { level: 'warn', text: `${text}: reading goes to ${placeOf(reset)}` };
  }
  state.seek(cut);
  return { level: 'warn', text: `${text}: reading goes on from offset ${cut}, where the two differ` };
}
