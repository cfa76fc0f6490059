import { generateSessionKey, keyExpiry, sign, verifySignature } from '../../../src/cluster/forwarding/session-key';

const key = { key: Buffer.from(Array.from({ length: 32 }, (_, i) => i)), algorithm: 'HmacSHA256', createdAt: 1000 };
const settings = { algorithm: 'HmacSHA256', size: null, ttlMs: 3_600_000 };
const BODY = Buffer.from(
  '[{"file":"/data/in.txt","task.class":"org.apache.kafka.connect.file.FileStreamSourceTask","topic":"connect-test"}]',
);

test('connect-runtime 50: vectors', () => {
  expect(sign(key, 'HmacSHA256', Buffer.alloc(0))).toBe('04tCCW2A9F+Ca0Sp1WB95ySWpBXT9KGoyI47udqNwcs=');
  expect(sign(key, 'HmacSHA256', BODY)).toBe('HttPRfQuG6dnJICLhVsnIcNO5CoKSkkoJOtMJqTFuig=');
});

describe('connect-runtime 51: verification, in this order', () => {
  const signature = sign(key, 'HmacSHA256', BODY);
  const allowed = ['HmacSHA256'];
  const body = { raw: BODY, signature, algorithm: 'HmacSHA256' };
  const status = (call: () => void): [number, string] => {
    try {
      call();
    } catch (error) {
      return [(error as { status: number }).status, (error as Error).message];
    }
    return [204, ''];
  };
  test('a valid one passes', () => expect(status(() => verifySignature(key, allowed, body))).toEqual([204, '']));
  test.each([
    ['missing signature', null, { ...body, signature: null }, 400, 'Internal request missing required signature'],
    ['missing algorithm', null, { ...body, algorithm: null }, 400, 'Internal request missing required signature'],
    ['unknown algorithm', null, { ...body, algorithm: 'Rot13' }, 400, 'Rot13'],
    ['not base64', null, { ...body, signature: '%%%' }, 400, 'Illegal base64 character 25'],
    ['base64 cut off', null, { ...body, signature: 'AAA' }, 400, 'The signature is not Base64'],
    [
      'algorithm not allowed',
      null,
      { ...body, algorithm: 'HmacSHA512' },
      400,
      "does not support the 'HmacSHA512' key signing",
    ],
    ['no key yet', null, body, 503, 'has not been able to read a session key'],
    ['wrong', key, { ...body, raw: Buffer.from('[]') }, 403, 'Internal request contained invalid signature.'],
  ])('%s', (_, sessionKey, signed, code, text) => {
    const [found, message] = status(() => verifySignature(sessionKey, allowed, signed));
    expect(found).toBe(code);
    expect(message).toContain(text);
  });
});

test('connect-runtime 52 and 53: when the leader writes another key', () => {
  expect(keyExpiry(null, settings)).toBe(-Infinity);
  expect(keyExpiry(key, settings)).toBe(3_601_000);
  expect(keyExpiry(key, { ...settings, ttlMs: 0 })).toBe(Infinity);
  expect(keyExpiry(key, { ...settings, size: 512 })).toBe(-Infinity);
  expect(keyExpiry(key, { ...settings, algorithm: 'HmacSHA512' })).toBe(-Infinity);
  const fresh = generateSessionKey(settings, 7);
  expect(fresh.key).toHaveLength(32);
  expect(fresh).toMatchObject({ algorithm: 'HmacSHA256', createdAt: 7 });
});
