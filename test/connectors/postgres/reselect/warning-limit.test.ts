import { WarningLimit } from '../../../../connectors/postgres/src/reselect/warning-limit';

test('a subject has one warning a minute, with the number of those suppressed', () => {
  const limit = new WarningLimit<string>();
  expect([limit.pass('a', 0), limit.pass('a', 1), limit.pass('a', 59_999), limit.pass('b', 2)]).toEqual([
    0,
    null,
    null,
    0,
  ]);
  expect([limit.pass('a', 60_000), limit.pass('a', 60_001), limit.pass('a', 120_000)]).toEqual([2, null, 1]);
});
