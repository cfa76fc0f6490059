/** The keys of the file source, Java's names and defaults. Source: connect-runtime §10.9. */
import type { ConfigKey, ConnectorConfig } from '@millrace/sdk';

const TOPIC_NAME = /^[A-Za-z0-9._-]{1,249}$/;

export const sourceKeys: readonly ConfigKey[] = [
  {
    name: 'file',
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    documentation: 'File to read; the task waits for one that is not there yet. Without it, standard input is read.',
  },
  {
    name: 'topic',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'Topic that receives one record a line.',
    validator: (value) => (typeof value === 'string' ? topicProblem(value) : null),
  },
  {
    name: 'batch.size',
    type: 'INT',
    default: 2000,
    importance: 'LOW',
    documentation: 'The most lines that one poll of the task returns.',
  },
];

/** Java lets other names pass and fails the task when the first line is sent. */
function topicProblem(topic: string): string | null {
  if (topic === '') return 'String must be non-empty';
  if (topic === '.' || topic === '..' || !TOPIC_NAME.test(topic))
    return "A topic's name has at most 249 letters, digits, '.', '_' and '-'; the file source writes to one topic";
  return null;
}

export interface FileSourceConfig {
  /** Null: standard input. */
  readonly file: string | null;
  readonly topic: string;
  /** At least 1: what is below counts as 1, as in Java. */
  readonly batchSize: number;
}

/** Takes a configuration that has passed validation. */
export function fileSourceConfig(config: ConnectorConfig): FileSourceConfig {
  return {
    file: config.file?.trim() || null,
    topic: config.topic?.trim() ?? '',
    batchSize: Math.max(1, Number(config['batch.size'] ?? 2000)),
  };
}
