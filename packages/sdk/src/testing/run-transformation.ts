/** Runs a transformation or a predicate on records, as a sink task does. */
import type { ConnectorConfig } from '../config-def';
import type { Logger } from '../logger';
import type { SinkRecord } from '../record';
import type { PredicatePlugin, TransformationPlugin } from '../transformation';
import { completeRecord, type PutRecord } from './complete-record';
import { checkConfig } from './config-check';
import { MemoryLogger } from './memory-logger';

/**
 * Resolves with the result for each record; null: dropped. Rejects with the first problem of the config, with an error
 * of `configure` or `apply`, and with a TypeError if a record is modified in place.
 * @param logger receives the log lines. (Default: they are discarded)
 */
export async function runTransformation(
  plugin: TransformationPlugin,
  config: ConnectorConfig,
  records: readonly PutRecord[],
  logger: Logger = new MemoryLogger(),
): Promise<(SinkRecord | null)[]> {
  await acceptable(plugin, config);
  const transformation = plugin.create();
  transformation.configure(config, { logger });
  try {
    return frozen(records).map((record) => transformation.apply(record));
  } finally {
    transformation.close?.();
  }
}

/** Resolves with the predicate's result for each record. Rejects as `runTransformation` does. */
export async function runPredicate(
  plugin: PredicatePlugin,
  config: ConnectorConfig,
  records: readonly PutRecord[],
  logger: Logger = new MemoryLogger(),
): Promise<boolean[]> {
  await acceptable(plugin, config);
  const predicate = plugin.create();
  predicate.configure(config, { logger });
  try {
    return frozen(records).map((record) => predicate.test(record));
  } finally {
    predicate.close?.();
  }
}

async function acceptable(plugin: TransformationPlugin | PredicatePlugin, config: ConnectorConfig): Promise<void> {
  const [problem] = await checkConfig(plugin, config);
  if (problem) throw new TypeError(problem.message);
}

function frozen(records: readonly PutRecord[]): SinkRecord[] {
  return records.map((record, offset) => deeplyFrozen(completeRecord(record, 'test', () => offset)));
}

function deeplyFrozen<T>(value: T): T {
  const plain = Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]';
  if (!plain) return value;
  for (const member of Object.values(value as object)) deeplyFrozen(member);
  return Object.freeze(value);
}
