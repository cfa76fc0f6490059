/**
 * `millrace dev`: a worker with a broker of its own, for a machine that has Node and nothing else. Settings of one's
 * own are laid over these.
 */
import type { CliIo } from './io';
import { runWorker, type BuildWorker } from './start';

const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter';

export const DEV_DEFAULTS: Readonly<Record<string, string>> = {
  'bootstrap.servers': 'embedded',
  'group.id': 'millrace-dev',
  'config.storage.topic': 'millrace-dev-configs',
  'offset.storage.topic': 'millrace-dev-offsets',
  'status.storage.topic': 'millrace-dev-status',
  // 1 with the embedded broker; a cluster that is named instead knows better.
  'config.storage.replication.factor': '-1',
  'offset.storage.replication.factor': '-1',
  'status.storage.replication.factor': '-1',
  'key.converter': JSON_CONVERTER,
  'value.converter': JSON_CONVERTER,
  listeners: 'http://127.0.0.1:8083',
  'offset.flush.interval.ms': '10000',
  // Whoever ends a worker here wants to see its tasks move, not to wait for it to come back.
  'scheduled.rebalance.max.delay.ms': '0',
};

export async function dev(args: readonly string[], io: CliIo, buildWorker?: BuildWorker): Promise<number> {
  return await runWorker({ verb: 'dev', args, defaults: DEV_DEFAULTS }, io, buildWorker);
}
