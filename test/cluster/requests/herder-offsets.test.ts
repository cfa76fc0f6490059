/**
 * Offsets of source connectors, changed by the leader once no worker runs their tasks. Source: connect-runtime §3.8.
 */
import { ConnectError, UnsupportedOperationError, type SourceOffset, type SourcePartition } from '@millrace/sdk';
import { offsetsJson, type PartitionOffset } from '../../../src/cluster/connector-offsets';
import { NotHereError } from '../../../src/cluster/errors';
import { waitFor } from '../../helpers/wait-for';
import { whilePending } from '../../helpers/while-pending';
import { createWorker, defaultBehavior, states, type FixtureBehavior, type TestWorker } from '../herder-fixtures';
import { serveInternalEndpoint, type Endpoint } from '../internal-endpoint';
import { MemoryKafka, type MemoryMember } from '../memory-kafka';

const OFFSETS = 'g-offsets';
const config = { name: 'c', 'connector.class': 'org.example.TickConnector', 'tasks.max': '2' };
const entry = (partition: PartitionOffset['partition'], offset: PartitionOffset['offset']): PartitionOffset => ({
  partition,
  offset,
});

let kafka: MemoryKafka;
let workers: TestWorker[];
let endpoints: Endpoint[];
beforeEach(() => {
  kafka = new MemoryKafka();
  workers = [];
  endpoints = [];
});
afterEach(async () => {
  for (const worker of workers) await worker.herder.stop();
  for (const endpoint of endpoints) endpoint.close();
});

async function start(behavior: Partial<FixtureBehavior> = {}): Promise<TestWorker> {
  const endpoint = await serveInternalEndpoint();
  endpoints.push(endpoint);
  const worker = createWorker(kafka, 'g', { url: endpoint.url, behavior: { ...defaultBehavior(), ...behavior } });
  workers.push(worker);
  endpoint.serve(worker.herder);
  await worker.herder.start();
  expect(await worker.herder.health()).toMatchObject({ status: 'healthy' });
  return worker;
}
async function reaches(worker: TestWorker, expected: string): Promise<void> {
  await waitFor(`c to be ${expected}`, () => states(worker.herder, 'c') === expected, {
    everyMs: 5,
    detail: () => states(worker.herder, 'c'),
  });
}
const listed = async ({ herder }: TestWorker): Promise<string> => offsetsJson(await herder.offsets.list('c'));

test('connect-runtime 62: offsets are refused while RUNNING and PAUSED, altered when STOPPED, and used after resuming', async () => {
  const worker = await start({ alterOffsets: () => true });
  const { herder, host } = worker;
  const refusal = {
    status: 400,
    message:
      "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified connector by issuing a 'PUT' request to the '/connectors/c/stop' endpoint",
  };
  await herder.writes.createConnector('c', config, null);
  await reaches(worker, 'RUNNING RUNNING,RUNNING');
  await host.offsets.write('c', [[{ file: 'a' }, { position: 7 }]]);
  expect(await listed(worker)).toBe('{"offsets":[{"partition":{"file":"a"},"offset":{"position":7}}]}');
  await expect(herder.offsets.alter('c', [entry({ file: 'a' }, { position: 1 })])).rejects.toMatchObject(refusal);
  await expect(herder.offsets.reset('c')).rejects.toMatchObject(refusal);
  await herder.writes.setTargetState('c', 'PAUSED');
  await reaches(worker, 'PAUSED PAUSED,PAUSED');
  await expect(herder.offsets.reset('c')).rejects.toMatchObject(refusal);
  await herder.writes.stopConnector('c');
  expect(await herder.offsets.alter('c', [entry({ file: 'a' }, { position: 1 })])).toBe(
    'The offsets for this connector have been altered successfully',
  );
  await herder.writes.setTargetState('c', 'STARTED');
  await reaches(worker, 'RUNNING RUNNING,RUNNING');
  expect(await host.offsets.read('c', [{ file: 'a' }])).toEqual([{ position: 1 }]);
  await expect(herder.offsets.alter('x', [entry({}, null)])).rejects.toMatchObject({
    status: 404,
    message: 'Connector x not found',
  });
  await expect(herder.offsets.list('x')).rejects.toMatchObject({ status: 404, message: 'Connector x not found' });
});

