/** Waits for Kafka when a task starts while it is away. */
import { messageOf } from '@millrace/sdk';
import { KafkaError } from '../../kafka/errors';
import type { Logger } from '../../logging/logger';

const RETRY_MS = 1000;

export interface Wait {
  sleep(ms: number): Promise<void>;
  stopping(): boolean;
}

/** False for errors that waiting does not cure, such as a wrong password. */
export function isTransient(error: unknown): boolean {
  return error instanceof KafkaError && (error.retriable || error.code === 'CONNECTION_FAILED');
}

/**
 * Resolves when the attempt has succeeded, or when a stop was asked for. Rejects for errors that waiting does not cure.
 */
export async function untilReachable(attempt: () => Promise<void>, wait: Wait, logger: Logger): Promise<void> {
  while (!wait.stopping()) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (wait.stopping()) return;
      if (!isTransient(error)) throw error;
      logger.warn(`Kafka cannot be reached, trying on: ${messageOf(error)}`);
      await wait.sleep(RETRY_MS);
    }
  }
}

export function connectClient(client: { connect(): Promise<void> }, wait: Wait, logger: Logger): Promise<void> {
  return untilReachable(() => client.connect(), wait, logger);
}
