import { fenceProducers } from '../../../src/cluster/fencing/fence-producers';
import { parseWorkerConfig } from '../../../src/config/worker-config';
import type { Admin } from '../../../packages/kafka-client/src/port';

const worker = parseWorkerConfig({
  'bootstrap.servers': 'localhost:1',
  'group.id': 'g',
  'config.storage.topic': 'configs',
  'offset.storage.topic': 'offsets',
  'status.storage.topic': 'statuses',
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
});

test('a round that ends fences no further producers, and closes its client', async () => {
  const ended = new AbortController();
  const fenced: string[] = [];
  let closed = false;
  const admin = {
    fenceProducers: async (ids: readonly string[]) => {
      fenced.push(...ids);
      ended.abort();
      return Promise.resolve();
    },
    close: async () => Promise.resolve(void (closed = true)),
  } as unknown as Admin;
  const clients = { admin: () => admin };
  await fenceProducers(
    { clients, worker, connector: 'c', config: { name: 'c' } },
    [['g-c-0'], ['g-c-1']],
    ended.signal,
  );
  expect([fenced, closed]).toEqual([['g-c-0'], true]);
});
