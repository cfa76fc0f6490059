/** Settings of the file source, with Java's names and defaults. Source: connect-runtime §10.9. */
import type { ConfigKey, ConnectorConfig } from '@millrace/sdk';

const TOPIC_NAME = /^[A-Za-z0-9._-]{1,249}$/;

const KEYS = {
  file: {
    name: 'file',
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    documentation: 'File to read; the task waits until it exists. Without it, standard input is read.',
  },
  topic: {
    name: 'topic',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'Topic that receives one record per line.',
    validator: (value) => (typeof value === 'string' ? topicProblem(value) : null),
  },
  batchSize: {
    name: 'batch.size',
    type: 'INT',
    default: 2000,
    importance: 'LOW',
    documentation: 'Maximum number of lines that one poll of the task returns.',
  },
} as const satisfies Readonly<Record<string, ConfigKey>>;

export const sourceKeys: readonly ConfigKey[] = Object.values(KEYS);

/** Java accepts other names and fails the task when it sends the first line. */
function topicProblem(topic: string): string | null {
  if (topic === '') return 'String must be non-empty';
  if (topic === '.' || topic === '..' || !TOPIC_NAME.test(topic))
    return "A topic name consists of at most 249 letters, digits, '.', '_' and '-'; the file source writes to one topic";
  return null;
}

export interface FileSourceConfig {
  /** Null: standard input. */
  readonly file: string | null;
  readonly topic: string;
  /** At least 1. Lower values count as 1, as in Java. */
  readonly batchSize: number;
}

/** @param config a config that passed validation */
export function fileSourceConfig(config: ConnectorConfig): FileSourceConfig {
  return {
    file: config[KEYS.file.name]?.trim() || null,
    topic: config[KEYS.topic.name]?.trim() ?? '',
    batchSize: Math.max(1, Number(config[KEYS.batchSize.name] ?? KEYS.batchSize.default)),
  };
}
