/** A topic: its configs, parsed for the data path, and the logs of its partitions. */
import type { LogSettings } from '../log/log-settings';
import type { PartitionLog } from '../log/partition-log';
import { listOf, TOPIC_CONFIGS } from './config-definitions';

export interface Topic {
  readonly name: string;
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** Explicitly set configs; the others have their defaults. */
  configs: ReadonlyMap<string, string>;
  settings: LogSettings;
  /** By partition index. */
  readonly partitions: PartitionLog[];
}

const DEFAULTS = new Map(TOPIC_CONFIGS.map((definition) => [definition.name, definition.default]));

export function readSettings(configs: ReadonlyMap<string, string>): LogSettings {
  const text = (name: string): string => configs.get(name) ?? DEFAULTS.get(name)!;
  const number = (name: string): number => Number(text(name));
  const limit = (name: string): number => (number(name) < 0 ? Infinity : number(name));
  const policies = listOf(text('cleanup.policy'));
  return {
    compact: policies.includes('compact'),
    delete: policies.includes('delete'),
    deleteRetentionMs: number('delete.retention.ms'),
    logAppendTime: text('message.timestamp.type') === 'LogAppendTime',
    maxCompactionLagMs: number('max.compaction.lag.ms'),
    maxMessageBytes: number('max.message.bytes'),
    minCompactionLagMs: number('min.compaction.lag.ms'),
    minCleanableDirtyRatio: number('min.cleanable.dirty.ratio'),
    minInsyncReplicas: number('min.insync.replicas'),
    retentionBytes: limit('retention.bytes'),
    retentionMs: limit('retention.ms'),
    segmentBytes: number('segment.bytes'),
    segmentMs: number('segment.ms'),
  };
}

/** The error message for an invalid topic name; null if it is valid. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'Topic name is invalid: the empty string is not allowed';
  if (name === '.' || name === '..') return `Topic name is invalid: '${name}' is not allowed`;
  if (name.length > 249) {
    return `Topic name is invalid: the length of '${name}' is longer than the max allowed length 249`;
  }
  if (!/^[a-zA-Z0-9._-]+$/.test(name)) {
    return `Topic name is invalid: '${name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'`;
  }
  return null;
}
