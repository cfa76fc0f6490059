import { interruptible } from '../../packages/cli/src/interruption';
import { FakeIo } from './fake-io';

test('the first signal stops the work, which then ends as it likes', async () => {
  const io = new FakeIo('/');
  const code = interruptible(io, async ({ stopping, isSignalled }) => {
    const stopped = new Promise((resolve) => stopping.signal.addEventListener('abort', resolve));
    io.signal('SIGINT');
    await stopped;
    return isSignalled() ? 7 : 8;
  });
  expect(await code).toBe(7);
});

test('the second signal does not wait for a server that does not answer', async () => {
  const io = new FakeIo('/');
  const code = interruptible(io, () => new Promise(() => undefined));
  io.signal('SIGINT');
  io.signal('SIGINT');
  expect(await code).toBe(130);
});

test('a command that stops without a signal is not signalled', async () => {
  const code = interruptible(new FakeIo('/'), async ({ stopping, isSignalled }) => {
    stopping.abort();
    return isSignalled() ? 7 : 8;
  });
  expect(await code).toBe(8);
});
