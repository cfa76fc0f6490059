/**
 * Requests that read topics of a connector, on any worker: clients are opened for a request, with the settings of the
 * connector's tasks, and closed after it. Few at a time, because each holds some megabytes.
 */
import type { Admin, ClientConfig, KafkaClients } from '@millrace/kafka-client';
import { withDeadline } from '@millrace/sdk';
import { clientsOf } from '../../kafka-clients';
import type { TopicReaders } from '../../records/record-ranges';
import type { OffsetClientConfigs } from '../../tasks/clients/client-configs';
import { HerderError } from '../errors';

/** For what is read; what was read by then is returned. */
export const READ_MS = 8_000;
/** For the answer after the time is over. */
const SLACK_MS = 1_000;
const MAX_REQUESTS = 4;

export class TopicRequests {
  private requests = 0;

  constructor(private readonly clients: KafkaClients) {}

  /** @throws HerderError 503: too many at a time */
  async limited<T>(run: () => Promise<T>): Promise<T> {
    if (this.requests >= MAX_REQUESTS)
      throw new HerderError(503, 'The worker is reading records for other requests; try again in a few seconds.');
    this.requests++;
    try {
      return await run();
    } finally {
      this.requests--;
    }
  }

  async reading<T>(
    connector: string,
    settings: Pick<OffsetClientConfigs, 'admin' | 'consumer'>,
    use: (readers: TopicReaders, admin: Admin) => Promise<T>,
  ): Promise<T> {
    const clients = clientsOf(this.clients, connector);
    const admin = clients.admin(settings.admin);
    const consumer = clients.assignedConsumer(settings.consumer);
    try {
      await withDeadline(consumer.connect(), READ_MS, late);
      return await use({ admin, consumer }, admin);
    } finally {
      await Promise.all([admin.close(), consumer.close()]);
    }
  }
}

/** Also when Kafka does not even answer the end of the reading. */
export async function inTime<T>(reading: Promise<T>): Promise<T> {
  return await withDeadline(reading, READ_MS + SLACK_MS, late);
}

function late(): Error {
  return new Error(`Kafka did not answer within ${READ_MS / 1_000} s`);
}

/** Whether all clients use the same Kafka cluster. */
export function isOneCluster(settings: readonly ClientConfig[], servers: readonly string[] = []): boolean {
  const named = [...servers, ...settings.map((one) => one['bootstrap.servers'] ?? '')];
  return new Set(named.map(normalized)).size <= 1;
}

function normalized(servers: string): string {
  return servers
    .split(',')
    .map((server) => server.trim())
    .sort()
    .join();
}
