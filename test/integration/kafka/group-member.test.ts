import { createGroupMember, type KafkaGroupMember } from '../../../packages/kafka-client/src/group/group-member';
import type { GroupRequests } from '../../../packages/kafka-client/src/group/group-requests';
import { createWire } from '../../../packages/kafka-client/src/network/network-client';
import type { GroupMemberInfo, GroupMemberOptions } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { proxyTo } from '../../helpers/tcp-proxy';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('connect-runtime 2.1: the group member', () => {
  const clients = new Clients();
  afterEach(() => clients.closeClients());
  afterAll(() => clients.close());

  const member = (groupId: string, name: string, options: Partial<GroupMemberOptions> = {}): KafkaGroupMember => {
    const config = { 'bootstrap.servers': process.env['BOOTSTRAP_SERVERS'] as string, 'client.id': name };
    const made = createGroupMember(
      createWire(config),
      config,
      {
        groupId,
        protocolType: 'connect',
        sessionTimeoutMs: 30_000,
        heartbeatIntervalMs: 200,
        rebalanceTimeoutMs: 60_000,
        protocols: () => [
          { name: 'sessioned', metadata: bytes(`\xff${name}`) },
          { name: 'default', metadata: bytes(name) },
        ],
        assign: (_protocol, members) =>
          new Map(members.map((one) => [one.memberId, Buffer.concat([bytes('for '), one.metadata])])),
        ...options,
      },
      silentLogger,
    );
    return clients.own(made);
  };

  test('two members of type connect exchange opaque bytes through their leader', async () => {
    const groupId = uniqueName('group');
    const seen: GroupMemberInfo[][] = [];
    const assign: GroupMemberOptions['assign'] = async (protocol, members) => {
      seen.push([...members]);
      await Promise.resolve();
      return new Map(members.map((one) => [one.memberId, Buffer.concat([bytes(`${protocol} `), one.metadata])]));
    };
    const first = member(groupId, 'a', { assign });
    const second = member(groupId, 'b', { assign });
    expect(first.needsJoin).toBe(true);
    const alone = await first.join();
    expect(alone).toMatchObject({
      protocol: 'sessioned',
      memberId: alone.leaderId,
      assignment: bytes('sessioned \xffa'),
    });
    expect(alone.memberId).toMatch(/^a-/);
    expect(first.needsJoin).toBe(false);
    const joining = second.join();
    await first.whenNeedsJoin();
    const [one, two] = await Promise.all([first.join(), joining]);
    expect(one.generation).toBe(two.generation);
    expect(one.generation).toBeGreaterThan(alone.generation);
    expect(one.leaderId).toBe(two.leaderId);
    expect(two.assignment).toEqual(bytes('sessioned \xffb'));
    expect(
      seen
        .at(-1)
        ?.map((info) => info.metadata.toString('latin1'))
        .sort(),
    ).toEqual(['\xffa', '\xffb']);
    const group = await clients.admin.describeGroup(groupId);
    expect(group).toMatchObject({ state: 'Stable', protocolType: 'connect', protocol: 'sessioned' });
    expect(group.members.map(({ clientId }) => clientId).sort()).toEqual(['a', 'b']);
  });

  test('connect-runtime 109: a member that waits in a join for another one still confirms its membership', async () => {
    const groupId = uniqueName('group');
    const heard: number[] = [];
    const waiting = member(groupId, 'a', { onSessionExtended: ({ monotonic }) => heard.push(monotonic) });
    const slow = member(groupId, 'b');
    await waiting.join();
    const joining = slow.join();
    await waiting.whenNeedsJoin();
    await Promise.all([waiting.join(), joining]);
    const before = heard.length;
    waiting.requestRejoin('to wait for the other one');
    const again = waiting.join();
    await slow.whenNeedsJoin();
    await waitFor('three more answers', () => heard.length >= before + 3);
    await Promise.all([again, slow.join()]);
    expect(waiting.current?.generation).toBe(slow.current?.generation);
  });

  test('connect-runtime 2.2: the broker picks a protocol that all members support', async () => {
    const groupId = uniqueName('group');
    const modern = member(groupId, 'modern');
    const old = member(groupId, 'old', { protocols: () => [{ name: 'default', metadata: bytes('old') }] });
    await modern.join();
    const joining = old.join();
    await modern.whenNeedsJoin();
    const [one] = await Promise.all([modern.join(), joining]);
    expect(one.protocol).toBe('default');
  });

  test('all members notice a rejoin request, also one made during a join', async () => {
    const groupId = uniqueName('group');
    const first = member(groupId, 'a');
    let changed = false;
    const second = member(groupId, 'b', {
      assign: (_protocol, members) => {
        if (!changed) second.requestRejoin('the world changed while sharing out');
        changed = true;
        return new Map(members.map((one) => [one.memberId, bytes('x')]));
      },
    });
    await second.join();
    expect(second.needsJoin).toBe(true);
    const before = (await second.join()).generation;
    const joining = first.join();
    await second.whenNeedsJoin();
    await Promise.all([joining, second.join()]);
    // The broker acts on a follower's rejoin only when its metadata changed; on the leader's always.
    second.requestRejoin('a reason');
    expect(second.needsJoin).toBe(true);
    const again = second.join();
    await first.whenNeedsJoin();
    const [one] = await Promise.all([again, first.join()]);
    expect(one.generation).toBeGreaterThan(before);
  });

  test('other members notice a leave at once, and the member can rejoin', async () => {
    const groupId = uniqueName('group');
    const first = member(groupId, 'a');
    const second = member(groupId, 'b');
    await first.join();
    const joining = second.join();
    await first.whenNeedsJoin();
    const [, before] = await Promise.all([first.join(), joining]);
    await second.leave('done');
    expect(second.current).toBeNull();
    await first.whenNeedsJoin();
    await first.join();
    expect((await clients.admin.describeGroup(groupId)).members).toHaveLength(1);
    const back = second.join();
    await first.whenNeedsJoin();
    const [, after] = await Promise.all([first.join(), back]);
    expect(after.memberId).not.toBe(before.memberId);
  });

  test('heartbeats keep an idle member past its session timeout', async () => {
    const groupId = uniqueName('group');
    const only = member(groupId, 'a', { sessionTimeoutMs: 10_000 });
    const { generation } = await only.join();
    const lost = jest.fn();
    only.onLost = lost;
    const until = Date.now() + 11_000;
    await waitFor('the session timeout to pass', () => Date.now() > until);
    expect(lost).not.toHaveBeenCalled();
    expect(only.sinceHeartbeatMs).toBeLessThan(10_000);
    expect(only.current?.generation).toBe(generation);
    expect((await clients.admin.describeGroup(groupId)).state).toBe('Stable');
  });

  test('a member that cannot reach its coordinator for a session is notified of the loss', async () => {
    const proxy = await proxyTo(process.env['BOOTSTRAP_SERVERS'] as string);
    try {
      const groupId = uniqueName('group');
      const cut = member(groupId, 'cut', { sessionTimeoutMs: 6_000 });
      await cut.join();
      const lost = new Promise((resolve) => {
        cut.onLost = resolve;
      });
      // Connections can still be opened, and are cut at the first bytes.
      proxy.cutAfter = 0;
      proxy.cutAll();
      await expect(lost).resolves.toMatchObject({ code: 'SESSION_EXPIRED' });
      expect(cut.current).toBeNull();
      expect(cut.needsJoin).toBe(true);
      proxy.cutAfter = null;
      const joined = await cut.join();
      expect(joined.assignment).toEqual(bytes('for \xffcut'));
    } finally {
      await proxy.close();
    }
  });

  test('cut connections have no effect while the session is alive', async () => {
    const proxy = await proxyTo(process.env['BOOTSTRAP_SERVERS'] as string);
    try {
      const cut = member(uniqueName('group'), 'cut');
      const { generation } = await cut.join();
      const lost = jest.fn();
      cut.onLost = lost;
      const before = proxy.connections;
      proxy.cutAll();
      await waitFor('a new connection', () => proxy.connections > before);
      const since = performance.now();
      await waitFor('a heartbeat over it', () => cut.sinceHeartbeatMs < performance.now() - since);
      expect(cut.current?.generation).toBe(generation);
      expect(lost).not.toHaveBeenCalled();
    } finally {
      await proxy.close();
    }
  });

  test('an expelled member detects it, then joins under a new id', async () => {
    const groupId = uniqueName('group');
    const expelled = member(groupId, 'a');
    const { memberId } = await expelled.join();
    const lost = new Promise((resolve) => {
      expelled.onLost = resolve;
    });
    // Another client sends LeaveGroup with its member id.
    const other = member(groupId, 'a');
    await (other as unknown as { requests: GroupRequests }).requests.leave(
      { groupId, memberId, groupInstanceId: null },
      'expelled',
    );
    await expect(lost).resolves.toMatchObject({ code: 'UNKNOWN_MEMBER_ID' });
    expect(expelled.current).toBeNull();
    expect((await expelled.join()).memberId).not.toBe(memberId);
  });

  test('a static member rejoins without a rebalance, and a duplicate fences it', async () => {
    const groupId = uniqueName('group');
    const options = { groupInstanceId: 'one' };
    const first = member(groupId, 'a', options);
    const { generation, memberId } = await first.join();
    await first.leave();
    expect((await clients.admin.describeGroup(groupId)).members).toHaveLength(1);
    const back = member(groupId, 'a', options);
    const again = await back.join();
    expect(again.generation).toBe(generation);
    expect(again.memberId).not.toBe(memberId);
    const lost = new Promise((resolve) => {
      back.onLost = resolve;
    });
    await member(groupId, 'a', options).join();
    await expect(lost).resolves.toMatchObject({ code: 'FENCED_INSTANCE_ID', fenced: true });
    await expect(back.join()).rejects.toMatchObject({ code: 'FENCED_INSTANCE_ID' });
  });

  test('fatal errors of the coordinator reject the join', async () => {
    const tooShort = member(uniqueName('group'), 'a', { sessionTimeoutMs: 1 });
    await expect(tooShort.join()).rejects.toMatchObject({ code: 'INVALID_SESSION_TIMEOUT' });
    const groupId = uniqueName('group');
    await member(groupId, 'a').join();
    const stranger = member(groupId, 'b', { protocolType: 'consumer' });
    await expect(stranger.join()).rejects.toMatchObject({ code: 'INCONSISTENT_GROUP_PROTOCOL' });
  });

  test('a join can be aborted', async () => {
    const groupId = uniqueName('group');
    await member(groupId, 'a').join();
    const waiting = member(groupId, 'b');
    const abort = new AbortController();
    const joining = waiting.join(abort.signal);
    abort.abort();
    await expect(joining).rejects.toMatchObject({ code: 'ABORTED' });
    expect(waiting.needsJoin).toBe(true);
  });
});
