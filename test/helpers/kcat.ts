/** An independent Kafka client. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const brokers = (): string[] => ['-b', process.env.BOOTSTRAP_SERVERS ?? ''];

/** Otherwise it fails after 5 s without an answer. */
const PATIENT = ['-m', '120'];

/** For tests that need kcat: skipped where it is not installed. */
export const testWithKcat = spawnSync('kcat', ['-V']).status === 0 ? test : test.skip;

/** kcat's output for partition 0, from its beginning to its end, in the format of `args`. */
export async function kcatRead(topic: string, ...args: string[]): Promise<string[]> {
  const plain = [...PATIENT, '-C', '-t', topic, '-p', '0', '-o', 'beginning', '-e', '-q', '-X', 'check.crcs=true'];
  const { stdout } = await run('kcat', [...brokers(), ...plain, ...args], { maxBuffer: 2 ** 28 });
  return stdout.split('\n').slice(0, -1);
}

export async function kcatWrite(topic: string, codec: string, values: readonly string[]): Promise<void> {
  const done = run('kcat', [...brokers(), ...PATIENT, '-P', '-t', topic, '-p', '0', '-z', codec]);
  done.child.stdin!.end(values.join('\n') + '\n');
  await done;
}
