/**
 * `npx millrace dev` where Millrace is installed: npm runs it in a shell that does not pass signals on, and the worker
 * stops with npx anyway.
 */
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../helpers/is-running';
import { waitFor } from '../../helpers/wait-for';
import { ForegroundCommand } from './foreground';
import { Installation, textOf } from './installation';

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(async () => await installation?.remove());

test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('after %s to npx the worker stops in order', async (signal) => {
  const data = mkdtempSync(join(installation.place, 'data-'));
  const options = ['--port', '0', '--broker-port', '0', '--data-dir', data];
  const command = ['npx', 'millrace', 'dev', ...options] as const;
  const npx = new ForegroundCommand(installation, installation.folder, command);
  await npx.prints(/Millrace is ready/);
  const broker = join(data, 'broker.json');
  const { pid } = JSON.parse(textOf(broker)) as { pid: number };
  try {
    // Ctrl-C reaches npm, its shell and the worker. The others reach npm alone.
    if (signal === 'SIGINT') npx.pressCtrlC();
    else process.kill(npx.pid, signal);
    await waitFor('the worker to stop', () => !isRunning(pid), { timeoutMs: 30_000, detail: () => npx.log() });
    // It is removed when the broker closes in order.
    expect(existsSync(broker)).toBe(false);
  } finally {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    npx.kill();
  }
});

test('npm: a worker that a script leaves in the background keeps running', async () => {
  const data = mkdtempSync(join(installation.place, 'data-'));
  const command = `millrace dev --port 0 --broker-port 0 --data-dir ${data} >${data}/log 2>&1 &`;
  const npx = installation.start('npx', ['-c', command]);
  await waitFor('the worker to be ready', () => textOf(join(data, 'log')).includes('Millrace is ready'));
  const { pid } = JSON.parse(textOf(join(data, 'broker.json'))) as { pid: number };
  try {
    await waitFor('npx to exit', () => npx.exitCode === 0);
    expect(isRunning(pid)).toBe(true);
  } finally {
    process.kill(pid, 'SIGTERM');
    await waitFor('the worker to stop', () => !isRunning(pid));
  }
});
