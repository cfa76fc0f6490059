/** A producer that is idempotent only where the broker assigns a producer id. */
import type { KafkaError } from '../../../packages/kafka-client/src/errors';
import { createProducer } from '../../../packages/kafka-client/src/producer/producer';
import { silentLogger } from '../../../src/logging/logger';
import { waitFor } from '../../helpers/wait-for';
import { FakeWire, type Fault } from '../fake-wire';
import { gate, numbers } from './producer-harness';

const CLUSTER_AUTHORIZATION_FAILED = 31;

async function start(config: Record<string, string> = {}) {
  const wire = new FakeWire().addTopic('t');
  const asked: string[] = [];
  const { send } = wire;
  wire.send = (node, request) => {
    asked.push(request.apiName);
    return send.call(wire, node, request) as Promise<never>;
  };
  const settings = {
    'enable.idempotence': 'false',
    'max.in.flight.requests.per.connection': '1',
    'retry.backoff.ms': '1',
    'linger.ms': '0',
    'batch.size': '1000',
    ...config,
  };
  const producer = createProducer(wire, settings, silentLogger, null, undefined, { idempotentIfAllowed: true });
  await producer.connect();
  const errors: (KafkaError | null)[] = [];
  const sendAll = (count: number): string[] => {
    const values = numbers(count).map((value) => value.padEnd(300));
    for (const value of values)
      producer.send({ topic: 't', partition: 0, key: null, value: Buffer.from(value) }, (error) => errors.push(error));
    return values;
  };
  const requests = (api: string): number => asked.filter((name) => name === api).length;
  return { wire, producer, errors, sendAll, requests };
}

test('connecting and the first batch do not wait for the id; later batches have it, and five are in flight', async () => {
  const { wire, producer, errors, sendAll, requests } = await start();
  expect(requests('InitProducerId')).toBe(0);
  const first = sendAll(1);
  await producer.flush();
  expect(requests('InitProducerId')).toBe(1);
  const second = sendAll(1);
  await producer.flush();
  expect(wire.log('t').batches.map(({ producerId, baseSequence }) => [producerId, baseSequence])).toEqual([
    [-1, -1],
    [101, 0],
  ]);
  const held = gate<Fault>();
  wire.calls.length = 0;
  wire.onProduce = () => held.promise;
  const third = sendAll(30);
  await waitFor('five requests', () => wire.calls.length === 5);
  held.open(null);
  await producer.flush();
  expect(wire.log('t').values).toEqual([...first, ...second, ...third]);
  expect(errors.every((error) => error === null)).toBe(true);
});

test('a broker that refuses is asked once: one batch is in flight, without an id', async () => {
  const { wire, producer, errors, sendAll, requests } = await start();
  wire.onTransactional = () => CLUSTER_AUTHORIZATION_FAILED;
  const first = sendAll(1);
  await producer.flush();
  const held = gate<Fault>();
  wire.calls.length = 0;
  wire.onProduce = () => held.promise;
  const second = sendAll(30);
  await waitFor('a request', () => wire.calls.length === 1);
  await new Promise(setImmediate);
  expect(wire.calls).toHaveLength(1);
  held.open(null);
  await producer.flush();
  expect(requests('InitProducerId')).toBe(1);
  expect(wire.log('t').values).toEqual([...first, ...second]);
  expect(wire.log('t').batches.every(({ producerId }) => producerId === -1)).toBe(true);
  expect(errors.every((error) => error === null)).toBe(true);
});

test('a batch that the broker may have without an id goes again without one', async () => {
  const { wire, producer, sendAll } = await start();
  let cuts = 2;
  wire.onProduce = () => (cuts-- > 0 ? 'cut-before' : null);
  const values = sendAll(6);
  await producer.flush();
  expect(wire.log('t').values).toEqual(values);
  expect(wire.log('t').batches.map(({ producerId }) => producerId)).toEqual([-1, 101]);
});

test('a batch given up without an id leaves the partition as it is', async () => {
  const { wire, producer, errors, sendAll } = await start({ retries: '0' });
  wire.onTransactional = () => CLUSTER_AUTHORIZATION_FAILED;
  wire.onProduce = () => 'cut-after';
  const values = sendAll(3);
  await producer.flush();
  wire.onProduce = () => null;
  sendAll(3);
  await producer.flush();
  expect(errors.map((error) => error?.code)).toEqual([
    ...values.map(() => 'CONNECTION_FAILED'),
    ...values.map(() => undefined),
  ]);
  expect(wire.log('t').values).toEqual([...values, ...values]);
});

test('acks=1 rules it out', async () => {
  const { producer, sendAll, requests } = await start({ acks: '1' });
  sendAll(1);
  await producer.flush();
  expect(requests('InitProducerId')).toBe(0);
});
