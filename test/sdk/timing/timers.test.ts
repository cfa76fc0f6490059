import { sleep, startInterval, startTimer, timeoutSignal } from '@millrace/sdk';

/** The maximum of Java's widest integer settings, the maximum of Node.js timers, and sums of settings. */
const LONG = [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 5_000, Number.MAX_SAFE_INTEGER, Infinity];

describe.each(LONG)('a timer of %p ms', (ms) => {
  test('waits, although a timer of Node.js would fire after 1 ms', async () => {
    const fired: string[] = [];
    const abort = new AbortController();
    const timer = startTimer(() => fired.push('timer'), ms);
    const interval = startInterval(() => fired.push('interval'), ms);
    const slept = sleep(ms, abort.signal).then(() => fired.push('sleep'));
    const signal = timeoutSignal(ms);
    // Started later: a timer that fires after 1 ms has fired before it.
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(fired).toEqual([]);
    expect(signal.aborted).toBe(false);
    clearTimeout(timer);
    clearInterval(interval);
    abort.abort();
    await slept;
    expect(fired).toEqual(['sleep']);
  });
});

test('a time that has passed is now, without a warning of Node.js', async () => {
  const started = jest.spyOn(globalThis, 'setTimeout');
  await new Promise<void>((resolve) => startTimer(resolve, -Date.now()));
  expect(started.mock.calls.map(([, ms]) => ms)).toEqual([0]);
  started.mockRestore();
});
