import { settledWithin, withDeadline } from '@millrace/sdk';

const never = new Promise<never>(() => undefined);
const tooLate = (): Error => new Error('too late');

test('work that settles in time decides', async () => {
  expect(await withDeadline(Promise.resolve(1), 10_000, tooLate)).toBe(1);
  await expect(withDeadline(Promise.reject(new Error('failed')), 10_000, tooLate)).rejects.toThrow('failed');
  expect(await settledWithin(Promise.resolve(1), 10_000, 'late')).toBe(1);
  await expect(settledWithin(Promise.reject(new Error('failed')), 10_000, 'late')).rejects.toThrow('failed');
});

test('work that does not settle in time is an error, or the fallback', async () => {
  await expect(withDeadline(never, 1, tooLate)).rejects.toThrow('too late');
  expect(await settledWithin(never, 1, 'late')).toBe('late');
});

test('a later rejection is not unhandled', async () => {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', listener);
  let reject: (error: Error) => void = () => undefined;
  const work = new Promise<never>((_, fail) => (reject = fail));
  expect(await settledWithin(work, 1, 'late')).toBe('late');
  reject(new Error('after the deadline'));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', listener);
  expect(unhandled).toEqual([]);
});
