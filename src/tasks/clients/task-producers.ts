/**
 * Producers for `createProducer` of a task's context: the worker's client with the plugin's settings and none of the
 * worker's.
 */
import { ConfigError, type KafkaClientConfig, type KafkaRecord, type TaskProducer } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { KafkaError, type DeliveryCallback, type KafkaClients, type Producer } from '@millrace/kafka-client';
import { taskName } from '../task-id';
import { publicError } from './public-error';

export class TaskProducers {
  private readonly open = new Set<ClientProducer>();

  constructor(
    private readonly clients: Pick<KafkaClients, 'producer'>,
    private readonly id: ConnectorTaskId,
  ) {}

  /** @throws ConfigError `INVALID_CLIENT_CONFIG` that names the key. */
  readonly create = (config: KafkaClientConfig): TaskProducer => {
    // Never the worker's own, whose credentials are not the plugin's.
    if (!config['bootstrap.servers'])
      throw new ConfigError(`A producer needs 'bootstrap.servers'`, { code: 'INVALID_CLIENT_CONFIG' });
    try {
      const client = this.clients.producer({ 'client.id': `connector-task-producer-${taskName(this.id)}`, ...config });
      const producer: ClientProducer = new ClientProducer(client, () => this.open.delete(producer));
      this.open.add(producer);
      return producer;
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      throw new ConfigError(error.message, { code: error.code, cause: error });
    }
  };

  async close(): Promise<void> {
    await Promise.all([...this.open].map((producer) => producer.close()));
  }
}

class ClientProducer implements TaskProducer {
  private connecting: Promise<void> | null = null;

  constructor(
    private readonly client: Producer,
    private readonly closed: () => void,
  ) {}

  async connect(): Promise<void> {
    this.connecting ??= this.client.connect().catch((error: unknown) => {
      this.connecting = null;
      throw publicError(error);
    });
    await this.connecting;
  }

  async send(records: Iterable<KafkaRecord> | AsyncIterable<KafkaRecord>): Promise<void> {
    await this.connect();
    const deliveries = new Deliveries();
    try {
      if (Symbol.asyncIterator in records) for await (const record of records) await this.append(record, deliveries);
      else
        for (const record of records) {
          const waiting = this.append(record, deliveries);
          if (waiting) await waiting;
        }
    } catch (error) {
      throw publicError(error);
    }
    await deliveries.done();
  }

  async close(): Promise<void> {
    this.closed();
    await this.client.close(0);
  }

  /**
   * Null: the record is buffered, the usual case. @throws the error of this record or an earlier one of the same call
   */
  private append(record: KafkaRecord, deliveries: Deliveries): Promise<void> | null {
    deliveries.throwFailure();
    if (!this.client.isPrepared(record.topic))
      return this.client.prepare([record.topic]).then(() => this.append(record, deliveries) ?? undefined);
    const ready = this.client.whenReady();
    if (ready) return ready.then(() => this.append(record, deliveries) ?? undefined);
    this.client.send(record, deliveries.onDelivery);
    deliveries.pending++;
    return null;
  }
}

/** Outcome of the records of one `send`. */
class Deliveries {
  pending = 0;
  private failure: KafkaError | null = null;
  private settled: (() => void) | null = null;

  readonly onDelivery: DeliveryCallback = (error) => {
    this.pending--;
    this.failure ??= error;
    if (this.pending === 0 || this.failure) this.settled?.();
  };

  throwFailure(): void {
    if (this.failure) throw this.failure;
  }

  /** @throws ConnectError */
  async done(): Promise<void> {
    if (this.pending > 0 && !this.failure) await new Promise<void>((resolve) => (this.settled = resolve));
    if (this.failure) throw publicError(this.failure);
  }
}
