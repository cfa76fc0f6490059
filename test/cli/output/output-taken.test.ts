import { Writable } from 'node:stream';
import { outputTaken } from '../../../src/cli/end-process';

/** A pipe whose reader takes a part on request. */
class Pipe extends Writable {
  private readonly waiting: ((error?: Error) => void)[] = [];
  override _write(_: unknown, __: string, done: (error?: Error) => void): void {
    this.waiting.push(done);
  }
  take(): void {
    this.waiting.shift()?.();
  }
}

/** Whether the promise is settled once everything that is due has run. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

const never = new AbortController().signal;

test('nothing is written: no wait, and no write', async () => {
  const pipe = new Pipe();
  expect(await isSettled(outputTaken([pipe, pipe], never))).toBe(true);
  expect(pipe.writableLength).toBe(0);
});

test('the end waits for all readers, however long they take', async () => {
  const [out, err] = [new Pipe(), new Pipe()];
  out.write('one');
  out.write('two');
  err.write('three');
  const taken = outputTaken([out, err], never);
  out.take();
  err.take();
  expect(await isSettled(taken)).toBe(false);
  for (let i = 0; i < 3; i++) {
    out.take();
    err.take();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await isSettled(taken)).toBe(true);
});

test('a reader that has closed its end is not waited for', async () => {
  const pipe = new Pipe().on('error', () => undefined);
  pipe.write('one');
  const taken = outputTaken([pipe], never);
  expect(await isSettled(taken)).toBe(false);
  pipe.destroy(new Error('EPIPE'));
  expect(await isSettled(taken)).toBe(true);
});

test('a process that must stop waits for its reader for at most one second', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  try {
    for (const isBefore of [true, false]) {
      const pipe = new Pipe();
      pipe.write('one');
      const forceExit = new AbortController();
      if (isBefore) forceExit.abort();
      const taken = outputTaken([pipe], forceExit.signal);
      forceExit.abort();
      expect(await isSettled(taken)).toBe(false);
      jest.advanceTimersByTime(1000);
      expect(await isSettled(taken)).toBe(true);
    }
  } finally {
    jest.useRealTimers();
  }
});
