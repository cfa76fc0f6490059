/** When answers are verified: how often, after what, and what is kept meanwhile. */
import { ConfigError, RetriableError } from '@millrace/sdk';
import type { Finding, VerifiedLease } from '../../../../connectors/converters-schema-registry/src/registry/lease';
import { Verifier } from '../../../../connectors/converters-schema-registry/src/registry/verifier';

const MINUTE = 60_000;

let verifier: Verifier;
let checked: string[];
let answer: (name: string) => Promise<Finding>;
beforeEach(() => {
  jest.useFakeTimers();
  verifier = new Verifier();
  checked = [];
  answer = () => Promise.resolve('same');
});
afterEach(() => jest.useRealTimers());

function lease(name: string): VerifiedLease {
  return verifier.lease(() => {
    checked.push(name);
    return answer(name);
  });
}

function used(name: string): VerifiedLease {
  const made = lease(name);
  made.use();
  return made;
}

/** What was checked meanwhile. */
async function after(ms: number): Promise<string[]> {
  checked = [];
  await jest.advanceTimersByTimeAsync(ms);
  return checked;
}

test('after five minutes, those that were used are checked, one after the other', async () => {
  let isAsking = false;
  answer = async () => {
    expect(isAsking).toBe(false);
    isAsking = true;
    await Promise.resolve();
    isAsking = false;
    return 'same';
  };
  lease('never used');
  const one = used('one');
  used('two');
  expect(one.isUsed).toBe(true);
  expect(await after(5 * MINUTE - 1)).toEqual([]);
  expect(await after(1)).toEqual(['one', 'two']);
  expect(one).toMatchObject({ isUsed: false, finding: 'same' });
});

test('without uses there is no timer', async () => {
  used('one');
  expect(jest.getTimerCount()).toBe(1);
  await after(5 * MINUTE);
  expect(jest.getTimerCount()).toBe(0);
  verifier.suspect();
  expect(jest.getTimerCount()).toBe(0);
});

test('those used again are checked again; those that were idle are at their next use', async () => {
  const [one, two] = [used('one'), used('two')];
  await after(5 * MINUTE);
  one.use();
  expect(await after(5 * MINUTE)).toEqual(['one']);
  two.use();
  expect(two.isUsed).toBe(true);
  expect(await after(0)).toEqual([]);
  expect(await after(5_000)).toEqual(['two']);
});

test('those that would be due soon are checked in the same round, newer ones later', async () => {
  used('one');
  await after(2 * MINUTE);
  used('two');
  await after(2 * MINUTE);
  used('three');
  expect(await after(MINUTE)).toEqual(['one', 'two']);
  expect(await after(4 * MINUTE)).toEqual(['three']);
});

test('a use during the check counts for the next one', async () => {
  let finish!: (finding: Finding) => void;
  answer = () => new Promise((resolve) => (finish = resolve));
  const one = used('one');
  await after(5 * MINUTE);
  one.use();
  finish('same');
  expect(await after(5 * MINUTE - 1)).toEqual([]);
  expect(one.isUsed).toBe(true);
  expect(await after(1)).toEqual(['one']);
});

test('what is gone or another is not used any longer', async () => {
  const [one, two] = [used('one'), used('two')];
  answer = (name) => Promise.resolve(name === 'one' ? 'gone' : 'other');
  await after(5 * MINUTE);
  one.use();
  two.use();
  expect([one, two]).toMatchObject([
    { isUsed: false, finding: 'gone' },
    { isUsed: false, finding: 'other' },
  ]);
  // The registry may be restored. Of another answer there is another lease.
  answer = () => Promise.resolve('same');
  await after(5 * MINUTE);
  expect([one, two]).toMatchObject([{ finding: 'same' }, { finding: 'other' }]);
});

test('while the registry is away, the answers hold; all are checked once it is back', async () => {
  const [one, two] = [used('one'), used('two')];
  answer = (name) => (name === 'two' ? Promise.reject(new RetriableError('away')) : Promise.resolve('same'));
  expect(await after(5 * MINUTE)).toEqual(['one', 'two']);
  for (let i = 0; i < 3; i++) {
    two.use();
    expect(two.isUsed).toBe(true);
    expect(await after(4_999)).toEqual([]);
    expect(await after(1)).toEqual(['two']);
  }
  // Nobody uses them: nobody asks.
  expect(await after(60 * MINUTE)).toEqual([]);
  answer = () => Promise.resolve('other');
  two.use();
  one.use();
  expect(await after(5_000)).toEqual(['two', 'one']);
  expect([one.finding, two.finding]).toEqual(['other', 'other']);
});

test('a refusal of one is none of the others, and says nothing', async () => {
  const [one, two] = [used('one'), used('two')];
  answer = (name) => (name === 'one' ? Promise.reject(new ConfigError('denied')) : Promise.resolve('other'));
  expect(await after(5 * MINUTE)).toEqual(['one', 'two']);
  expect([one.finding, two.finding]).toEqual(['same', 'other']);
  one.use();
  expect(await after(5 * MINUTE - 1)).toEqual([]);
});

test('a registry that comes back is asked at once, also for what was idle', async () => {
  const idle = used('idle');
  await after(5 * MINUTE);
  used('one');
  await after(MINUTE);
  verifier.suspect();
  expect(await after(0)).toEqual(['one']);
  idle.use();
  expect(await after(5_000)).toEqual(['idle']);
  idle.use();
  expect(await after(4 * MINUTE)).toEqual([]);
});

test('a registry that comes and goes is asked every five seconds at most', async () => {
  const one = used('one');
  await after(MINUTE);
  let rounds = 0;
  for (let ms = 0; ms < MINUTE - 100; ms += 100) {
    verifier.suspect();
    one.use();
    rounds += (await after(100)).length;
  }
  expect(rounds).toBe(12);
});

test('those used last are kept, within bounds', async () => {
  const leases = Array.from({ length: 10_001 }, (_, i) => used(String(i)));
  expect(leases.map(({ isUsed }) => isUsed).indexOf(true)).toBe(1);
  expect(await after(5 * MINUTE)).toHaveLength(10_000);
});
