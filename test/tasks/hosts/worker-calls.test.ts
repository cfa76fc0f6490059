import { ConnectError, RetriableError } from '@millrace/sdk';
import { HerderError } from '../../../src/cluster/errors';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { answerCall } from '../../../src/tasks/hosts/worker-calls';
import type { WorkerCall } from '../../../src/tasks/hosts/task-thread-messages';
import { spec } from '../fakes';

const away = new KafkaError('NETWORK_EXCEPTION', 'the broker is away', { retriable: true });
const outdated = new ConnectError('newer task configs exist', { code: 'TASK_START_OUTDATED' });

/** Of the error that the task's thread gets. */
async function retriable(name: WorkerCall['name'], error: Error): Promise<boolean | undefined> {
  const fail = async (): Promise<never> => await Promise.reject(error);
  const worker = {
    offsets: { read: fail, write: fail, copy: fail, encode: fail },
    gate: { fence: fail, confirm: fail },
  };
  const call = { name, partitions: [], offsets: [], generation: 1 } as unknown as WorkerCall;
  return (await answerCall(call, 1, spec('source'), worker)).error?.retriable;
}

test.each([
  ['fence', new RetriableError('no leader', { code: 'FENCING_FAILED' }), true],
  ['fence', away, true],
  ['confirm', new HerderError(500, 'Worker is shutting down'), true],
  ['confirm', outdated, false],
  ['read', away, true],
  ['encode', away, true],
  ['encode', new ConnectError('not an object'), false],
] as const)('a task that fails because of its call %s is restarted only if that may help', async (name, error, may) => {
  expect(await retriable(name, error)).toBe(may);
});

test.each([
  ['exactly-once', { transactionalId: 'g-c-0', generation: 1 }, 'own'],
  ['at-least-once', null, undefined],
])('an %s task uses the offsets topic of its own config, or of the newest one', async (_, exactlyOnce, expected) => {
  const topics: (string | undefined)[] = [];
  const noted = async (_name: string, _what: unknown, config?: Record<string, string>): Promise<never> =>
    void topics.push(config?.['offsets.storage.topic']) as never;
  const offsets = { read: noted, write: noted, copy: noted, encode: noted };
  const of = spec('source', { 'offsets.storage.topic': 'own' }, { exactlyOnce });
  for (const name of ['read', 'encode', 'copy'] as const)
    await answerCall({ name, partitions: [], offsets: [] } as unknown as WorkerCall, 1, of, { offsets });
  expect(topics).toEqual([expected, expected, expected]);
});
