import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import { ReachableClusters } from '../../../packages/kafka-client/src/network/reachable-clusters';
import { silentLogger } from '../../../src/logging/logger';
import { fakeBroker, type FakeBroker } from './fake-broker';

const config = (id: string, more: Record<string, string> = {}): Record<string, string> => ({
  'client.id': id,
  'bootstrap.servers': 'b:1',
  ...more,
});

describe('a cluster is asked once for clients with the same settings', () => {
  let now: number;
  let clusters: ReachableClusters;
  let asked: string[];
  const answered = (id: string, more?: Record<string, string>): Promise<void> =>
    clusters.connected(config(id, more), async () => void asked.push(id));
  const failing = (id: string, code: KafkaError['code']): Promise<void> =>
    clusters.connected(config(id), async () => {
      asked.push(id);
      await Promise.resolve();
      throw new KafkaError(code, id);
    });

  beforeEach(() => {
    now = 0;
    asked = [];
    clusters = new ReachableClusters(() => now);
  });

  test('at the same time, or within ten seconds', async () => {
    await Promise.all([answered('a'), answered('b')]);
    now = 9_999;
    await answered('c');
    expect(asked).toEqual(['a']);
    now = 10_000;
    await answered('d');
    expect(asked).toEqual(['a', 'd']);
  });

  test('other settings are another cluster', async () => {
    await Promise.all([answered('a'), answered('b', { 'sasl.jaas.config': 'other' })]);
    expect(asked).toEqual(['a', 'b']);
  });

  test('a failure is one of all that wait for it, and of none after them', async () => {
    const outcomes = await Promise.allSettled([failing('a', 'CONNECTION_FAILED'), answered('b')]);
    expect(outcomes).toEqual([
      expect.objectContaining({ reason: expect.objectContaining({ code: 'CONNECTION_FAILED', message: 'a' }) }),
      expect.objectContaining({ reason: expect.objectContaining({ code: 'CONNECTION_FAILED', message: 'a' }) }),
    ]);
    await answered('c');
    expect(asked).toEqual(['a', 'c']);
  });

  test('one that was closed meanwhile is no answer', async () => {
    const outcomes = await Promise.allSettled([failing('a', 'ABORTED'), answered('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(asked).toEqual(['a', 'b']);
  });
});

describe('producers that may connect later', () => {
  let broker: FakeBroker;
  beforeEach(async () => (broker = await fakeBroker()));
  afterEach(async () => await broker.close());

  test('only the first one of several connects; the others do when they look up a topic', async () => {
    const clients = createKafkaClients(silentLogger);
    const [first, second, eager] = [true, true, false].map((mayConnectLater, i) =>
      clients.producer(
        {
          'bootstrap.servers': broker.server,
          'client.id': `p${i}`,
          'retry.backoff.ms': '1',
          'enable.idempotence': 'false',
        },
        undefined,
        undefined,
        { mayConnectLater },
      ),
    );
    const metadataRequests = (): number => broker.received.filter((key) => key === 3).length;
    await Promise.all([first?.connect(), second?.connect()]);
    expect(metadataRequests()).toBe(1);
    await second?.prepare(['t']).catch(() => undefined);
    expect(metadataRequests()).toBeGreaterThan(1);
    const before = metadataRequests();
    await eager?.connect();
    expect(metadataRequests()).toBe(before + 1);
    for (const producer of [first, second, eager]) await producer?.close(0);
  });
});
