/** The `errors.*` settings of a connector. Source: connect-runtime §4.6 and §5.8. */
import type { ConnectorConfig } from '@millrace/sdk';
import { COMMON_KEYS, SINK_KEYS } from '../../config/connector-config';
import { readKey } from '../../config/framework-key';
import { MILLRACE_KEYS } from '../../config/millrace-keys';

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
  const tolerance = readKey(COMMON_KEYS.tolerance, config);
  const timeout = readKey(COMMON_KEYS.retryTimeoutMs, config);
  const deadLetterTopic = readKey(SINK_KEYS.deadLetterTopic, config) || null;
  return {
    tolerance,
    retryTimeoutMs: timeout < 0 ? Infinity : timeout,
    retryDelayMaxMs: readKey(COMMON_KEYS.retryDelayMaxMs, config),
    log: readKey(COMMON_KEYS.logErrors, config),
    logMessages: readKey(COMMON_KEYS.logMessages, config),
    deadLetterTopic,
    deadLetterReplication: readKey(SINK_KEYS.deadLetterReplication, config),
    deadLetterHeaders: readKey(SINK_KEYS.deadLetterHeaders, config),
    bisect: (tolerance === 'all' || deadLetterTopic !== null) && readKey(MILLRACE_KEYS.bisect, config),
  };
}
