/** `millrace dev`: a worker with an embedded broker, which needs only Node. The user's settings override these. */
import { logFormat } from '../logging/format-line';
import type { Invocation } from './program/command-spec';
import { createDevWorker } from './dev/dev-worker';
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

export async function run(invocation: Invocation, buildWorker: BuildWorker = loadAndBuildWorker): Promise<number> {
  return await runWorker({ defaults: DEV_DEFAULTS }, invocation, (setup, io) =>
    createDevWorker(
      buildWorker(setup, io),
      { dataDir: setup.embedded?.dataDir ?? null, format: logFormat(io.env) },
      io,
    ),
  );
}
