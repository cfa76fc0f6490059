import { createWire } from '../../../packages/kafka-client/src/network/network-client';
import { call } from '../../../packages/kafka-client/src/protocol/api';
import { METADATA, metadataRequest } from '../../../packages/kafka-client/src/protocol/metadata';
import { retrying } from '../../../packages/kafka-client/src/retry';
import type { Wire } from '../../../packages/kafka-client/src/wire';

const bootstrap = process.env['BOOTSTRAP_SERVERS'] as string;

describe('the wire', () => {
  const wires: Wire[] = [];
  const wire = (extra: Record<string, string> = {}): Wire => {
    const made = createWire({ 'bootstrap.servers': bootstrap, 'client.id': 'wire-test', ...extra });
    wires.push(made);
    return made;
  };
  afterEach(async () => {
    await Promise.all(wires.splice(0).map((made) => made.close()));
  });

  test('bootstraps, knows the cluster and negotiates versions', async () => {
    const it = wire();
    await it.connect();
    expect(await it.clusterId()).toEqual(expect.any(String));
    expect(it.nodes().length).toBeGreaterThan(0);
    const node = await it.anyNode();
    expect(await it.version(node, METADATA.key, ...METADATA.versions)).toBe(12);
    expect(await it.version(node, METADATA.key, 200, 300)).toBeUndefined();
    const answer = await call(it, node, METADATA, (version) => metadataRequest(version, [], false));
    expect(answer.brokers.map((broker) => broker.id)).toContain(node);
  });

  test('starts from the bootstrap servers that answer', async () => {
    const it = wire({ 'bootstrap.servers': `127.0.0.1:1,${bootstrap}` });
    await it.connect();
    expect(it.nodes().length).toBeGreaterThan(0);
  });

  test('names the servers when none answers', async () => {
    const it = wire({ 'bootstrap.servers': '127.0.0.1:1', 'socket.connection.setup.timeout.ms': '10000' });
    await expect(it.connect()).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      retriable: true,
      message: expect.stringMatching(/bootstrap\.servers 127\.0\.0\.1:1.*ECONNREFUSED/) as unknown,
    });
  });

  test('a login where the listener has none is rejected, not retried', async () => {
    const module = 'org.apache.kafka.common.security.plain.PlainLoginModule';
    const it = wire({
      'security.protocol': 'SASL_PLAINTEXT',
      'sasl.mechanism': 'PLAIN',
      'sasl.jaas.config': `${module} required username="u" password="p";`,
    });
    await expect(it.connect()).rejects.toMatchObject({ code: 'ILLEGAL_SASL_STATE', retriable: false });
  });

  test('distinguishes an unknown topic from a network failure', async () => {
    const it = wire();
    await expect(it.partitions(`nowhere-${Date.now()}`)).rejects.toMatchObject({
      code: 'UNKNOWN_TOPIC_OR_PARTITION',
      retriable: true,
    });
  });

  test('keeps answering while a long request occupies another connection', async () => {
    const it = wire();
    const node = await retrying({ timeoutMs: 120_000, retryBackoffMs: 100, retryBackoffMaxMs: 500 }, () =>
      it.coordinator('group', 'some-group'),
    );
    expect(it.nodes().some(({ id }) => id === node)).toBe(true);
    const answers = await Promise.all(
      ['', 'fetch', 'join'].map((lane) => it.send(node, metadataRequest(4, [], false), lane)),
    );
    expect(answers.map((answer) => answer.clusterId)).toEqual(Array(3).fill(answers[0]?.clusterId));
  });

  test('a closed wire rejects requests', async () => {
    const it = wire();
    await it.connect();
    await it.close();
    await expect(it.anyNode()).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