test('connect-rest 106, 107: one partition is reset, then all of them, twice', async () => {
  const worker = await start({ alterOffsets: () => true });
  const { herder, host } = worker;
  await herder.writes.createConnector('c', config, 'STOPPED');
  await reaches(worker, 'STOPPED');
  await host.offsets.write('c', [
    [{ file: 'a' }, { position: 1 }],
    [{ file: 'b' }, { position: 2 }],
  ]);
  await host.offsets.write('d', [[{ file: 'a' }, { position: 9 }]]);
  await herder.offsets.alter('c', [entry({ file: 'b' }, null), entry(null, null)]);
  expect(await listed(worker)).toBe('{"offsets":[{"partition":{"file":"a"},"offset":{"position":1}}]}');
  const reset = 'The offsets for this connector have been reset successfully';
  expect(await herder.offsets.reset('c')).toBe(reset);
  expect(await listed(worker)).toBe('{"offsets":[]}');
  const before = kafka.texts(OFFSETS).length;
  expect(await herder.offsets.reset('c')).toBe(reset);
  expect(kafka.texts(OFFSETS)).toHaveLength(before);
  expect(await host.offsets.read('d', [{ file: 'a' }])).toEqual([{ position: 9 }]);
});

test('connect-runtime 64, connect-rest 108: the plugin’s error is returned to the client', async () => {
  const calls: unknown[] = [];
  let hook: NonNullable<FixtureBehavior['alterOffsets']> = () => false;
  const behavior: Partial<FixtureBehavior> = {
    alterOffsets: (given, offsets, change) => {
      calls.push([given, offsets, change]);
      return hook(given, offsets, change);
    },
  };
  const worker = await start(behavior);
  const { herder } = worker;
  await herder.writes.createConnector('c', config, 'STOPPED');
  await reaches(worker, 'STOPPED');
  const alter = async (): Promise<string> =>
    await herder.offsets.alter('c', [
      entry({ file: 'a' }, { position: 1 }),
      entry({ file: 'a' }, { position: 2 }),
      entry({ file: 'b' }, null),
    ]);
  expect(await alter()).toBe(
    'The Connect framework-managed offsets for this connector have been altered successfully. However, if this connector manages offsets externally, they will need to be manually altered in the system that the connector uses.',
  );
  // The last of several entries for a partition counts.
  expect(calls).toEqual([
    [
      config,
      [
        [{ file: 'a' }, { position: 2 }],
        [{ file: 'b' }, null],
      ],
      'alter',
    ],
  ]);
  expect(await listed(worker)).toBe('{"offsets":[{"partition":{"file":"a"},"offset":{"position":2}}]}');

  const before = kafka.texts(OFFSETS);
  for (const [error, message] of [
    [
      new UnsupportedOperationError('not here'),
      "Failed to modify offsets for connector c because it doesn't support external modification of offsets",
    ],
    [new ConnectError('Partition objects cannot be null'), 'Partition objects cannot be null'],
    [new TypeError('oops'), 'Failed to modify offsets for source connector c'],
  ] as const) {
    hook = () => {
      throw error;
    };
    await expect(alter()).rejects.toMatchObject({ status: 500, message });
    await expect(herder.offsets.reset('c')).rejects.toMatchObject({ status: 500, message });
    expect(calls.at(-1)).toEqual([config, [[{ file: 'a' }, null]], 'reset']);
  }
  expect(kafka.texts(OFFSETS)).toEqual(before);
});

test('connect-rest 108: a plugin without the method', async () => {
  const worker = await start();
  await worker.herder.writes.createConnector('c', config, 'STOPPED');
  await reaches(worker, 'STOPPED');
  expect(await worker.herder.offsets.reset('c')).toBe(
    'The Connect framework-managed offsets for this connector have been reset successfully. However, if this connector manages offsets externally, they will need to be manually reset in the system that the connector uses.',
  );
});

