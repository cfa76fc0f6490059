/**
 * The producers that a task's plug-in asks for: the worker's client with the plug-in's settings, and nothing of the
 * worker's own among them.
 */
import {
  ConfigError,
  ConnectError,
  RetriableError,
  type KafkaClientConfig,
  type KafkaRecord,
  type TaskProducer,
  messageOf,
} from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { KafkaError } from '../../kafka/errors';
import type { DeliveryCallback, KafkaClients, Producer } from '../../kafka/port';
import { taskName } from '../task-id';

export class TaskProducers {
  private readonly open = new Set<ClientProducer>();

  constructor(
    private readonly clients: Pick<KafkaClients, 'producer'>,
    private readonly id: ConnectorTaskId,
  ) {}

  /** @throws ConfigError `INVALID_CLIENT_CONFIG` that names the key. */
  readonly create = (config: KafkaClientConfig): TaskProducer => {
    // The worker's credentials are not the plug-in's: it says itself where it writes, and as whom.
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
   * Null: it is in the buffer, as most are at once. @throws what refuses the record, or an earlier one of the same call
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

/** What has become of the records of one call. */
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

/** As plug-ins know errors. One that time was too short for may succeed when there is more of it. */
function publicError(error: unknown): unknown {
  if (!(error instanceof KafkaError)) return error;
  const options = {
    code: error.code,
    cause: error,
    place: {
      ...(error.topic !== null && { topic: error.topic }),
      ...(error.partition !== null && { partition: error.partition }),
    },
  };
  const mayPass = error.retriable || error.code === 'DELIVERY_TIMEOUT';
  return mayPass ? new RetriableError(messageOf(error), options) : new ConnectError(messageOf(error), options);
}
