import { Wakeup } from '@millrace/sdk';

const never = new Promise<never>(() => undefined);

test('a wait ends when woken, when its time is over, and when aborted', async () => {
  const wakeup = new Wakeup();
  const woken = wakeup.wait(null);
  wakeup.wake();
  await woken;
  await wakeup.wait(1);
  const abort = new AbortController();
  const aborted = wakeup.wait(null, abort.signal);
  abort.abort();
  await aborted;
  await wakeup.wait(null, abort.signal);
});

test('a wake-up before the wait ends the next wait, and only that one', async () => {
  const wakeup = new Wakeup();
  wakeup.wake();
  await wakeup.wait(null);
  let waiting = true;
  const second = wakeup.wait(null).then(() => (waiting = false));
  await new Promise((resolve) => setImmediate(resolve));
  expect(waiting).toBe(true);
  wakeup.wake();
  await second;
});

test('waitFor settles with the promise or when woken', async () => {
  const wakeup = new Wakeup();
  await wakeup.waitFor(Promise.resolve());
  await expect(wakeup.waitFor(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const woken = wakeup.waitFor(never);
  wakeup.wake();
  await woken;
  wakeup.wake();
  await wakeup.waitFor(never);
});
