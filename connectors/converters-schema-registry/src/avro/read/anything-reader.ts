/** Values without a schema, from the record that AvroConverter has for them. */
import { setMember } from '@millrace/sdk';
import type { ByteInput } from './byte-input';

/** In the order of the record's members. */
const READERS: readonly ((input: ByteInput) => unknown)[] = [
  (input) => input.boolean(),
  (input) => input.binary(),
  (input) => input.double(),
  (input) => input.float(),
  (input) => input.int(),
  (input) => input.long(),
  (input) => input.string(),
  readList,
  readEntries,
];

/** The first member that is not null; null if there is none. */
export function readAnything(input: ByteInput): unknown {
  input.enter(1);
  let found: unknown = null;
  for (const read of READERS) {
    const value = input.branch(2) === 0 ? null : read(input);
    found ??= value;
  }
  input.leave(1);
  return found;
}

function readList(input: ByteInput): unknown[] {
  const list: unknown[] = [];
  for (let count = input.block(); count > 0; count = input.block())
    for (let i = 0; i < count; i++) list.push(readAnything(input));
  return list;
}

/** An object, as the JSON converter reads them; a Map if a key is no string. */
function readEntries(input: ByteInput): unknown {
  const entries: [unknown, unknown][] = [];
  let isObject = true;
  for (let count = input.block(); count > 0; count = input.block()) {
    for (let i = 0; i < count; i++) {
      const key = readAnything(input);
      isObject &&= typeof key === 'string';
      entries.push([key, readAnything(input)]);
    }
  }
  if (!isObject) return new Map(entries);
  const object: Record<string, unknown> = {};
  for (const [key, value] of entries) setMember(object, key as string, value);
  return object;
}
