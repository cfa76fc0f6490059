import type { CommandSpec } from '../program/command-spec';
import { ENVIRONMENT, WORKER_FILE, WORKER_OPTIONS } from './worker-options';

export const command: CommandSpec = {
  name: 'dev',
  summary: 'run a worker with an embedded Kafka broker, for first runs',
  description: `Run a worker with an embedded Kafka broker, for first runs. It needs no file, Kafka or Java.

A second worker with the same data folder uses the same broker. The broker is for one machine, not for production.

${ENVIRONMENT}`,
  arguments: [WORKER_FILE],
  options: [
    ...WORKER_OPTIONS,
    {
      flags: '--plugin <folder>',
      description: 'add a plugin, or a folder of plugins, to plugin.path; can be repeated',
      parse: (folder, previous) => [...((previous as readonly string[] | undefined) ?? []), folder],
      completes: 'files',
    },
  ],
  examples: [
    { command: 'dev', explanation: 'A worker on port 8083 and a broker on port 9092' },
    { command: 'dev --plugin ./my-plugin', explanation: 'Reload a plugin whenever its files change' },
    { command: 'dev --port 8084', explanation: 'Another worker that joins the broker of the first' },
  ],
  load: () => require('../dev') as typeof import('../dev'),
};
