/** Requests between workers that are seen on the network and sent again. */
import type { SignedBody } from '../../../src/cluster/entities';
import {
  internalMark,
  InternalMarks,
  isInternalMark,
  MARK_SECRET,
} from '../../../src/cluster/forwarding/internal-marks';
import { deriveSecret, isSignature, sign } from '../../../src/cluster/forwarding/session-key';

const NOW = 1_800_000_000_000;
const key = { key: Buffer.alloc(32, 7), algorithm: 'HmacSHA256', createdAt: 1000 };
const raw = Buffer.from('[{"topic":"t"}]');
const signature = sign(key, 'HmacSHA256', raw);
const received = (mark: string | null): SignedBody => ({ raw, signature, algorithm: 'HmacSHA256', mark });
const mark = internalMark(key, 'tasks', 'a', signature, NOW);

let required: boolean;
let now: number;
let marks: InternalMarks;
beforeEach(() => {
  required = true;
  now = NOW;
  marks = new InternalMarks(
    () => key,
    () => required,
    () => now,
  );
});
const REPLAYED = { status: 403, message: expect.stringMatching(/^The X-Millrace-Signature header .* was used before/) };
const thrown = (run: () => void): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return null;
};

test('a request is accepted once, but may be verified again', () => {
  const body = received(mark);
  marks.verify('tasks', 'a', body);
  marks.verify('tasks', 'a', body);
  expect(thrown(() => marks.verify('tasks', 'a', received(mark)))).toMatchObject(REPLAYED);
});

test('equal requests of the same millisecond are accepted: tasks of a connector that start together ask for the same', () => {
  const signed = sign(key, 'HmacSHA256', Buffer.alloc(0));
  for (let task = 0; task < 3; task++) {
    const fence = internalMark(key, 'fence', 'a', signed, NOW);
    marks.verify('fence', 'a', { raw: Buffer.alloc(0), signature: signed, algorithm: 'HmacSHA256', mark: fence });
  }
});

test.each<[string, 'tasks' | 'fence', string, SignedBody, number]>([
  ['another connector', 'tasks', 'b', received(mark), 0],
  ['another route', 'fence', 'a', received(mark), 0],
  ['another body', 'tasks', 'a', { ...received(mark), signature: sign(key, 'HmacSHA256', Buffer.from('[]')) }, 0],
  ['more than an hour later', 'tasks', 'a', received(mark), 3_600_001],
  [
    'another key',
    'tasks',
    'a',
    received(internalMark({ ...key, key: Buffer.alloc(32) }, 'tasks', 'a', signature, NOW)),
    0,
  ],
  ['no mark at all', 'tasks', 'a', received('x'), 0],
])('%s: 403', (_case, kind, connector, body, laterMs) => {
  now += laterMs;
  expect(thrown(() => marks.verify(kind, connector, body))).toMatchObject(REPLAYED);
});

test('a request without a mark is accepted in groups with Java workers only', () => {
  const missing =
    'Internal request has no X-Millrace-Signature header, which all workers of this group send with theirs';
  expect(thrown(() => marks.verify('tasks', 'a', received(null)))).toMatchObject({ status: 403, message: missing });
  required = false;
  expect(() => marks.verify('tasks', 'a', received(null))).not.toThrow();
  expect(thrown(() => marks.verify('tasks', 'b', received(mark)))).toMatchObject(REPLAYED);
});

test('headers alone prove the sender', () => {
  const secret = deriveSecret(key, MARK_SECRET);
  expect(isInternalMark(secret, 'tasks', 'a', { mark, signature }, NOW)).toBe(true);
  expect(isInternalMark(secret, 'tasks', 'b', { mark, signature }, NOW)).toBe(false);
  expect(isSignature(signature, 'HmacSHA256')).toBe(true);
  for (const [text, algorithm] of [
    [signature, 'HmacSHA512'],
    [signature, 'Rot13'],
    [signature, null],
    [null, 'HmacSHA256'],
    ['c2ln', 'HmacSHA256'],
    ['x', 'HmacSHA256'],
  ] as const)
    expect([text, algorithm, isSignature(text, algorithm)]).toEqual([text, algorithm, false]);
});
