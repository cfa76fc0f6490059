import { LeaderPrivileges } from '../../../src/cluster/tick/leader-privileges';
import { silentLogger } from '../../../src/logging/logger';

interface Given {
  readonly privileges: LeaderPrivileges;
  readonly membership: { isLeader: boolean; generation: number };
  readonly configs: { isTransactional: boolean; canWriteAsLeader: boolean; failures: number };
  readonly calls: string[];
}

function create(isTransactional = true): Given {
  const calls: string[] = [];
  const membership = { isLeader: false, generation: 1 };
  const configs = {
    isTransactional,
    canWriteAsLeader: !isTransactional,
    failures: 0,
    claimTransactions: async (): Promise<void> => {
      calls.push('claim');
      if (configs.failures-- > 0) throw new Error('no coordinator');
      configs.canWriteAsLeader = true;
    },
    relinquishTransactions: async (): Promise<void> => {
      calls.push('relinquish');
      configs.canWriteAsLeader = false;
    },
  };
  const privileges = new LeaderPrivileges({
    configs,
    membership,
    readTimeoutMs: 1_000,
    signal: new AbortController().signal,
    logger: silentLogger,
  });
  return { privileges, membership, configs, calls };
}

test('connect-runtime §1.4.7: only a leader claims, once per generation, and a follower relinquishes', async () => {
  const { privileges, membership, calls } = create();
  expect([privileges.areMissing, await privileges.keep()]).toEqual([false, true]);
  membership.isLeader = true;
  expect([privileges.areMissing, await privileges.keep(), privileges.areMissing]).toEqual([true, true, false]);
  await privileges.keep();
  expect(calls).toEqual(['claim']);
  membership.generation = 3;
  await privileges.keep();
  membership.isLeader = false;
  await privileges.keep();
  await privileges.keep();
  expect(calls).toEqual(['claim', 'claim', 'relinquish']);
});

test('connect-runtime 88: a fenced leader claims again, with a pause of 250 ms between failures', async () => {
  jest.useFakeTimers();
  try {
    const { privileges, membership, configs, calls } = create();
    membership.isLeader = true;
    await privileges.keep();
    configs.canWriteAsLeader = false;
    configs.failures = 1;
    expect(privileges.areMissing).toBe(true);
    const kept: boolean[] = [];
    const keeping = privileges.keep().then((value) => kept.push(value));
    await jest.advanceTimersByTimeAsync(249);
    expect(kept).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    await keeping;
    expect([kept, privileges.areMissing]).toEqual([[false], true]);
    expect(await privileges.keep()).toBe(true);
    expect(calls).toEqual(['claim', 'claim', 'claim']);
  } finally {
    jest.useRealTimers();
  }
});

test('without transactions nothing is claimed', async () => {
  const { privileges, membership, calls } = create(false);
  membership.isLeader = true;
  expect([privileges.areMissing, await privileges.keep()]).toEqual([false, true]);
  expect(calls).toEqual([]);
});
