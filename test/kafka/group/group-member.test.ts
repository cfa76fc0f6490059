import { createGroupMember } from '../../../packages/kafka-client/src/group/group-member';
import type { Wire } from '../../../packages/kafka-client/src/wire';
import { silentLogger } from '../../../src/logging/logger';
import { waitFor } from '../../helpers/wait-for';
import { gate } from '../producer/producer-harness';

test('connect-runtime 2.1: a join aborted during the coordinator lookup does not continue afterwards', async () => {
  const coordinator = gate<number>();
  const send = jest.fn(() => new Promise(() => undefined));
  const wire = {
    coordinator: () => coordinator.promise,
    version: () => Promise.resolve(5),
    send,
    close: () => Promise.resolve(),
  } as unknown as Wire;
  const options = {
    groupId: 'g',
    protocolType: 'connect',
    sessionTimeoutMs: 10_000,
    heartbeatIntervalMs: 3_000,
    rebalanceTimeoutMs: 60_000,
    protocols: () => [{ name: 'default', metadata: Buffer.alloc(0) }],
    assign: () => new Map<string, Buffer>(),
  };
  const member = createGroupMember(wire, {}, options, silentLogger);
  const abort = new AbortController();
  const joining = member.join(abort.signal);
  abort.abort();
  await expect(joining).rejects.toMatchObject({ code: 'ABORTED' });
  coordinator.open(1);
  await new Promise(setImmediate);
  // A membership that resulted from it would have no heartbeats, and the next join would never be requested.
  expect(send).not.toHaveBeenCalled();
  expect(member.needsJoin).toBe(true);
  await member.close();
});

test('connect-runtime 2.1: a late SyncGroup response of an aborted join does not end the next membership', async () => {
  const late = gate<unknown>();
  let joins = 0;
  let syncs = 0;
  const answers: Record<string, () => unknown> = {
    JoinGroup: () => {
      const memberId = `member-${++joins}`;
      return { errorCode: 0, generation: joins, protocol: 'default', leaderId: 'another', memberId, members: [] };
    },
    SyncGroup: () => {
      const answer = { errorCode: 0, protocolType: 'connect', protocol: 'default', assignment: Buffer.from('mine') };
      return ++syncs === 1 ? late.promise : answer;
    },
    LeaveGroup: () => 0,
    Heartbeat: () => 0,
  };
  const asked: string[] = [];
  const wire = {
    coordinator: () => Promise.resolve(1),
    forgetCoordinator: () => undefined,
    version: () => Promise.resolve(5),
    send: (_node: number, { apiName }: { apiName: string }) => {
      asked.push(apiName);
      return Promise.resolve(answers[apiName]?.());
    },
    close: () => Promise.resolve(),
  } as unknown as Wire;
  const options = {
    groupId: 'g',
    protocolType: 'connect',
    sessionTimeoutMs: 10_000,
    heartbeatIntervalMs: 3_000,
    rebalanceTimeoutMs: 60_000,
    protocols: () => [{ name: 'default', metadata: Buffer.alloc(0) }],
    assign: () => new Map<string, Buffer>(),
  };
  const member = createGroupMember(wire, {}, options, silentLogger);
  const lost: string[] = [];
  member.onLost = ({ code }) => lost.push(code);
  const first = member.join();
  first.catch(() => undefined);
  while (!asked.includes('SyncGroup')) await new Promise(setImmediate);
  await member.leave();
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
  await member.join();
  late.open({ errorCode: 25, protocolType: null, protocol: null, assignment: Buffer.alloc(0) });
  await new Promise(setImmediate);
  expect(lost).toEqual([]);
  expect(member.current).toMatchObject({ generation: 2, memberId: 'member-2' });
  expect(member.needsJoin).toBe(false);
  await member.close();
});

test('heartbeats are more frequent than configured on request', async () => {
  let heartbeats = 0;
  const answers: Record<string, () => unknown> = {
    JoinGroup: () => ({
      ...{ errorCode: 0, generation: 1, protocol: 'default', leaderId: 'another', memberId: 'm', members: [] },
    }),
    SyncGroup: () => ({ errorCode: 0, protocolType: 'connect', protocol: 'default', assignment: Buffer.alloc(0) }),
    LeaveGroup: () => 0,
    Heartbeat: () => {
      heartbeats++;
      return 0;
    },
  };
  const wire = {
    coordinator: () => Promise.resolve(1),
    forgetCoordinator: () => undefined,
    version: () => Promise.resolve(5),
    send: (_node: number, { apiName }: { apiName: string }) => Promise.resolve(answers[apiName]?.()),
    close: () => Promise.resolve(),
  } as unknown as Wire;
  const options = {
    groupId: 'g',
    protocolType: 'connect',
    sessionTimeoutMs: 10_000_000,
    heartbeatIntervalMs: 3_000_000,
    rebalanceTimeoutMs: 60_000,
    protocols: () => [{ name: 'default', metadata: Buffer.alloc(0) }],
    assign: () => new Map<string, Buffer>(),
  };
  const member = createGroupMember(wire, {}, options, silentLogger);
  await member.join();
  member.heartbeatAtLeastEvery(1);
  await waitFor('several heartbeats', () => heartbeats > 3);
  await member.leave();
  await member.close();
  expect(heartbeats).toBeGreaterThan(3);
});

test.each([
  ['connect', 'GROUP_TYPE', /^group\.id 'g' is used by a consumer group or by other clients.*set another group\.id/],
  [
    'consumer',
    'INCONSISTENT_GROUP_PROTOCOL',
    /^Consumer group 'g' is used by Connect workers or other clients.*set another group id/,
  ],
])(
  'a %s member of a group of another protocol type: the error names the cause and the cure',
  async (protocolType, code, message) => {
    const wire = {
      coordinator: () => Promise.resolve(1),
      forgetCoordinator: () => undefined,
      version: () => Promise.resolve(5),
      send: () => Promise.resolve({ errorCode: 23, memberId: '' }),
      close: () => Promise.resolve(),
    } as unknown as Wire;
    const options = {
      groupId: 'g',
      protocolType,
      sessionTimeoutMs: 10_000,
      heartbeatIntervalMs: 3_000,
      rebalanceTimeoutMs: 60_000,
      protocols: () => [{ name: 'default', metadata: Buffer.alloc(0) }],
      assign: () => new Map<string, Buffer>(),
    };
    const member = createGroupMember(wire, {}, options, silentLogger);
    await expect(member.join()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
      retriable: false,
      cause: { code: 'INCONSISTENT_GROUP_PROTOCOL' },
    });
    await member.close();
  },
);
