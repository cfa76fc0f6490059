/** `millrace doctor` and faults of the workers' group and of the storage topics. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startEmbedded } from '../../../dev/services/embedded';
import { freePort } from '../../../dev/services/free-port';
import { encodeMetadata } from '../../../src/cluster/group/connect-protocol';
import { createGroupMember } from '../../../packages/kafka-client/src/group/group-member';
import { createWire } from '../../../packages/kafka-client/src/network/network-client';
import { silentLogger } from '../../../src/logging/logger';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { makeIdentity } from '../../kafka/certificates';
import { codes, DoctorCommand, found } from './doctor-command';

const NO_WORKER = 'http://127.0.0.1:1';

let command: DoctorCommand;
const clients = new Clients();
const leaving: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  command = await DoctorCommand.create();
});
afterEach(async () => {
  await Promise.all(leaving.splice(0).map((leave) => leave()));
  await clients.closeClients();
});
afterAll(async () => {
  await clients.close();
  await command.remove();
});

/** Something that answers as a worker without connectors. Resolves with its URL. @param aheadMs of its clock */
async function stub(root: Record<string, string>, aheadMs = 0): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('Date', new Date(Date.now() + aheadMs).toUTCString());
    response.end(request.url === '/' ? JSON.stringify(root) : request.url === '/connectors' ? '[]' : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  leaving.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface MemberOptions {
  readonly configOffset?: number;
  /** When another member joins; otherwise the group waits for it. (Default: true) */
  readonly rejoins?: boolean;
}

/** Joins the group as a worker that advertises the URL. */
async function joinGroup(
  group: string,
  url: string,
  { configOffset = -1, rejoins = true }: MemberOptions = {},
): Promise<void> {
  const config = { 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '', 'client.id': 'stub' };
  const metadata = encodeMetadata('sessioned', { url, configOffset, allocation: null });
  const member = createGroupMember(
    createWire(config),
    config,
    {
      groupId: group,
      protocolType: 'connect',
      sessionTimeoutMs: 30_000,
      heartbeatIntervalMs: 1000,
      rebalanceTimeoutMs: 60_000,
      protocols: () => [{ name: 'sessioned', metadata }],
      assign: (_protocol, members) => new Map(members.map(({ memberId }) => [memberId, Buffer.alloc(0)])),
    },
    silentLogger,
  );
  const left = new AbortController();
  leaving.push(async () => {
    left.abort();
    await member.leave();
    await member.close();
  });
  await member.join(left.signal);
  const rejoin = async (): Promise<void> => {
    for (;;) {
      await member.whenNeedsJoin(left.signal);
      await member.join(left.signal);
    }
  };
  if (rejoins) void rejoin().catch(() => undefined);
}

async function storageTopics(group: string, broken = false): Promise<void> {
  await clients.topic(broken ? 3 : 1, { 'cleanup.policy': 'compact' }, `${group}-configs`);
  await clients.topic(1, { 'cleanup.policy': broken ? 'delete' : 'compact' }, `${group}-offsets`);
  await clients.topic(1, { 'cleanup.policy': broken ? 'compact,delete' : 'compact' }, `${group}-status`);
}

test('wrong storage topics, a dead worker’s URL, another config topic; the statements name the cluster', async () => {
  const group = uniqueName('doctor');
  await storageTopics(group, true);
  const url = `http://127.0.0.1:${await freePort()}/`;
  await joinGroup(group, url, { configOffset: 7 });
  const answer = await command.run(['--config', await command.settingsFile(group), '--url', url]);
  expect(codes(answer)).toEqual([
    'error STORAGE_TOPIC_PARTITIONS',
    'error STORAGE_TOPIC_CLEANUP_POLICY',
    'error STORAGE_TOPIC_CLEANUP_POLICY',
    'error WORKER_UNREACHABLE',
    'error GROUP_MIXED_STORAGE',
    'error REST_UNREACHABLE',
  ]);
  expect(answer.report.findings[1]?.statements).toEqual([
    `kafka-configs.sh --bootstrap-server ${process.env.BOOTSTRAP_SERVERS} --alter --entity-type topics --entity-name ${group}-offsets --add-config cleanup.policy=compact`,
  ]);
  expect(answer.code).toBe(5);
});

test('a clock that differs by an hour', async () => {
  const group = uniqueName('doctor');
  await storageTopics(group);
  const url = await stub({ version: '4.3.1' }, 3_600_000);
  await joinGroup(group, url);
  const answer = await command.run(['--config', await command.settingsFile(group)]);
  expect([...new Set(codes(answer))]).toEqual(['warning CLOCK_SKEW']);
  // A slow answer makes the measured difference less exact.
  expect(answer.report.findings[0]?.message).toMatch(/\b3[56]\d\d s/);
  expect(answer.code).toBe(0);
});

test('no worker, and storage topics that do not exist', async () => {
  const group = uniqueName('doctor');
  const answer = await command.run(['--config', await command.settingsFile(group), '--url', NO_WORKER]);
  expect(codes(answer)).toEqual([
    'error REST_UNREACHABLE',
    'warning STORAGE_TOPIC_MISSING',
    'warning STORAGE_TOPIC_MISSING',
    'warning STORAGE_TOPIC_MISSING',
    'warning GROUP_EMPTY',
  ]);
});

/** A group with a member for each URL, and good storage topics. */
async function groupOf(urls: readonly string[]): Promise<string> {
  const group = uniqueName('doctor');
  await storageTopics(group);
  await Promise.all(urls.map((url) => joinGroup(group, url)));
  await waitFor('all members in one generation', async () => {
    const { state, members } = await clients.admin.describeGroup(group);
    return state === 'Stable' && members.length === urls.length;
  });
  return group;
}

test('two members that advertise one URL', async () => {
  const url = await stub({ version: '4.3.1' });
  const group = await groupOf([url, url]);
  const answer = await command.run(['--config', await command.settingsFile(group)]);
  expect(codes(answer)).toEqual(['error GROUP_DUPLICATE_URL']);
});

test('two versions, one of them in another Kafka cluster', async () => {
  const group = await groupOf([
    await stub({ version: '4.3.1' }),
    await stub({ version: '4.2.0', kafka_cluster_id: 'another' }),
  ]);
  const answer = await command.run(['--config', await command.settingsFile(group)]);
  expect(codes(answer)).toEqual(['error WORKER_OTHER_CLUSTER', 'warning WORKER_VERSIONS']);
});

test('more members than are asked', async () => {
  const url = await stub({ version: '4.3.1' });
  const group = await groupOf(Array.from({ length: 65 }, (_, i) => `${url}${i}`));
  const answer = await command.run(['--config', await command.settingsFile(group), '--url', url]);
  expect(found(answer, 'GROUP_MEMBERS').message).toContain('64 of 65');
});

test('consumers with the group.id of the workers', async () => {
  const group = uniqueName('doctor');
  await storageTopics(group);
  const consumer = await clients.group(group);
  const ignore = { onAssigned: () => undefined, onRevoked: () => undefined, onLost: () => undefined };
  consumer.subscribe([`${group}-configs`], ignore);
  await waitFor('its assignment', async () => (await consumer.poll(100), consumer.assignment().length > 0));
  const answer = await command.run([
    '--config',
    await command.settingsFile(group),
    '--url',
    await stub({ version: '1' }),
  ]);
  expect(codes(answer)).toEqual(['error GROUP_TYPE']);
});

test('a member that does not rejoin keeps the group in a rebalance', async () => {
  const group = uniqueName('doctor');
  await storageTopics(group);
  const url = await stub({ version: '1' });
  await joinGroup(group, url, { rejoins: false });
  void joinGroup(group, `${url}2`).catch(() => undefined);
  await waitFor('the rebalance', async () => (await clients.admin.describeGroup(group)).state !== 'Stable');
  const answer = await command.run(['--config', await command.settingsFile(group), '--url', url]);
  expect(codes(answer)).toContain('warning GROUP_REBALANCING');
});

test('one topic for two purposes', async () => {
  const group = uniqueName('doctor');
  await storageTopics(group);
  const settings = { 'status.storage.topic': `${group}-offsets` };
  const file = await command.settingsFile(group, settings);
  const answer = await command.run(['--config', file, '--url', await stub({ version: '1' })]);
  expect(codes(answer)).toEqual(['error STORAGE_TOPIC_SHARED', 'warning GROUP_EMPTY']);
});

test('client settings that are incomplete', async () => {
  const file = await command.settingsFile('any', { 'security.protocol': 'SASL_PLAINTEXT', 'sasl.mechanism': 'PLAIN' });
  const answer = await command.run(['--config', file, '--url', NO_WORKER]);
  expect(codes(answer)).toEqual(['error KAFKA_SETTINGS', 'error REST_UNREACHABLE']);
});

test('a certificate of the broker that the worker does not trust', async () => {
  const { key, cert } = makeIdentity('broker', null, '127.0.0.1');
  const broker = await startEmbedded({ settings: { tls: { key, cert } } });
  try {
    const settings = { 'bootstrap.servers': broker.bootstrapServers, 'security.protocol': 'SSL' };
    const answer = await command.run(['--config', await command.settingsFile('any', settings), '--url', NO_WORKER]);
    expect(codes(answer)).toEqual(['error KAFKA_TLS', 'error REST_UNREACHABLE']);
    const trusted = {
      ...settings,
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.certificates': cert.replaceAll('\n', '\\n'),
    };
    const cured = await command.run(['--config', await command.settingsFile('any', trusted), '--url', NO_WORKER]);
    expect(codes(cured)).not.toContain('error KAFKA_TLS');
  } finally {
    await broker.stop();
  }
});