test('connect-rest §2.6: one value that cannot be stored rejects the whole change', async () => {
  const worker = await start({ alterOffsets: () => true });
  const { herder } = worker;
  await herder.writes.createConnector('c', config, 'STOPPED');
  await reaches(worker, 'STOPPED');
  for (const [bad, type] of [
    [{ a: 1 }, 'MAP'],
    [[1], 'ARRAY'],
    [99999999999999999999n, 'class java.math.BigInteger'],
  ] as const)
    await expect(
      herder.offsets.alter('c', [entry({ p: 1 }, { ok: 1 }), entry({ p: 2 }, { bad })]),
    ).rejects.toMatchObject({
      status: 500,
      message: `Offsets may only contain primitive types as values, but field bad contains ${type}`,
    });
  expect(kafka.texts(OFFSETS)).toEqual([]);
});

test('every key form of a partition is reset', async () => {
  const worker = await start({ alterOffsets: () => true });
  const { herder } = worker;
  await herder.writes.createConnector('c', config, 'STOPPED');
  await reaches(worker, 'STOPPED');
  const keys = ['["c",{"a":1,"b":1.0}]', '["c",{"b":1.0,"a":1}]', '["c",{"a":1,"b":1}]'];
  for (const key of keys) kafka.append(OFFSETS, 0, Buffer.from(key), Buffer.from('{"n":1}'));
  await herder.offsets.reset('c');
  expect(await listed(worker)).toBe('{"offsets":[]}');
  expect(
    kafka
      .texts(OFFSETS)
      .filter((text) => text.endsWith('=∅'))
      .sort(),
  ).toEqual(keys.map((key) => `${key}=∅`).sort());
});

describe('tasks that stop late', () => {
  const last = { position: 100 };
  let releases: (() => void)[] = [];
  afterEach(() => {
    for (const release of releases) release();
    releases = [];
  });
  /** Its tasks wait for `release` to stop, and store a last offset then. */
  function slowToStop({ host }: TestWorker, connector = 'c'): () => void {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    releases.push(release);
    host.beforeStop = async () => {
      await released;
      if (host.running.has(`${connector}-0`)) await host.offsets.write(connector, [[{ file: 'a' }, last]]);
    };
    return release;
  }
  const alter = ({ herder }: TestWorker, connector = 'c'): Promise<string> =>
    herder.offsets.alter(connector, [entry({ file: 'a' }, { position: 1 })]);
  const altered = '{"offsets":[{"partition":{"file":"a"},"offset":{"position":1}}]}';

  test('the offsets of their last commit do not overwrite those that the user set', async () => {
    const worker = await start({ alterOffsets: () => true });
    await worker.herder.writes.createConnector('c', config, null);
    await reaches(worker, 'RUNNING RUNNING,RUNNING');
    const release = slowToStop(worker);
    // Both are queued when the worker checks next.
    const stopped = worker.herder.writes.stopConnector('c');
    let isDone = false;
    const changed = alter(worker).finally(() => (isDone = true));
    await stopped;
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
    expect([isDone, worker.host.running.size]).toEqual([false, 2]);
    release();
    await changed;
    expect(await listed(worker)).toBe(altered);
    expect(worker.host.running.size).toBe(0);
  });

  test('also when they run only on a follower, which the leader otherwise need not wait for', async () => {
    const leader = await start({ alterOffsets: () => true });
    const follower = await start({ alterOffsets: () => true });
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) {
      await leader.herder.writes.createConnector(name, { ...config, name, 'tasks.max': '1' }, null);
      await waitFor(`${name} to run`, () => states(leader.herder, name) === 'RUNNING RUNNING', { everyMs: 5 });
    }
    const name = names.find((one) => follower.host.running.has(`${one}-0`)) ?? '';
    expect(name).not.toBe('');
    await expect(alter(follower, name)).rejects.toMatchObject({ url: leader.url });
    await expect(follower.herder.offsets.reset(name)).rejects.toBeInstanceOf(NotHereError);

    const release = slowToStop(follower, name);
    await leader.herder.writes.stopConnector(name);
    let isDone = false;
    const changed = alter(leader, name).finally(() => (isDone = true));
    // Each answer needs a turn of the leader's tick, which is not blocked.
    for (let i = 0; i < 50; i++) expect(await leader.herder.health()).toMatchObject({ status: 'healthy' });
    expect([isDone, follower.host.running.has(`${name}-0`)]).toEqual([false, true]);
    release();
    await changed;
    expect(follower.host.running.has(`${name}-0`)).toBe(false);
    expect(offsetsJson(await follower.herder.offsets.list(name))).toBe(altered);
  });
});

