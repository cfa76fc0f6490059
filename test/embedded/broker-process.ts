/** A broker in a process of its own, for tests that kill it or look at its memory. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { EmbeddedBrokerOptions } from '../../packages/embedded/src/broker';
import { linesOf } from '../helpers/lines-of';

/** Prints its port, then for each line that it is given how many bytes it holds. */
const PROGRAM = `
  const { startEmbeddedBroker } = require('./packages/embedded/src/broker.ts');
  const held = (before) => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    const now = heapUsed + external;
    if (now < before) setImmediate(held, now);
    else console.log(before);
  };
  process.stdin.on('data', () => held(Infinity));
  process.stdin.on('end', () => process.exit());
  startEmbeddedBroker({ ...JSON.parse(process.argv[1]), log: () => {} }).then((broker) => console.log(broker.port));
`;

export interface BrokerProcess {
  readonly process: ChildProcess;
  readonly port: number;
  /**
   * Of heap and buffers, after as many garbage collections as free something: V8 counts the buffers of one as free only
   * during the next, and returns free memory to the system at any later time.
   */
  heldBytes(): Promise<number>;
  /** Kills it. */
  stop(): Promise<void>;
}

export async function startBrokerProcess(options: EmbeddedBrokerOptions): Promise<BrokerProcess> {
  const child = spawn(
    process.execPath,
    ['--expose-gc', '-r', './dev/register.js', '-e', PROGRAM, JSON.stringify(options)],
    {
      cwd: join(__dirname, '..', '..'),
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const line = linesOf(child.stdout);
  const number = async (): Promise<number> => Number(await line());
  return {
    process: child,
    port: await number(),
    heldBytes: async () => {
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
