/** Start-up of commands, with a scripted REST API. `npm run bench -- cli-start [RUNS]` (Default: 20) */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT } from '../dev/services/paths';
import { benchmark, figure, heading, median, whole } from './lib/report';

const RUNS = Number(process.argv[2] ?? 20);
const AIM = '≤ 150 ms';

benchmark(async (atEnd) => {
  const server = createServer((_, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => new Promise((resolve) => server.close(resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** Milliseconds until the process has ended. */
  async function time(...args: string[]): Promise<number> {
    const began = performance.now();
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: process.env.PATH, MILLRACE_URL: url, MILLRACE_CONTEXTS: '/nowhere' },
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`${args.join(' ')} ended with exit code ${String(code)}.`);
    return performance.now() - began;
  }

  async function measure(name: string, aim: string, ...args: string[]): Promise<void> {
    const times: number[] = [];
    for (let i = 0; i < RUNS; i++) times.push(await time(...args));
    figure(name, `${whole(median(times))} ms`, aim);
  }

  heading(`Start of commands, median of ${RUNS}`);
  await measure('node alone', '', '-e', '0');
  const main = join(ROOT, 'dist', 'main.js');
  for (const args of [['--help'], ['get', 'connectors'], ['apply', '--help']])
    await measure(`millrace ${args.join(' ')}`, AIM, main, ...args);
});
