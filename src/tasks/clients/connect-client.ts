/** Waits for Kafka when a task starts while the cluster is unreachable. */
import { messageOf } from '@millrace/sdk';
import { KafkaError } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';

const RETRY_MS = 1000;

export interface RetryWait {
  sleep(ms: number): Promise<void>;
  stopping(): boolean;
}

/** False for permanent errors, such as a wrong password. */
export function isTransient(error: unknown): boolean {
  return error instanceof KafkaError && (error.retriable || error.code === 'CONNECTION_FAILED');
}

/**
 * Resolves when the attempt has succeeded, or when the task is stopped. Rejects with permanent errors.
 */
export async function retryUntilReachable(
  attempt: () => Promise<void>,
  wait: RetryWait,
  logger: Logger,
): Promise<void> {
  while (!wait.stopping()) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (wait.stopping()) return;
      if (!isTransient(error)) throw error;
      logger.warn(`Cannot reach Kafka, retrying: ${messageOf(error)}`);
      await wait.sleep(RETRY_MS);
    }
  }
}

export function connectClient(client: { connect(): Promise<void> }, wait: RetryWait, logger: Logger): Promise<void> {
  return retryUntilReachable(() => client.connect(), wait, logger);
}
