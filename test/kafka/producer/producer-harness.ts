import type { KafkaError } from '../../../packages/kafka-client/src/errors';
import type { Producer, SendPermission } from '../../../packages/kafka-client/src/port';
import { createProducer } from '../../../packages/kafka-client/src/producer/producer';
import { silentLogger } from '../../../src/logging/logger';
import { FakeWire } from '../fake-wire';

export interface Delivery {
  error: KafkaError | null;
  token: number;
  partition: number;
  offset: number;
}

/** A connected producer on a fake wire with topic `t`, quick to retry, and what its callback was told. */
export async function start(
  config: Record<string, string> = {},
  wire = new FakeWire().addTopic('t'),
  permission?: SendPermission,
): Promise<{
  wire: FakeWire;
  producer: Producer;
  deliveries: Delivery[];
  send(value: string, partition?: number | null): void;
}> {
  const settings = { 'retry.backoff.ms': '1', 'retry.backoff.max.ms': '2', 'linger.ms': '0', ...config };
  const producer = createProducer(wire, settings, silentLogger, permission);
  await producer.connect();
  const deliveries: Delivery[] = [];
  let token = 0;
  return {
    wire,
    producer,
    deliveries,
    send(value, partition = 0) {
      producer.send(
        { topic: 't', partition, key: null, value: Buffer.from(value) },
        (error, t, _topic, p, offset) => deliveries.push({ error, token: t, partition: p, offset }),
        token++,
      );
    },
  };
}

/** A promise and its key, to hold a broker's answer back. */
export function gate<T>(): { promise: Promise<T>; open(value: T): void } {
  let open!: (value: T) => void;
  const promise = new Promise<T>((resolve) => (open = resolve));
  return { promise, open };
}

export const numbers = (n: number, from = 0): string[] => Array.from({ length: n }, (_, i) => String(from + i));
