/** Creation and verification of request signatures. */
import crypto from 'node:crypto';
import { sign, signatureProblem, type SignedRequest } from '../../../../apps/slash-image/src/function/signature';
import { SECRET, VECTORS } from '../command';

const NOW_S = 1_700_000_000;
const BODY = Buffer.from('command=%2Fawsome&text=cat&user_id=U1');
const rules = (nowS = NOW_S, secrets = [SECRET]) => ({ secrets, maxAgeS: 300, nowMs: nowS * 1000 });
const signed = (timestamp = String(NOW_S), secret = SECRET): SignedRequest => ({
  timestamp,
  signature: sign(secret, timestamp, BODY),
  body: BODY,
});

describe.each(VECTORS)('slash-webhook 1: vector of %s at %s', (secret, timestamp, text, signature) => {
  const body = Buffer.from(text);
  const at = rules(Number(timestamp), [secret]);

  test('signs and verifies as published', () => {
    expect(sign(secret, timestamp, body)).toBe(signature);
    expect(signatureProblem({ timestamp, signature, body }, at)).toBeNull();
  });

  test('any change invalidates it', () => {
    for (const i of [0, body.length >> 1, body.length - 1]) {
      const changed = Buffer.from(body);
      changed[i] = (changed[i] as number) ^ 1;
      expect(signatureProblem({ timestamp, signature, body: changed }, at)).toBe('wrong signature');
    }
    const digit = signature.endsWith('0') ? '1' : '0';
    const flipped = signature.slice(0, -1) + digit;
    expect(signatureProblem({ timestamp, signature: flipped, body }, at)).toBe('wrong signature');
    const later = String(Number(timestamp) + 1);
    expect(signatureProblem({ timestamp: later, signature, body }, at)).toBe('wrong signature');
  });
});

test.each([
  ['v1 of a scheme that is not there', (s: string) => s.replace('v0=', 'v1=')],
  ['upper case', (s: string) => s.toUpperCase().replace('V0', 'v0')],
  ['63 digits', (s: string) => s.slice(0, -1)],
  ['65 digits', (s: string) => `${s}0`],
  ['nothing', () => ''],
  ['two joined by a comma', (s: string) => `${s},${s}`],
  ['a line end behind it', (s: string) => `${s}\n`],
])('slash-webhook 7: a signature of %s is malformed', (_, change) => {
  const request = signed();
  const signature = change(request.signature as string);
  expect(signatureProblem({ ...request, signature }, rules())).toBe('malformed signature');
});

test.each([
  [300, null],
  [301, 'timestamp too old'],
  [-300, null],
  [-301, 'timestamp in the future'],
])('slash-webhook 8: a request that is %d s old: %p', (age, problem) => {
  expect(signatureProblem(signed(String(NOW_S - age)), rules())).toBe(problem);
});

test.each(['abc', '-5', '1e9', '', '1700000000 ', '1700000000.0', '0x6553f100', '1700000000000'])(
  'slash-webhook 8: the timestamp %p is malformed, even with a valid signature',
  (timestamp) => {
    expect(signatureProblem(signed(timestamp), rules())).toBe('malformed timestamp');
  },
);

test('slash-webhook 9: the timestamp is signed as it is written, not as a number', () => {
  const request = signed('01700000000');
  expect(signatureProblem(request, rules())).toBeNull();
  expect(signatureProblem({ ...request, timestamp: '1700000000' }, rules())).toBe('wrong signature');
});

test('slash-webhook 11: either of two secrets is accepted', () => {
  for (const secret of [SECRET, 'the-next-secret'])
    expect(signatureProblem(signed(undefined, secret), rules(NOW_S, [SECRET, 'the-next-secret']))).toBeNull();
  expect(signatureProblem(signed(undefined, 'neither'), rules(NOW_S, [SECRET, 'the-next-secret']))).toBe(
    'wrong signature',
  );
});

test('slash-webhook 37: digests are compared in constant time, and have one length', () => {
  const compare = jest.spyOn(crypto, 'timingSafeEqual');
  signatureProblem(signed(), rules(NOW_S, ['a', SECRET, 'b']));
  signatureProblem({ ...signed(), signature: `v0=${'0'.repeat(64)}` }, rules());
  // Every secret is tried, even after a match.
  expect(compare).toHaveBeenCalledTimes(4);
  for (const [a, b] of compare.mock.calls) expect([a.byteLength, b.byteLength]).toEqual([32, 32]);
  compare.mockRestore();
});
