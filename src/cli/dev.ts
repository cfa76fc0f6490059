/** `millrace dev`: a worker with an embedded broker, which needs only Node. The user's settings override these. */
import { resolve } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import { DEFAULT_DATA_DIR } from '../config/embedded-broker';
import { logFormat } from '../logging/format-line';
import type { Invocation } from './program/command-spec';
import { DEV_DEFAULTS } from './worker/command-config';
import { createDevWorker } from './dev/dev-worker';
import type * as RunSql from './dev/run-sql';
import type { CliIo } from './io';
import { readConfig, workerOptions, type WorkerSetup } from './worker/read-config';
import { loadAndBuildWorker, runWorker, type BuildWorker } from './start';

/** Default of `--timeout`; `--help` names it. */
const SQL_TIMEOUT_S = 60;

interface DevFlags {
  readonly seed?: boolean;
  readonly sql?: string;
  readonly timeout?: number;
}

export async function run(invocation: Invocation, buildWorker: BuildWorker = loadAndBuildWorker): Promise<number> {
  const { seed = false, sql, timeout } = invocation.options as DevFlags;
  if (sql !== undefined) return await runStatement(sql, timeout ?? SQL_TIMEOUT_S, invocation);
  if (timeout !== undefined)
    throw new ConnectError('--timeout limits the statement of --sql: pass both.', { code: 'CLI_USAGE' });
  return await runWorker({ defaults: DEV_DEFAULTS }, invocation, (setup, io) => {
    const options = { dataDir: setup.embedded?.dataDir ?? null, format: logFormat(io.env) };
    return createDevWorker(buildWorker(setup, io), { ...options, seed: seed ? seedFolder(setup, io) : null }, io);
  });
}

async function runStatement(
  statement: string,
  timeoutSeconds: number,
  { args, options, io }: Invocation,
): Promise<number> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { runSql } = require('./dev/run-sql') as typeof RunSql;
  const setup = await readConfig({ defaults: DEV_DEFAULTS, given: workerOptions(args[0], options) }, io);
  return await runSql(statement, { dataDir: seedFolder(setup, io).dataDir, timeoutSeconds }, io);
}

function seedFolder({ embedded }: WorkerSetup, { cwd }: CliIo): { dataDir: string; isDefault: boolean } {
  const usual = resolve(cwd, DEFAULT_DATA_DIR);
  const dataDir = embedded?.dataDir ?? usual;
  return { dataDir, isDefault: dataDir === usual };
}
