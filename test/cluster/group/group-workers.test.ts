/** The workers of a group, from Kafka's description of it. */
import { encodeMetadata } from '../../../src/cluster/group/connect-protocol';
import { GroupWorkers, membersOf } from '../../../src/cluster/group/group-workers';
import type { GroupDescription } from '../../../packages/kafka-client/src/port';

const metadataOf = (url: string): Buffer => encodeMetadata('sessioned', { url, configOffset: 1, allocation: null });
const group = (state: string, metadata: readonly Buffer[]): GroupDescription => ({
  ...{ groupId: 'g', state, protocolType: 'connect', protocol: 'sessioned' },
  members: metadata.map((bytes, i) => ({
    ...{ memberId: `m${i}`, clientId: 'c', host: '/127.0.0.1' },
    metadata: bytes,
    assignment: Buffer.alloc(0),
  })),
});

test('URLs and worker ids of the members', () => {
  const members = ['http://10.0.0.1:8083/', 'https://worker/', 'http://[::1]:1/'].map(metadataOf);
  expect(membersOf(group('Stable', members))).toEqual([
    { url: 'http://10.0.0.1:8083/', id: '10.0.0.1:8083' },
    { url: 'https://worker/', id: 'worker:443' },
    { url: 'http://[::1]:1/', id: '[::1]:1' },
  ]);
});

test('members whose metadata is not a worker’s are left out', () => {
  const odd = [Buffer.from('x'), Buffer.alloc(0), metadataOf('not a url'), metadataOf('file:///etc/passwd')];
  expect(membersOf(group('Stable', [...odd, metadataOf('http://a:1/')]))).toEqual([{ url: 'http://a:1/', id: 'a:1' }]);
});

test('during a rebalance the members before it are known, and none before the first one', async () => {
  let description = group('PreparingRebalance', [Buffer.alloc(0)]);
  const workers = new GroupWorkers(async () => await Promise.resolve(description));
  expect(await workers.members()).toBeNull();
  description = group('Stable', [metadataOf('http://a:1/')]);
  const known = [{ url: 'http://a:1/', id: 'a:1' }];
  expect(await workers.members()).toEqual(known);
  description = group('CompletingRebalance', [Buffer.alloc(0), Buffer.alloc(0)]);
  expect(await workers.members()).toEqual(known);
  description = group('Empty', []);
  expect(await workers.members()).toEqual([]);
});
