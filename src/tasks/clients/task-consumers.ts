/**
 * Consumers for `createConsumer` of a task's context: the worker's client with the plugin's settings and none of the
 * worker's.
 */
import {
  ConfigError,
  type ConsumedRecord,
  type KafkaClientConfig,
  type TaskConsumer,
  type TopicPartition,
} from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { KafkaError, type Admin, type AssignedConsumer, type KafkaClients } from '@millrace/kafka-client';
import { taskName } from '../task-id';
import { publicError } from './public-error';

export class TaskConsumers {
  private readonly open = new Set<PartitionConsumer>();

  constructor(
    private readonly clients: Pick<KafkaClients, 'assignedConsumer' | 'admin'>,
    private readonly id: ConnectorTaskId,
  ) {}

  /** @throws ConfigError `INVALID_CLIENT_CONFIG` that names the key. */
  readonly create = (config: KafkaClientConfig, partition: TopicPartition): TaskConsumer => {
    // Never the worker's own, whose credentials are not the plugin's.
    for (const name of ['bootstrap.servers', 'group.id'])
      if (!config[name]) throw new ConfigError(`A consumer needs '${name}'`, { code: 'INVALID_CLIENT_CONFIG' });
    const settings = { 'client.id': `connector-task-consumer-${taskName(this.id)}`, ...config };
    let admin: Admin | null = null;
    try {
      admin = this.clients.admin(settings);
      const client = this.clients.assignedConsumer(settings);
      const groupId = config['group.id'] as string;
      const consumer: PartitionConsumer = new PartitionConsumer(client, admin, groupId, partition, () =>
        this.open.delete(consumer),
      );
      this.open.add(consumer);
      return consumer;
    } catch (error) {
      void admin?.close().catch(() => undefined);
      if (!(error instanceof KafkaError)) throw error;
      throw new ConfigError(error.message, { code: error.code, cause: error });
    }
  };

  async close(): Promise<void> {
    await Promise.all([...this.open].map((consumer) => consumer.close()));
  }
}

class PartitionConsumer implements TaskConsumer {
  private started: Promise<void> | null = null;

  constructor(
    private readonly client: AssignedConsumer,
    private readonly admin: Admin,
    private readonly groupId: string,
    private readonly partition: TopicPartition,
    private readonly closed: () => void,
  ) {}

  async poll(timeoutMs: number): Promise<readonly ConsumedRecord[]> {
    await this.start();
    return await convertErrors(async () => (await this.client.poll(timeoutMs)).flatMap(({ records }) => records));
  }

  async seek(offset: number): Promise<void> {
    await this.start();
    await convertErrors(async () => this.client.seek({ ...this.partition, offset }));
  }

  async commit(offset: number): Promise<void> {
    await convertErrors(() => this.admin.alterGroupOffsets(this.groupId, [{ ...this.partition, offset }]));
  }

  async close(): Promise<void> {
    this.closed();
    await Promise.all([this.client.close(), this.admin.close()]);
  }

  private async start(): Promise<void> {
    this.started ??= convertErrors(() => this.assign()).catch((error: unknown) => {
      this.started = null;
      throw error;
    });
    await this.started;
  }

  private async assign(): Promise<void> {
    const { client, admin, partition } = this;
    await client.connect();
    const committed = (await admin.listGroupOffsets(this.groupId)).find(
      ({ topic, partition: number }) => topic === partition.topic && number === partition.partition,
    );
    client.assign([partition]);
    if (committed !== undefined && committed.offset >= 0) client.seek(committed);
  }
}

async function convertErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw publicError(error);
  }
}
