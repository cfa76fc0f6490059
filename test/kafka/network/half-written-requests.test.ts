/** Requests that the network takes in parts, from a worker that may lose the right to send them between two parts. */
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { createWire } from '../../../packages/kafka-client/src/network/network-client';
import { metadataRequest } from '../../../packages/kafka-client/src/protocol/metadata';
import type { Wire, WireRequest } from '../../../packages/kafka-client/src/wire';
import { waitFor } from '../../helpers/wait-for';
import { makeIdentity } from '../certificates';
import { fakeBroker, plainServer, type FakeBroker, type FakeBrokerOptions } from './fake-broker';

const PRODUCE = 0;
const METADATA = 3;
const FETCH = 1;
/** More than the buffers of both sides of a connection hold. */
const LARGE = 16 * 2 ** 20;

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** A broker that reads nothing more, and the right to send to it. */
async function paused(
  options: FakeBrokerOptions = {},
  config: Record<string, string> = {},
): Promise<{ broker: FakeBroker; wire: Wire; right: Right }> {
  const { broker, wire } = await connected(options, config);
  broker.pause();
  return { broker, wire, right: new Right() };
}

async function connected(
  options: FakeBrokerOptions = {},
  config: Record<string, string> = {},
): Promise<{ broker: FakeBroker; wire: Wire }> {
  const broker = await fakeBroker(options);
  const wire = createWire({ 'bootstrap.servers': broker.server, 'client.id': 'test', ...config });
  open.push(broker, wire);
  await wire.connect();
  // The connection that the tests use.
  await wire.send(1, metadataRequest(8, [], false));
  broker.received.length = 0;
  return { broker, wire };
}

const request = (apiKey: number, size: number, more: Partial<WireRequest<string>> = {}): WireRequest<string> => ({
  apiName: `API ${apiKey}`,
  apiKey,
  apiVersion: 0,
  encode: () => Buffer.alloc(size),
  decode: () => 'answered',
  ...more,
});

/** The right to send; counts how often it is asked for. */
class Right {
  error: KafkaError | null = null;
  asked = 0;
  readonly ask = (): KafkaError | null => {
    this.asked++;
    return this.error;
  };
  lose(): void {
    this.error = new KafkaError('SESSION_IN_DOUBT', 'Not for now.', { retriable: true });
  }
}

const authority = makeIdentity('Test CA', null);
const server = makeIdentity('broker', authority);
const tls = {
  'security.protocol': 'SSL',
  'ssl.truststore.certificates': authority.cert,
  'ssl.endpoint.identification.algorithm': '',
};

test.each([
  ['', {}, {}],
  [' over TLS', { tls: { key: server.key, cert: server.cert } }, tls],
])('a request that was written in part%s is not completed once it may not be sent', async (_, options, config) => {
  const { broker, wire, right } = await paused(options, config);
  const sent = wire.send(1, request(PRODUCE, LARGE, { refusal: right.ask }));
  await waitFor('the request to begin', () => right.asked > 0);
  right.lose();
  broker.resume();
  await expect(sent).rejects.toBe(right.error);
  expect(broker.received).toEqual([]);
  // Nothing of it stands before the next one.
  expect(await wire.send(1, request(FETCH, 10))).toBe('answered');
  expect(broker.received).toContain(FETCH);
  expect(broker.received).not.toContain(PRODUCE);
});

test('requests after a partly written one keep their order and arrive complete', async () => {
  const { broker, wire, right } = await paused();
  const sent = [
    wire.send(1, request(PRODUCE, LARGE, { refusal: right.ask })),
    wire.send(1, request(FETCH, 10)),
    wire.send(1, request(PRODUCE, 10, { refusal: right.ask, noResponse: true })),
    wire.send(1, request(PRODUCE, LARGE, { refusal: right.ask })),
    wire.send(1, metadataRequest(8, [], false)).then(() => 'metadata'),
  ];
  await waitFor('the first request to begin', () => right.asked > 0);
  broker.resume();
  expect(await Promise.all(sent)).toEqual(['answered', 'answered', undefined, 'answered', 'metadata']);
  expect(broker.received).toEqual([PRODUCE, FETCH, PRODUCE, PRODUCE, METADATA]);
});

test('a connection lost in the middle of a request rejects it and the requests after it', async () => {
  const { broker, wire, right } = await paused();
  const sent = [
    wire.send(1, request(PRODUCE, LARGE, { refusal: right.ask })),
    wire.send(1, request(FETCH, 10)),
    wire.send(1, request(PRODUCE, 10, { refusal: right.ask, noResponse: true })),
    wire.send(1, request(PRODUCE, LARGE, { noResponse: true })),
  ];
  await waitFor('the first request to begin', () => right.asked > 0);
  await broker.close();
  const codes = (await Promise.allSettled(sent)).map(
    (one) => one.status === 'rejected' && (one.reason as KafkaError).code,
  );
  expect(codes).toEqual(Array(4).fill('CONNECTION_FAILED'));
});

describe('with a session that is to be renewed while a request is written in part', () => {
  const pausedInTheMiddle = async (): Promise<{ broker: FakeBroker; sent: Promise<string>[] }> => {
    const sasl = { PLAIN: plainServer('alice', 'x') };
    const login = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="x";';
    const { broker, wire } = await connected(
      { sasl, sessionLifetimeMs: 1 },
      { 'security.protocol': 'SASL_PLAINTEXT', 'sasl.mechanism': 'PLAIN', 'sasl.jaas.config': login },
    );
    const right = new Right();
    const refusal = (): KafkaError | null => {
      if (right.asked === 0) broker.pause();
      return right.ask();
    };
    const first = wire.send(1, request(PRODUCE, LARGE, { refusal }));
    await waitFor('the request to begin', () => right.asked > 0);
    const second = wire.send(1, request(FETCH, 10));
    await new Promise(setImmediate);
    return { broker, sent: [first, second] };
  };

  test('re-authentication waits until that request is complete', async () => {
    const { broker, sent } = await pausedInTheMiddle();
    broker.resume();
    expect(await Promise.all(sent)).toEqual(['answered', 'answered']);
    expect(broker.received.filter((key) => key === PRODUCE || key === FETCH)).toEqual([PRODUCE, FETCH]);
  });

  test('a lost connection rejects the requests that wait for it', async () => {
    const { broker, sent } = await pausedInTheMiddle();
    await broker.close();
    for (const one of await Promise.allSettled(sent))
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'CONNECTION_FAILED' } });
  });
});
