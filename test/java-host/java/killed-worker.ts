/** Plays a worker that has started a JVM: prints the number of its process and its folder, then waits to be killed. */
import { dirname } from 'node:path';
import { JvmSupervisor } from '../../../packages/java-host/src/jvm/jvm-supervisor';
import { MemoryLog, SETTINGS } from '../jvm/fake-jvms';

const [, , location = '', jar = ''] = process.argv;
const log = new MemoryLog();
const supervisor = new JvmSupervisor({ settings: SETTINGS, log });

async function main(): Promise<void> {
  const { socketPath } = await supervisor.grant({ location, classPath: [jar] });
  const { message } = await log.line('process ');
  console.log(JSON.stringify({ pid: Number(/process (\d+)/.exec(message)?.[1]), folder: dirname(socketPath) }));
  process.stdin.resume();
}
void main();
