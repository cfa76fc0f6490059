/** `millrace start`: runs a worker. */
import type { Invocation, VerbSpec } from '@millrace/cli';
import { ENVIRONMENT, WORKER_FILE, WORKER_OPTIONS } from '../worker/worker-options';
import type { BuildWorker } from '../worker/run-worker';

export const command: VerbSpec = {
  name: 'start',
  description: `Run a distributed worker until SIGTERM or SIGINT.

Without a file, it reads worker.properties in the current directory if it exists. ${ENVIRONMENT}
The embedded broker is enabled by bootstrap.servers=embedded.`,
  arguments: [WORKER_FILE],
  options: WORKER_OPTIONS,
  examples: [
    { command: 'start worker.properties', explanation: 'A worker with the settings of a file' },
    { command: 'start worker.properties --port 8084', explanation: 'Another one on this machine' },
  ],
  run,
};

export async function run(invocation: Invocation, buildWorker?: BuildWorker): Promise<number> {
  const { runWorker } = require('../worker/run-worker') as typeof import('../worker/run-worker');
  return await runWorker({ usualFile: 'worker.properties' }, invocation, buildWorker);
}
