/**
 * The stop-watch of a newcomer: from the start of `millrace dev --seed` in an empty folder to the first change event in
 * the file. `npm run bench -- first-event [RUNS]` (Default: 5). PostgreSQL is on the machine or in node_modules.
 */
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptProcess } from '../dev/services/kept-process';
import { ROOT } from '../dev/services/paths';
import { waitFor } from '../dev/services/wait-for';
import { benchmark, figure, heading, median, whole } from './lib/report';

const RUNS = Number(process.argv[2] ?? 5);

async function firstEvent(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-first-event-'));
  const data = mkdtempSync(join(tmpdir(), 'millrace-first-event-data-'));
  chmodSync(data, 0o755);
  const began = performance.now();
  const worker = new KeptProcess({
    command: process.execPath,
    args: [join(ROOT, 'dist', 'main.js'), 'dev', '--seed', '--port', '0', '--broker-port', '0', '--data-dir', data],
    folder,
    signal: 'TERM',
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  const hasEvent = (): boolean => (statSync(join(data, 'todos.txt'), { throwIfNoEntry: false })?.size ?? 0) > 0;
  try {
    await waitFor('the first event', hasEvent, { everyMs: 5, detail: () => worker.log() });
    return performance.now() - began;
  } finally {
    await worker.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

benchmark(async () => {
  heading('millrace dev --seed, from an empty folder to the first event');
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push(await firstEvent());
  figure('first event', `${whole(median(times))} ms`, '≤ 20,000 ms');
  figure('slowest', `${whole(Math.max(...times))} ms`);
});
