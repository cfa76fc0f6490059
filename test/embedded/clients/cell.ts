/**
 * One cell of the table "what speaks to it" in packages/embedded/README.md: one operation by a third party's client.
 */
import { Kafka, logLevel } from 'kafkajs';
import type { EmbeddedBroker } from '../../../packages/embedded/src/broker';
import { makeIdentity } from '../../kafka/certificates';

/**
 * Declares the test of a cell. test/embedded/clients/table.test.ts holds the README to these declarations: keep both
 * names literal.
 */
export function cell(client: string, operation: string, run: () => Promise<void>, timeoutMs?: number): void {
  test(`${client}: ${operation}`, run, timeoutMs);
}

/** `value 0` and so on. */
export const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `value ${i}`);

export const USER = { username: 'alice', password: 'wonderland' };

/** Options of a broker that speaks TLS, and the authority its clients are to trust. */
export function tlsIdentity(): { tls: { key: string; cert: string }; ca: string } {
  const authority = makeIdentity('embedded test authority', null);
  const { key, cert } = makeIdentity('broker', authority, '127.0.0.1', 'localhost');
  return { tls: { key, cert }, ca: authority.cert };
}

/** An orderly end for each client a test makes, before its broker stops. */
export function closing(): (close: () => Promise<unknown>) => void {
  const open: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });
  return (close) => void open.push(close);
}

/** Leaves `dropped` of an aborted and `kept` of a committed transaction in `t`, by kafkajs. */
export async function commitAndAbort(broker: EmbeddedBroker): Promise<void> {
  const kafka = new Kafka({ brokers: brokerList(broker), logLevel: logLevel.NOTHING, connectionTimeout: 30_000 });
  const producer = kafka.producer({ transactionalId: 'one', idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  for (const [value, end] of [
    ['dropped', 'abort'],
    ['kept', 'commit'],
  ] as const) {
    const transaction = await producer.transaction();
    await transaction.send({ topic: 't', messages: [{ value }] });
    await transaction[end]();
  }
  await producer.disconnect();
}

export const brokerList = (broker: EmbeddedBroker): string[] => [broker.bootstrapServers];
