/** Waits for Kafka when a task starts while it is away. */
import { KafkaError } from '../kafka/errors';
import type { Logger } from '../logging/logger';
import { messageOf } from './trace';

const RETRY_MS = 1000;

/** Resolves when connected, or when a stop was asked for. Rejects for errors that waiting does not cure, such as a wrong password. */
export async function connectClient(
  client: { connect(): Promise<void> },
  wait: { sleep(ms: number): Promise<void>; stopping(): boolean },
  logger: Logger,
): Promise<void> {
  while (!wait.stopping()) {
    try {
      await client.connect();
      return;
    } catch (error) {
      const curable = error instanceof KafkaError && (error.retriable || error.code === 'CONNECTION_FAILED');
      if (!curable) throw error;
      logger.warn(`Kafka cannot be reached, trying on: ${messageOf(error)}`);
      await wait.sleep(RETRY_MS);
    }
  }
}
