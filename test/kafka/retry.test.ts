import { KafkaError } from '../../packages/kafka-client/src/errors';
import { retrying } from '../../packages/kafka-client/src/retry';

describe('retrying', () => {
  const policy = { timeoutMs: 10_000, retryBackoffMs: 1, retryBackoffMaxMs: 2 };
  const failing = (error: Error, times: number) => {
    let calls = 0;
    return { calls: () => calls, attempt: () => (++calls <= times ? Promise.reject(error) : Promise.resolve(calls)) };
  };

  test('retries after retriable errors only', async () => {
    const transient = failing(new KafkaError('LEADER_NOT_AVAILABLE', 'x', { retriable: true }), 3);
    expect(await retrying(policy, transient.attempt)).toBe(4);
    const fatal = failing(new KafkaError('ILLEGAL_STATE', 'y'), 3);
    await expect(retrying(policy, fatal.attempt)).rejects.toMatchObject({ code: 'ILLEGAL_STATE' });
    const foreign = failing(new Error('bug'), 1);
    await expect(retrying(policy, foreign.attempt)).rejects.toThrow('bug');
    expect([fatal.calls(), foreign.calls()]).toEqual([1, 1]);
  });

  test('ends with the last error when time is up or when aborted', async () => {
    const error = new KafkaError('LEADER_NOT_AVAILABLE', 'x', { retriable: true });
    await expect(retrying({ ...policy, timeoutMs: 0 }, failing(error, 99).attempt)).rejects.toBe(error);
    const abort = new AbortController();
    abort.abort();
    const aborted = failing(error, 99);
    await expect(retrying(policy, aborted.attempt, abort.signal)).rejects.toBe(error);
    expect(aborted.calls()).toBe(1);
  });
});
