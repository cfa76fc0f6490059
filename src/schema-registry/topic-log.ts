/** The log of the schema registry in a compacted topic. */
import type { RegistryLog } from '@millrace/schema-registry';
import type { CompactedLog } from '../storage/log/compacted-log';
import type { StorageTopic } from '../storage/log/storage-topic';

/** A record has a schema of at most 1 MiB, in which JSON may double each character. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

export const SCHEMAS_TOPIC: StorageTopic = {
  name: '_schemas',
  partitions: 1,
  replicationFactor: 1,
  configs: { 'cleanup.policy': 'compact', 'max.message.bytes': String(MAX_RECORD_BYTES) },
  setting: 'embedded.registry.port',
  purpose: 'schemas',
  singlePartition: true,
};

export function topicLog(log: CompactedLog): RegistryLog {
  return {
    start: async (listener) =>
      await log.start(({ key, value }) => {
        if (key !== null) listener(key.toString('utf8'), value && value.toString('utf8'));
      }),
    append: async (key, value) => {
      await log.write([[Buffer.from(key), value === null ? null : Buffer.from(value)]]);
      await log.readWritten();
    },
    close: async () => await log.stop(),
  };
}
