import { createGroupMember } from '../../src/kafka/group-member';
import type { Wire } from '../../src/kafka/wire';
import { silentLogger } from '../../src/logging/logger';
import { gate } from './producer-harness';

test('connect-runtime 2.1: a join that was aborted while its coordinator was looked for does not go on behind that', async () => {
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
  // Nobody would look after a membership that came of it, and nobody would hear that one is still wanted.
  expect(send).not.toHaveBeenCalled();
  expect(member.needsJoin).toBe(true);
  await member.close();
});
