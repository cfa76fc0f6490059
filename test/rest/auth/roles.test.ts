import { includes, roleOf } from '../../../src/rest/auth/roles';

const RULES = { reader: ['*'], operator: ['claim:ops', 'user:olga'], admin: ['user:alice', 'claim:platform team'] };

test.each([
  [{ user: 'alice', claims: [] }, 'admin'],
  [{ user: 'olga', claims: [] }, 'operator'],
  [{ user: 'bob', claims: ['ops'] }, 'operator'],
  [{ user: 'bob', claims: ['ops', 'platform team'] }, 'admin'],
  [{ user: 'bob', claims: ['admin', 'user:alice', '*'] }, 'reader'],
  [{ user: 'Alice', claims: [] }, 'reader'],
  [{ user: '*', claims: [] }, 'reader'],
])('%j is %s', (identity, role) => {
  expect(roleOf(RULES, identity)).toBe(role);
});

test('without a rule there is no role, and a claim is not a user', () => {
  const rules = { reader: [], operator: [], admin: ['user:alice', 'claim:boss'] };
  expect(roleOf(rules, { user: 'bob', claims: ['alice'] })).toBeNull();
  expect(roleOf(rules, { user: 'boss', claims: [] })).toBeNull();
  expect(roleOf(rules, { user: 'x', claims: ['*'] })).toBeNull();
});

test('each role includes the ones below it', () => {
  expect(includes('admin', 'reader')).toBe(true);
  expect(includes('operator', 'operator')).toBe(true);
  expect(includes('reader', 'operator')).toBe(false);
  expect(includes(null, 'reader')).toBe(false);
});
