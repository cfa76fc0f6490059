/** A broker in a process of its own, for tests that kill it or look at its memory. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { EmbeddedBrokerOptions } from '../../packages/embedded/src/broker';
import { linesOf } from '../helpers/lines-of';

/** Says its port, then how many bytes are resident for each line it is given. */
const PROGRAM = `
  const { startEmbeddedBroker } = require('./packages/embedded/src/broker.ts');
  process.stdin.on('data', () => console.log(process.memoryUsage.rss()));
  process.stdin.on('end', () => process.exit());
  startEmbeddedBroker({ ...JSON.parse(process.argv[1]), log: () => {} }).then((broker) => console.log(broker.port));
`;

export interface BrokerProcess {
  readonly process: ChildProcess;
  readonly port: number;
  residentBytes(): Promise<number>;
  /** Kills it. */
  stop(): Promise<void>;
}

export async function startBrokerProcess(options: EmbeddedBrokerOptions): Promise<BrokerProcess> {
  const child = spawn(process.execPath, ['-r', './dev/register.js', '-e', PROGRAM, JSON.stringify(options)], {
    cwd: join(__dirname, '..', '..'),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const line = linesOf(child.stdout);
  const number = async (): Promise<number> => Number(await line());
  return {
    process: child,
    port: await number(),
    residentBytes: async () => {
      child.stdin.write('\n');
      return number();
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
