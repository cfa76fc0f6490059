/** Decimals as bytes, at the limits of each length. */
import { unscaledBytes, unscaledOf } from '@millrace/sdk';

test.each([
  [0n, '00'],
  [1n, '01'],
  [127n, '7f'],
  [128n, '0080'],
  [255n, '00ff'],
  [256n, '0100'],
  [-128n, '80'],
  [-129n, 'ff7f'],
  [-1n, 'ff'],
])('%s has the bytes of BigInteger.toByteArray', (value, hex) => {
  expect(unscaledBytes(value).toString('hex')).toBe(hex);
});

test('each length has its limits', () => {
  for (let length = 1; length <= 20; length++) {
    const limit = 2n ** BigInt(8 * length - 1);
    for (const value of [limit - 1n, -limit]) {
      const bytes = unscaledBytes(value);
      expect(bytes).toHaveLength(length);
      expect(unscaledOf(bytes, 0, length)).toBe(value);
    }
    for (const value of [limit, -limit - 1n]) expect(unscaledBytes(value)).toHaveLength(length + 1);
  }
  expect(unscaledOf(Buffer.alloc(0), 0, 0)).toBe(0n);
});
