/**
 * Which message of its file a record holds: the path of indexes through the messages and those in them. Source: the
 * wire format that Confluent publishes.
 */
import { dataFault, Fault, recordError } from '../faults';
import { MOST_NESTING } from '../limits';
import type { MessageType, ProtoFile } from './proto-model';
import type { WireInput } from '../wire/wire-input';

/** The path of the first message is one byte. */
export const FIRST_MESSAGE = Uint8Array.of(0);

/** Of the file's first message `[0]`, whose path may be written as an empty one. */
export function readIndexes(input: WireInput): readonly number[] {
  const count = input.sint32();
  if (count < 0 || count > MOST_NESTING) throw dataFault('its message indexes are too many');
  if (count === 0) return FIRST;
  const indexes: number[] = [];
  for (let i = 0; i < count; i++) indexes.push(input.sint32());
  return indexes;
}

const FIRST: readonly number[] = [0];

export function messageAt(file: ProtoFile, indexes: readonly number[]): MessageType {
  let messages = file.messages;
  let found: MessageType | undefined;
  for (const index of indexes) {
    found = messages[index];
    if (found === undefined) break;
    messages = found.messages;
  }
  if (found === undefined)
    throw recordError(
      new Fault(`its schema has no message with the indexes ${indexes.join(', ')}`, 'PROTOBUF_DATA'),
      'read',
    );
  return found;
}

export function writtenIndexes(indexes: readonly number[]): Uint8Array {
  if (indexes.length === 1 && indexes[0] === 0) return FIRST_MESSAGE;
  const bytes: number[] = [];
  for (const number of [indexes.length, ...indexes]) {
    let rest = number * 2;
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}
