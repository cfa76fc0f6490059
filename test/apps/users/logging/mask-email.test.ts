import { maskEmail } from '../../../../apps/users/src/logging/log';

test.each([
  ['alice@example.com', 'a***@example.com'],
  ['a@b@c.com', 'a***@c.com'],
  ['😀b@c', '😀***@c'],
  ['no-address', '***'],
  ['@b', '***'],
])('%s is logged as %s', (email, masked) => {
  expect(maskEmail(email)).toBe(masked);
});
