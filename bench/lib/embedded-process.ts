/** Runs the built embedded broker in a separate process, on a data folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(__dirname, '..', '..');
const PROGRAM = `
  const { startEmbeddedBroker } = require(process.argv[1]);
  const { options } = JSON.parse(process.argv[2]);
  const { monitorEventLoopDelay } = require('node:perf_hooks');
  const began = performance.now();
  startEmbeddedBroker({ log: () => {}, ...options }).then((broker) => {
    console.log(JSON.stringify({ port: broker.port, ms: performance.now() - began }));
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    process.stdin.on('data', () => {
      console.log(JSON.stringify({ p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 }));
      delay.reset();
    });
    process.stdin.on('end', () => broker.stop().then(() => process.exit()));
  });
`;

export interface EmbeddedProcess {
  readonly pid: number;
  readonly bootstrapServers: string;
  /** Milliseconds from the call until the broker listened, without the start of the process. */
  readonly startMs: number;
  /** Event loop delay since the last call, in milliseconds. */
  loopDelay(): Promise<{ readonly p99: number; readonly max: number }>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/**
 * @param options those of startEmbeddedBroker
 * @param preload a file of this folder that the process loads first, with these variables
 */
export async function startEmbedded(
  options: object,
  preload?: { readonly file: string; readonly env: Readonly<Record<string, string>> },
): Promise<EmbeddedProcess> {
  const first = preload ? ['-r', join(ROOT, 'dev', 'register.js'), '-r', join(__dirname, preload.file)] : [];
  const args = [...first, '-e', PROGRAM, join(ROOT, 'packages', 'embedded'), JSON.stringify({ options })];
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...preload?.env },
  });
  const lines = createInterface({ input: child.stdout });
  const answer = async () => JSON.parse(((await once(lines, 'line')) as [string])[0]) as Record<string, number>;
  const exited = once(child, 'exit');
  const { port, ms } = await answer();
  return {
    pid: child.pid as number,
    bootstrapServers: `127.0.0.1:${port}`,
    startMs: ms as number,
    loopDelay: async () => {
      child.stdin.write('\n');
      return (await answer()) as { p99: number; max: number };
    },
    stop: async () => {
      child.stdin.end();
      await exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
