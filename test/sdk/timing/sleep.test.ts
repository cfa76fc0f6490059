import { sleep, unlessAborted } from '@millrace/sdk';

test('a sleep ends when its time is over, or without an error when aborted', async () => {
  await sleep(1);
  const abort = new AbortController();
  const sleeping = sleep(1e9, abort.signal);
  abort.abort();
  await sleeping;
  await sleep(1e9, abort.signal);
});

test('unlessAborted settles with the work, or with the reason of the abort', async () => {
  const abort = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), abort.signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error('failed')), abort.signal)).rejects.toThrow('failed');
  const pending = unlessAborted(new Promise(() => undefined), abort.signal);
  abort.abort(new Error('stopped'));
  await expect(pending).rejects.toThrow('stopped');
  await expect(unlessAborted(Promise.resolve(1), abort.signal)).rejects.toThrow('stopped');
});
