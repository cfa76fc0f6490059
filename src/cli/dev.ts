/** `millrace dev`: a worker with an embedded broker, which needs only Node. The user's settings override these. */
import { resolve } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import { DEFAULT_DATA_DIR } from '../config/embedded-broker';
import { logFormat } from '../logging/format-line';
import type { Invocation } from './program/command-spec';
import { createDevWorker } from './dev/dev-worker';
import type * as RunSql from './dev/run-sql';
import type { CliIo } from './io';
import { readConfig, type WorkerSetup } from './read-config';
import { workerOptions } from './worker-options';
import { loadAndBuildWorker, runWorker, type BuildWorker } from './start';

const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter';

export const DEV_DEFAULTS: Readonly<Record<string, string>> = {
  'bootstrap.servers': 'embedded',
  'group.id': 'millrace-dev',
  'config.storage.topic': 'millrace-dev-configs',
  'offset.storage.topic': 'millrace-dev-offsets',
  'status.storage.topic': 'millrace-dev-status',
  // The broker's default: 1 with the embedded broker.
  'config.storage.replication.factor': '-1',
  'offset.storage.replication.factor': '-1',
  'status.storage.replication.factor': '-1',
  'key.converter': JSON_CONVERTER,
  'value.converter': JSON_CONVERTER,
  listeners: 'http://127.0.0.1:8083',
  'offset.flush.interval.ms': '10000',
  'plugin.watch': 'true',
  // When a worker stops, its tasks move at once instead of waiting for it to return.
  'scheduled.rebalance.max.delay.ms': '0',
};

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
