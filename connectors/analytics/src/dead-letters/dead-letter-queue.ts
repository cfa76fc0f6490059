/** A topic for records that could not be delivered. Sources: analytics-sink §1.6, §4.7. */
import { ConnectError } from '@millrace/sdk';
import { Kafka, logLevel, type KafkaConfig, type Producer } from 'kafkajs';
import type { RawRecord } from '../batcher/record-log';
import type { DeadLetterSettings } from '../config/settings';
import { unlessAborted } from '../request/sleep';

const BATCH = 500;

export interface DeadLetterPlace {
  readonly connector: string;
  readonly task: number;
  readonly topic: string;
  readonly partition: number;
  readonly stage: 'WRITE' | 'INGEST';
  readonly database: string;
  readonly table: string;
  readonly sourceId: string;
}

export class DeadLetterQueue {
  private constructor(
    private readonly producer: Producer,
    private readonly topic: string,
  ) {}

  /** @throws ConnectError `ANALYTICS_DEAD_LETTERS` when its Kafka can not be reached or a setting is not known. */
  static async open(settings: DeadLetterSettings, clientId: string): Promise<DeadLetterQueue> {
    const kafka = new Kafka({
      clientId,
      brokers: [...settings.bootstrapServers],
      logLevel: logLevel.NOTHING,
      ...security(settings.client),
    });
    const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    try {
      await producer.connect();
    } catch (error) {
      throw new ConnectError(
        `The dead letter queue's Kafka at ${settings.bootstrapServers.join(',')} can not be reached: ${(error as Error).message}`,
        { code: 'ANALYTICS_DEAD_LETTERS', cause: error },
      );
    }
    return new DeadLetterQueue(producer, settings.topic);
  }

  /** Resolves when all of them are acknowledged. Rejects when `signal` is aborted first: whoever has the partition now sends them again. */
  async send(
    records: AsyncIterable<RawRecord> | Iterable<RawRecord>,
    place: DeadLetterPlace,
    error: Error,
    signal: AbortSignal,
  ): Promise<void> {
    let batch: RawRecord[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      signal.throwIfAborted();
      const messages = batch.map((record) => message(record, place, error));
      await unlessAborted(this.producer.send({ topic: this.topic, acks: -1, messages }), signal);
      batch = [];
    };
    for await (const record of records) {
      batch.push(record);
      if (batch.length >= BATCH) await flush();
    }
    await flush();
  }

  async close(): Promise<void> {
    await this.producer.disconnect();
  }
}

function message(
  record: RawRecord,
  place: DeadLetterPlace,
  error: Error,
): {
  key: Buffer | null;
  value: Buffer | null;
  timestamp?: string;
  headers: Record<string, Buffer | string | (Buffer | string)[]>;
} {
  const code = (error as { serviceCode?: string | null }).serviceCode;
  return {
    key: record.key,
    value: record.value,
    ...(record.timestamp !== null && { timestamp: String(record.timestamp) }),
    headers: {
      ...allHeaders(record),
      '__connect.errors.topic': place.topic,
      '__connect.errors.partition': String(place.partition),
      '__connect.errors.offset': String(record.offset),
      '__connect.errors.connector.name': place.connector,
      '__connect.errors.task.id': String(place.task),
      '__connect.errors.stage': place.stage,
      '__connect.errors.exception.class.name': code ?? error.name,
      '__connect.errors.exception.message': error.message,
      '__connect.errors.exception.stacktrace': error.stack ?? '',
      '__analytics.errors.database': place.database,
      '__analytics.errors.table': place.table,
      '__analytics.errors.source.id': place.sourceId,
    },
  };
}

/** Several of one name are all kept. */
function allHeaders({ headers }: RawRecord): Record<string, Buffer[]> {
  const all = new Map<string, Buffer[]>();
  for (const [key, value] of headers) all.set(key, [...(all.get(key) ?? []), value ?? Buffer.alloc(0)]);
  return Object.fromEntries(all);
}

/** Java's security keys, as kafkajs takes them. */
function security(client: Readonly<Record<string, string>>): Pick<KafkaConfig, 'ssl' | 'sasl'> {
  const protocol = (client['security.protocol'] ?? 'PLAINTEXT').toUpperCase();
  const ssl = protocol.endsWith('SSL')
    ? { ssl: client['ssl.truststore.certificates'] ? { ca: client['ssl.truststore.certificates'] } : true }
    : {};
  if (!protocol.startsWith('SASL')) return ssl;
  const mechanism = (client['sasl.mechanism'] ?? 'PLAIN').toUpperCase();
  const jaas = client['sasl.jaas.config'] ?? '';
  const username = /username="((?:[^"\\]|\\.)*)"/.exec(jaas)?.[1];
  const password = /password="((?:[^"\\]|\\.)*)"/.exec(jaas)?.[1];
  const names: Record<string, 'plain' | 'scram-sha-256' | 'scram-sha-512'> = {
    PLAIN: 'plain',
    'SCRAM-SHA-256': 'scram-sha-256',
    'SCRAM-SHA-512': 'scram-sha-512',
  };
  const name = names[mechanism];
  if (name === undefined || username === undefined || password === undefined)
    throw new ConnectError(
      'The dead letter queue can log in with PLAIN or SCRAM alone, with user name and password in "misc.deadletterqueue.sasl.jaas.config".',
      { code: 'ANALYTICS_DEAD_LETTERS' },
    );
  return { ...ssl, sasl: { mechanism: name, username, password } as KafkaConfig['sasl'] };
}
