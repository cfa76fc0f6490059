import {
  misses,
  RecentTransactions,
  visibility,
} from '../../../../connectors/postgres/src/replication/recent-transactions';

test('the last ids, without the oldest', () => {
  const recent = new RecentTransactions(3);
  expect([...recent.copy()]).toEqual([]);
  for (const xid of [1, 2, 3, 4_294_967_295]) recent.add(xid);
  expect([...recent.copy()].sort()).toEqual([2, 3, 4_294_967_295]);
});

test('cdc-postgres 104: transactions in progress and later ones, also where ids wrap around', () => {
  const missed = (snapshot: string, xids: number[]): number[] => xids.filter(misses(snapshot));
  expect(missed('10:20:12,15', [9, 10, 12, 13, 15, 19, 20, 21])).toEqual([12, 15, 20, 21]);
  expect(missed('10:20:', [9, 19])).toEqual([]);
  // 4294967300 is the fourth id of the second epoch.
  expect(missed('4294967290:4294967300:4294967295', [4_294_967_290, 4_294_967_295, 3, 4, 5])).toEqual([
    4_294_967_295, 4, 5,
  ]);
});

test('cdc-postgres 104: on a server in recovery it is not known which transactions were in progress', () => {
  const known = (inRecovery: boolean): [boolean, boolean][] => {
    const { contains, misses: missed } = visibility('4294967290:4294967300:', inRecovery);
    return [4_294_967_289, 4_294_967_290, 4].map((xid) => [contains(xid), missed(xid)]);
  };
  expect(known(false)).toEqual([
    [true, false],
    [true, false],
    [false, true],
  ]);
  expect(known(true)).toEqual([
    [true, false],
    [false, false],
    [false, true],
  ]);
});