test('a connector that is resumed while its offsets change starts its tasks afterwards', async () => {
  let called: () => void = () => undefined;
  let release: (complete: boolean) => void = () => undefined;
  const asked = new Promise<void>((resolve) => (called = resolve));
  const answer = new Promise<boolean>((resolve) => (release = resolve));
  const read: (SourceOffset | null)[] = [];
  const worker = await start({
    alterOffsets: async () => {
      called();
      return await answer;
    },
  });
  const { herder, host } = worker;
  const startTask = host.start.bind(host);
  host.start = async (spec) => {
    read.push(...(await host.offsets.read('c', [{ file: 'a' } as SourcePartition])));
    await startTask(spec);
  };
  await herder.writes.createConnector('c', config, 'STOPPED');
  await reaches(worker, 'STOPPED');
  const altered = herder.offsets.alter('c', [entry({ file: 'a' }, { position: 1 })]);
  await whilePending(altered, asked);
  await herder.writes.setTargetState('c', 'STARTED');
  await reaches(worker, 'RUNNING');
  release(true);
  await altered;
  await reaches(worker, 'RUNNING RUNNING,RUNNING');
  expect(read).toEqual([{ position: 1 }, { position: 1 }]);
});

test('a leader that lost its membership while offsets were to be changed changes nothing, although it leads again', async () => {
  const again = { status: 409, message: expect.stringMatching(/^Cannot complete request because of a conflicting/) };
  let generation = 0;
  const worker = await start({
    alterOffsets: async () => {
      generation = kafka.groups.get('g')?.generation ?? 0;
      (kafka.members[0] as MemoryMember).expire();
      await waitFor('it to be back', async () => (kafka.groups.get('g')?.generation ?? 0) > generation, { everyMs: 5 });
      expect(await worker.herder.health()).toMatchObject({ status: 'healthy' });
      return false;
    },
  });
  const { herder, host } = worker;
  await herder.writes.createConnector('c', config, 'STOPPED');
  await reaches(worker, 'STOPPED');
  await host.offsets.write('c', [[{ file: 'a' }, { position: 1 }]]);
  const before = kafka.texts(OFFSETS);
  await expect(herder.offsets.alter('c', [entry({ file: 'a' }, { position: 0 })])).rejects.toMatchObject(again);
  await expect(herder.offsets.reset('c')).rejects.toMatchObject(again);
  expect(kafka.texts(OFFSETS)).toEqual(before);
});

test('two changes of one connector are serialized', async () => {
  const order: string[] = [];
  const worker = await start({
    alterOffsets: async (_, offsets) => {
      const name = String(offsets[0]?.[0]?.file);
      order.push(`begin ${name}`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`end ${name}`);
      return true;
    },
  });
  const { herder } = worker;
  await herder.writes.createConnector('c', config, 'STOPPED');
  await reaches(worker, 'STOPPED');
  await Promise.all(['a', 'b'].map((file) => herder.offsets.alter('c', [entry({ file }, { position: 1 })])));
  const [first, second] = order[0] === 'begin a' ? ['a', 'b'] : ['b', 'a'];
  expect(order).toEqual([`begin ${first}`, `end ${first}`, `begin ${second}`, `end ${second}`]);
});
