/**
 * Whether a request between workers needs a signature: the protocol of the group decides, and the worker's setting
 * before there is a group.
 */
import type { SignedBody } from '../../../src/cluster/entities';
import type { WorkerConfig } from '../../../src/config/worker-config';
import { silentLogger, type Logger } from '../../../src/logging/logger';
import { waitFor } from '../../helpers/wait-for';
import { createWorker, type TestWorker } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';

const UNSIGNED: SignedBody = { raw: Buffer.from('[]'), signature: null, algorithm: null };
const REFUSED = { status: 400, message: 'Internal request missing required signature' };
const ABSENT = { status: 404, message: 'Connector c not found' };

let kafka: MemoryKafka;
let workers: TestWorker[];
let lines: string[];
beforeEach(() => {
  kafka = new MemoryKafka();
  workers = [];
  lines = [];
});
afterEach(async () => {
  for (const { herder } of workers) await herder.stop();
});

function worker(connectProtocol: WorkerConfig['connectProtocol'], alwaysVerifies = false): TestWorker {
  const keep = (message: string): void => void lines.push(message);
  const logger: Logger = { ...silentLogger, warn: keep, info: keep, child: () => logger };
  const made = createWorker(kafka, 'g', { config: { connectProtocol, alwaysVerifies }, logger });
  workers.push(made);
  return made;
}

/** Resolves to whether the body was parsed. */
async function submit({ herder }: TestWorker): Promise<boolean> {
  return await new Promise((resolve) => {
    const read = (): [] => {
      resolve(true);
      return [];
    };
    herder.writes.submitTaskConfigs('c', UNSIGNED, read).catch(() => resolve(false));
  });
}

test('a worker outside a group follows its setting', async () => {
  expect(await submit(worker('sessioned'))).toBe(false);
  expect(await submit(worker('compatible'))).toBe(true);
  expect(await submit(worker('eager'))).toBe(true);
});

test.each(['compatible', 'eager'] as const)(
  'a group with a member that supports at most %s does not sign',
  async (older) => {
    const [old, young] = [worker(older), worker('sessioned')] as const;
    await Promise.all([old.herder.start(), young.herder.start()]);
    for (const { herder } of workers) await herder.health();
    const answers = workers.map(async ({ herder }) => await herder.writes.submitTaskConfigs('c', UNSIGNED, () => []));
    const failures = (await Promise.allSettled(answers)).map((answer) => (answer as PromiseRejectedResult).reason);
    expect(failures).toContainEqual(expect.objectContaining(ABSENT));
    expect(failures).not.toContainEqual(expect.objectContaining(REFUSED));
  },
);

test.each(['compatible', 'eager'] as const)(
  'with roles or tokens, a member that supports at most %s does not open the leader to requests without a signature',
  async (older) => {
    const young = worker('sessioned', true);
    await young.herder.start();
    await young.herder.health();
    const old = worker(older);
    await old.herder.start();
    await old.herder.health();
    await young.herder.health();
    const read = jest.fn(() => []);
    await expect(young.herder.writes.submitTaskConfigs('c', UNSIGNED, read)).rejects.toMatchObject(REFUSED);
    await expect(young.herder.writes.fenceTasks('c', UNSIGNED)).rejects.toMatchObject(REFUSED);
    expect(read).not.toHaveBeenCalled();
    expect(young.herder.requiresSignatures).toBe(true);
    expect(lines).toContainEqual(
      expect.stringMatching(
        `from 'sessioned' to '${older}', but because of rest.auth.* this worker still accepts only`,
      ),
    );
    // Its other workers can sign.
    expect(young.herder.groupSecret('x')).not.toBeNull();
  },
);

test('a member that turns the signatures off is reported, and that they are on again', async () => {
  const young = worker('sessioned');
  await young.herder.start();
  await young.herder.health();
  const old = worker('compatible');
  await old.herder.start();
  await old.herder.health();
  await young.herder.health();
  expect(young.herder.requiresSignatures).toBe(false);
  const changes = (): string[] => lines.filter((line) => /protocol used by|request validation/.test(line));
  const downgraded =
    /^The protocol used by this Connect cluster has been downgraded from 'sessioned' to 'compatible' and internal request validation is now disabled\. This is most likely/;
  expect(changes()).toEqual([expect.stringMatching(downgraded)]);
  await old.herder.stop();
  await waitFor('the group to sign again', () => young.herder.requiresSignatures);
  expect(changes().slice(1)).toEqual(['Internal request validation has been re-enabled']);
});

test('a group that signs rejects requests without a signature, also while a member leaves', async () => {
  const one = worker('sessioned');
  await one.herder.start();
  await one.herder.health();
  const read = jest.fn(() => []);
  await expect(one.herder.writes.submitTaskConfigs('c', UNSIGNED, read)).rejects.toMatchObject(REFUSED);
  await expect(one.herder.writes.fenceTasks('c', UNSIGNED)).rejects.toMatchObject(REFUSED);
  await one.herder.stop();
  await expect(one.herder.writes.submitTaskConfigs('c', UNSIGNED, read)).rejects.toMatchObject(REFUSED);
  expect(read).not.toHaveBeenCalled();
});
