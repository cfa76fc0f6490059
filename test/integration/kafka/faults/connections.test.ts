/** Connections that break, stall and deliver requests late, and groups that change, on the shared broker. */
import { Clients } from '../../../helpers/kafka-clients';
import { proxyTo, type TcpProxy } from '../../../helpers/tcp-proxy';
import { waitFor } from '../../../helpers/wait-for';
import { bootstrap } from '../producer-fixtures';
import { CountedRun, IMPATIENT } from '../../../helpers/counted-run';

const ROUNDS = 5;
let proxy: TcpProxy;
const clients = new Clients(IMPATIENT);

beforeEach(async () => {
  proxy = await proxyTo(bootstrap().split(',')[0]!);
});
afterEach(async () => {
  await clients.closeClients();
  await proxy.close();
});
afterAll(() => clients.close());

const quickly = (what: string, probe: () => boolean): Promise<unknown> => waitFor(what, probe, { everyMs: 1 });

const faults: [string, () => Promise<void>][] = [
  [
    'connections cut in the middle of requests',
    async () => {
      const { connections } = proxy;
      proxy.cutAfter = 3_000;
      proxy.cutAll();
      await quickly('connections to be cut again', () => proxy.connections > connections + 8);
      proxy.cutAfter = null;
      proxy.cutAll();
    },
  ],
  [
    'answers lost after what was asked has been done',
    async () => {
      const { lostAnswers } = proxy;
      await quickly('answers to be lost', () => {
        proxy.loseNextAnswers();
        return proxy.lostAnswers > lostAnswers + 2;
      });
    },
  ],
];

const requestsTimedOut = async (): Promise<void> => {
  const { connections } = proxy;
  proxy.stall();
  // A client opens a new connection once it has closed the old one with its requests.
  await quickly('requests to time out', () => proxy.connections > connections + 5);
  proxy.flow();
};

describe.each([
  ['an idempotent producer', false],
  ['a transactional producer', true],
])('kafka-client 3: 0 lost, 0 duplicated, 0 reordered, %s', (_, transactions) => {
  test.each(faults)('%s', async (_name, strike) => {
    const run = await CountedRun.start(clients, { transactions });
    for (let round = 0; round < ROUNDS; round++) {
      await strike();
      await run.passes(200);
    }
    await run.finish();
  });
});

describe('kafka-client 3: 0 lost, 0 duplicated, 0 reordered', () => {
  test('requests that time out and arrive after their retries', async () => {
    const run = await CountedRun.start(clients);
    for (let round = 0; round < ROUNDS; round++) {
      await requestsTimedOut();
      await run.passes(200);
    }
    await run.finish();
  });

  test.each(['range', 'cooperative-sticky'])('members that join and leave, %s', async (strategy) => {
    const run = await CountedRun.start(clients, { group: { 'partition.assignment.strategy': strategy } });
    for (let round = 0; round < ROUNDS; round++) {
      const leave = await run.join();
      await waitFor('both to have partitions', () => run.busyMembers === 2);
      await run.passes(200);
      await leave();
      await run.passes(200);
    }
    await run.finish();
  });

  test.each(['range', 'cooperative-sticky'])(
    'members that join and leave while connections break, %s',
    async (strategy) => {
      const run = await CountedRun.start(clients, { group: { 'partition.assignment.strategy': strategy } });
      for (let round = 0; round < ROUNDS; round++) {
        const leave = await run.join();
        for (const [, strike] of faults) await strike();
        await waitFor('both to have partitions', () => run.busyMembers === 2);
        for (const [, strike] of faults) await strike();
        await leave();
        await run.passes(200);
      }
      await run.finish();
    },
  );
});
