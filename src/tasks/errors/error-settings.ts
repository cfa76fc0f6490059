/** The `errors.*` settings of a connector. Source: connect-runtime §4.6 and §5.8. */
import type { ConnectorConfig } from '@millrace/sdk';
import { bisectsBatches } from '../../config/bisect-setting';

export interface ErrorSettings {
  readonly tolerance: 'none' | 'all';
  /** Milliseconds; 0: no retries, Infinity: for ever. */
  readonly retryTimeoutMs: number;
  readonly retryDelayMaxMs: number;
  readonly log: boolean;
  readonly logMessages: boolean;
  /** Null: no dead letter topic. */
  readonly deadLetterTopic: string | null;
  readonly deadLetterReplication: number;
  readonly deadLetterHeaders: boolean;
  /** A failed batch is bisected. Millrace only. */
  readonly bisect: boolean;
}

export function errorSettings(config: ConnectorConfig): ErrorSettings {
  const text = (key: string, fallback: string): string => config[key]?.trim() || fallback;
  const flag = (key: string): boolean => text(key, 'false').toLowerCase() === 'true';
  const timeout = Number(text('errors.retry.timeout', '0'));
  const tolerance = text('errors.tolerance', 'none') === 'all' ? 'all' : 'none';
  const deadLetterTopic = config['errors.deadletterqueue.topic.name']?.trim() || null;
  return {
    tolerance,
    retryTimeoutMs: timeout < 0 ? Infinity : timeout,
    retryDelayMaxMs: Number(text('errors.retry.delay.max.ms', '60000')),
    log: flag('errors.log.enable'),
    logMessages: flag('errors.log.include.messages'),
    deadLetterTopic,
    deadLetterReplication: Number(text('errors.deadletterqueue.topic.replication.factor', '3')),
    deadLetterHeaders: flag('errors.deadletterqueue.context.headers.enable'),
    bisect: (tolerance === 'all' || deadLetterTopic !== null) && bisectsBatches(config),
  };
}
