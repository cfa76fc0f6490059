/** Creates a storage topic, or checks the existing one. Source: connect-runtime §1.2. */
import { ConfigError, sleep as realSleep, messageOf, isRetriable, monotonicNow } from '@millrace/sdk';
import { KafkaError, type Admin } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { StorageTopic } from './storage-topic';

export interface EnsureTopicOptions {
  readonly logger: Logger;
  /** `default.api.timeout.ms`. (Default: 60000) */
  readonly timeoutMs?: number;
  /** `retry.backoff.ms`. (Default: 100) */
  readonly backoffMs?: number;
  readonly now?: () => number;
  readonly sleep?: typeof realSleep;
}

/** The topic may exist already, or the broker may create it: continue. */
const ASSUME_PRESENT = new Set([
  'UNSUPPORTED_VERSION',
  'UNSUPPORTED_VERSION_CLIENT',
  'CLUSTER_AUTHORIZATION_FAILED',
  'TOPIC_AUTHORIZATION_FAILED',
]);
/** Retriable: there are too few replicas while brokers are still joining the cluster. */
const RETRY = new Set(['INVALID_REPLICATION_FACTOR', 'REQUEST_TIMED_OUT', 'REQUEST_TIMED_OUT_CLIENT']);

function codeOf(error: unknown): string {
  return error instanceof KafkaError ? error.code : '';
}

/** True when this call created the topic. */
async function create(admin: Admin, topic: StorageTopic, options: EnsureTopicOptions): Promise<boolean> {
  const { logger, timeoutMs = 60_000, backoffMs = 100, now = monotonicNow, sleep = realSleep } = options;
  const deadline = now() + timeoutMs;
  const { name, partitions, replicationFactor, configs } = topic;
  for (;;) {
    try {
      const created = await admin.createTopics([{ name, partitions, replicationFactor, configs }]);
      return created.includes(name);
    } catch (error) {
      const code = codeOf(error);
      if (ASSUME_PRESENT.has(code)) {
        logger.debug(`Topic ${name} could not be created (${code}); assuming that it exists`);
        return false;
      }
      const canRetry = RETRY.has(code) || isRetriable(error);
      if (!canRetry || now() + backoffMs > deadline)
        throw new ConfigError(
          `Storage topic '${name}' (${topic.setting}) could not be created: ${messageOf(error)}. Check that the brokers are up and that ` +
            `its replication factor, ${replicationFactor}, is not above their number.`,
          { code: 'STORAGE_TOPIC_CREATION', cause: error, place: { topic: name } },
        );
      await sleep(backoffMs);
    }
  }
}

async function checkCleanupPolicy(admin: Admin, topic: StorageTopic, logger: Logger): Promise<void> {
  let found: string | null | undefined;
  try {
    found = (await admin.topicConfig(topic.name))['cleanup.policy'];
  } catch (error) {
    logger.info(`Cannot read the cleanup policy of topic '${topic.name}', skipping the check; it must be 'compact'`, {
      reason: messageOf(error),
    });
    return;
  }
  if (found == null) return;
  const policies = new Set(found.split(',').map((policy) => policy.trim().toLowerCase()));
  if (policies.size === 1 && policies.has('compact')) return;
  throw new ConfigError(
    `Topic '${topic.name}' supplied via the '${topic.setting}' property is required to have 'cleanup.policy=compact' to guarantee ` +
      `consistency and durability of ${topic.purpose}, but found the topic currently has 'cleanup.policy=${found}'. Continuing would ` +
      `likely result in eventually losing ${topic.purpose} and problems restarting this Connect cluster in the future. Change the ` +
      `'${topic.setting}' property in the Connect worker configurations to use a topic with 'cleanup.policy=compact'.`,
    { code: 'STORAGE_TOPIC_CLEANUP_POLICY', place: { topic: topic.name } },
  );
}

/** True when this call created the topic. Throws ConfigError if it cannot be used as this storage topic. */
export async function ensureTopic(admin: Admin, topic: StorageTopic, options: EnsureTopicOptions): Promise<boolean> {
  if (topic.name.trim() === '')
    throw new ConfigError(`The setting '${topic.setting}' must name a topic.`, { code: 'STORAGE_TOPIC_NAME' });
  if (await create(admin, topic, options)) {
    options.logger.info(`Created storage topic '${topic.name}'`, { partitions: topic.partitions });
    return true;
  }
  await checkCleanupPolicy(admin, topic, options.logger);
  return false;
}

/** The config topic's records must be totally ordered. */
export function checkSinglePartition(topic: StorageTopic, found: number): void {
  if (!topic.singlePartition || found === 1) return;
  throw new ConfigError(
    `Topic '${topic.name}' supplied via the '${topic.setting}' property is required to have a single partition in order to guarantee ` +
      `consistency of ${topic.purpose}, but found ${found} partitions.`,
    { code: 'STORAGE_TOPIC_PARTITIONS', place: { topic: topic.name, partitions: found } },
  );
}
