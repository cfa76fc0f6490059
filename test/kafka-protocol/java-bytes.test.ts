/**
 * The client and the embedded broker share the declarations, so tests of one on the other cannot find a wrong one.
 * These tests compare them with the bytes that Java writes, recorded by dev/record-kafka-protocol.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode, Reader, Writer } from '@millrace/kafka-protocol';
import { MESSAGES } from '../golden/kafka-protocol/messages';

const BYTES = JSON.parse(
  readFileSync(join(__dirname, '..', 'golden', 'kafka-protocol', 'bytes.json'), 'utf8'),
) as Readonly<Record<string, string>>;
const known = MESSAGES.filter(({ name }) => name in BYTES);

test('every message without nulls is recorded, in every version', () => {
  expect(Object.keys(BYTES)).toEqual(known.map(({ name }) => name));
  expect(MESSAGES.filter(({ name, hasNull }) => !hasNull && !(name in BYTES))).toEqual([]);
});

test.each(known)('kafka-client 4: $name has the bytes of Java', ({ name, api, version, direction, fields }) => {
  const to = new Writer();
  encode(api, direction, version, fields, to);
  expect(to.toBuffer().toString('hex')).toBe(BYTES[name]);
});

test.each(known)(
  'kafka-client 4: $name is read from the bytes of Java',
  ({ name, api, version, direction, fields }) => {
    const from = new Reader(Buffer.from(BYTES[name]!, 'hex'));
    const message = decode(api, direction, version, from);
    expect(from.remaining).toBe(0);
    expect(message).toMatchObject(fields);
  },
);
