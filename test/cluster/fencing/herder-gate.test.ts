import { ConnectError } from '@millrace/sdk';
import { HerderError, NotHereError } from '../../../src/cluster/errors';
import { HerderGate, type HerderGateOptions } from '../../../src/cluster/fencing/herder-gate';
import { silentLogger } from '../../../src/logging/logger';
import { ConfigSnapshot } from '../../../src/storage/config/config-snapshot';

const ID = { connector: 'c', task: 0 };

function create(options: Partial<HerderGateOptions> = {}): { gate: HerderGate; calls: string[] } {
  const calls: string[] = [];
  const gate = new HerderGate({
    configs: {
      snapshot: () => Object.assign(Object.create(ConfigSnapshot.EMPTY) as ConfigSnapshot, { generation: () => 7 }),
      readToEnd: async () => void calls.push('read'),
    },
    fence: async () => void calls.push('fence'),
    requestFencing: async () => void calls.push('request'),
    run: async (stage, run) => {
      calls.push(stage);
      return await run();
    },
    ownership: () => 'owned',
    logger: silentLogger,
    ...options,
  });
  return { gate, calls };
}

test('connect-runtime §3.9: the leader fences itself, other workers request it of the leader', async () => {
  const leader = create();
  await leader.gate.fence('c');
  expect(leader.calls).toEqual(['fence']);
  const follower = create({ fence: async () => await Promise.reject(new NotHereError('http://leader/')) });
  await follower.gate.fence('c');
  expect(follower.calls).toEqual(['request']);
});

describe('while fencing is not possible', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test.each([403, 409, 503])('with status %s it is retried', async (status) => {
    let failures = 3;
    const { gate, calls } = create({
      fence: async () => {
        if (failures-- > 0) throw new HerderError(status, 'not now');
        calls.push('fence');
      },
    });
    const fenced = gate.fence('c');
    await jest.advanceTimersByTimeAsync(5_000);
    await fenced;
    expect(calls).toEqual(['fence']);
  });

  test.each([
    'IO Error trying to forward REST request: socket hang up',
    'Worker is shutting down',
    'Failed to write to config topic; this may be due to a transient error and the request can be safely retried',
  ])('because the leader is replaced, it is requested again: %s', async (message) => {
    let failures = 1;
    const { gate, calls } = create({
      fence: async () => await Promise.reject(new NotHereError('http://leader/')),
      requestFencing: async () => {
        if (failures-- > 0) throw new HerderError(500, message);
        calls.push('request');
      },
    });
    const fenced = gate.fence('c');
    await jest.advanceTimersByTimeAsync(1_000);
    await fenced;
    expect(calls).toEqual(['request']);
  });

  test('for a minute, the task fails with the last reason', async () => {
    const { gate } = create({ fence: async () => await Promise.reject(new HerderError(409, 'a rebalance')) });
    const fenced = expect(gate.fence('c')).rejects.toMatchObject({
      code: 'FENCING_FAILED',
      message: 'Failed to perform round of zombie fencing for connector c: a rebalance',
    });
    await jest.advanceTimersByTimeAsync(61_000);
    await fenced;
  });

  test('and never will be, the task fails at once', async () => {
    const { gate } = create({
      fence: async () => await Promise.reject(new HerderError(500, 'Failed to perform zombie fencing')),
    });
    await expect(gate.fence('c')).rejects.toMatchObject({ code: 'FENCING_FAILED' });
  });

  test.each(['CONFIG_READ_TIMEOUT', 'CONFIG_WRITE_FAILED'])(
    'a leader that fails itself may retry: %s',
    async (code) => {
      const { gate } = create({
        fence: async () => await Promise.reject(new ConnectError('no config topic', { code })),
      });
      const fenced = expect(gate.fence('c')).rejects.toMatchObject({ code: 'FENCING_FAILED', retriable: true });
      await jest.advanceTimersByTimeAsync(61_000);
      await fenced;
    },
  );

  test('a start is confirmed once the coordinator has responded', async () => {
    const answers = ['unknown', 'unknown', 'owned'] as const;
    let asked = 0;
    const { gate } = create({ ownership: () => answers[asked++] ?? 'revoked' });
    const confirmed = gate.confirm(ID, 7);
    await jest.advanceTimersByTimeAsync(1_000);
    await confirmed;
    expect(asked).toBe(3);
  });
});

test('connect-runtime 83: a start is confirmed on the tick, after the config topic was read to its end', async () => {
  const { gate, calls } = create();
  await gate.confirm(ID, 7);
  expect(calls).toEqual(['read', 'performing a preflight check for task c-0']);
});

test('connect-runtime 83: a task of an outdated generation, or of another worker, cannot start', async () => {
  await expect(create().gate.confirm(ID, 6)).rejects.toMatchObject({
    code: 'TASK_START_OUTDATED',
    message:
      'Cannot start source task c-0 with exactly-once support as the connector has already generated a new set of task configs',
  });
  await expect(create({ ownership: () => 'revoked' }).gate.confirm(ID, 7)).rejects.toMatchObject({
    code: 'TASK_START_OUTDATED',
    message: 'Cannot start source task c-0 as it has already been revoked from this worker',
  });
});
