import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, freePorts } from '../../dev/services/free-port';
import { KeptProcess } from '../../dev/services/kept-process';
import { isRunning } from '../helpers/is-running';
import { waitFor } from '../helpers/wait-for';

function keep(script: string): { kept: KeptProcess; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-kept-'));
  return { folder, kept: new KeptProcess({ command: '/bin/sh', args: ['-c', script], folder, signal: 'KILL' }) };
}
test('stop ends the process, removes its folder, resolves to the exit code and may be called twice', async () => {
  const { kept, folder } = keep('echo here; exec sleep 600');
  await waitFor('the process', () => kept.log() === 'here\n');
  // It may have printed before its process id was recorded.
  const pid = await waitFor('its number', () => kept.pid);
  expect(isRunning(pid)).toBe(true);
  const KILLED = 128 + 9;
  expect([await kept.stop(), await kept.stop()]).toEqual([KILLED, KILLED]);
  expect([isRunning(pid), existsSync(folder)]).toEqual([false, false]);
});

test('a process that exits keeps its log and exit code until stop', async () => {
  const { kept, folder } = keep('echo cannot >&2; exit 3');
  expect(await waitFor('the end', () => kept.exitCode)).toBe(3);
  expect(kept.log()).toBe('cannot\n');
  writeFileSync(join(folder, 'left'), '');
  expect(await kept.stop()).toBe(3);
  expect(existsSync(folder)).toBe(false);
});

test('free ports differ, nothing listens on them, and no connection starts at one', async () => {
  const ports = [...(await freePorts(20)), await freePort()];
  expect(new Set(ports).size).toBe(21);
  // Linux gives connections ports from 32768 on, others from 49152 on.
  expect(Math.max(...ports)).toBeLessThan(32_768);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(ports[0], '127.0.0.1', resolve));
  await new Promise((resolve) => server.close(resolve));
});

test('waitFor: an error of the probe ends the wait, a timeout names what was awaited', async () => {
  const broken = () => {
    throw new Error('broken');
  };
  await expect(waitFor('x', broken)).rejects.toThrow('broken');
  await expect(waitFor('the moon', () => false, { timeoutMs: 1, detail: () => 'seen: sun' })).rejects.toThrow(
    'waited 1 ms for the moon\nseen: sun',
  );
});
