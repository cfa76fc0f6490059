/**
 * What only a cluster on a bad day answers, by the fault hooks of the embedded broker: counted records go through all
 * of it.
 */
import { startEmbeddedBroker, type EmbeddedBroker, type ErrorName, type Faults } from '@millrace/embedded';
import { CountedRun, IMPATIENT, type RunOptions } from '../../helpers/counted-run';
import { Clients } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';

const TIMES = 3;
const times = TIMES;
let broker: EmbeddedBroker;
let clients: Clients;

beforeAll(async () => {
  // After UNKNOWN_MEMBER_ID, the old member stays in the group until its session ends.
  broker = await startEmbeddedBroker({ log: () => undefined, coordinators: { minSessionTimeoutMs: 500 } });
  clients = new Clients({ ...IMPATIENT, 'bootstrap.servers': broker.bootstrapServers });
});
afterEach(async () => {
  broker.faults.clear();
  await clients.closeClients();
});
afterAll(async () => {
  await clients?.close();
  await broker?.stop();
});

/** The API whose requests are struck, in words what they meet, and how that is arranged. */
type Case = readonly [api: string, what: string, strike: (faults: Faults, api: string) => void];

const answered = (api: string, ...errors: ErrorName[]): Case[] =>
  errors.map((error): Case => [api, error, (faults) => faults.fail(api, error, { times })]);
/** The error is answered although what was asked has been done. */
const answeredAfter = (api: string, ...errors: ErrorName[]): Case[] =>
  errors.map((error): Case => [
    api,
    `${error} after the fact`,
    (faults) => faults.fail(api, error, { times, when: 'after' }),
  ]);
const broken = (api: string): Case[] => [
  [api, 'a connection cut before it is handled', (faults) => faults.cut(api, 'before', { times })],
  [api, 'a connection cut after it was handled', (faults) => faults.cut(api, 'after', { times })],
];
const slow = (api: string): Case[] => [
  [api, 'an answer after the request timed out', (faults) => faults.delay(api, 1_500, { times: 1 })],
  [api, 'a quota', (faults) => faults.throttle(api, 500, { times: 1 })],
];

/** Strikes requests of the API until each of them was there, then sees that records pass. */
async function survive(run: CountedRun, [api, what, strike]: Case): Promise<void> {
  const before = broker.faults.requests(api);
  strike(broker.faults, api);
  await waitFor(`${api} to meet ${what}`, () => broker.faults.requests(api) >= before + TIMES, { everyMs: 5 });
  await run.passes(100);
}

const coordinatorErrors: ErrorName[] = ['NOT_COORDINATOR', 'COORDINATOR_NOT_AVAILABLE', 'COORDINATOR_LOAD_IN_PROGRESS'];
const leaderErrors: ErrorName[] = ['NOT_LEADER_OR_FOLLOWER', 'LEADER_NOT_AVAILABLE', 'KAFKA_STORAGE_ERROR'];

const roles: [role: string, options: RunOptions, cases: Case[]][] = [
  [
    'an idempotent producer',
    {},
    [
      ...answered('Produce', ...leaderErrors, 'NOT_ENOUGH_REPLICAS', 'CORRUPT_MESSAGE', 'UNKNOWN_TOPIC_OR_PARTITION'),
      ...answered('Produce', 'OUT_OF_ORDER_SEQUENCE_NUMBER', 'UNKNOWN_PRODUCER_ID', 'INVALID_PRODUCER_EPOCH'),
      ...answeredAfter('Produce', 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'REQUEST_TIMED_OUT', 'NETWORK_EXCEPTION'),
      ...answeredAfter('Produce', 'DUPLICATE_SEQUENCE_NUMBER'),
      ...broken('Produce'),
      ...slow('Produce'),
    ],
  ],
  [
    'consumers',
    {},
    [
      ...answered('Fetch', ...leaderErrors, 'FENCED_LEADER_EPOCH', 'UNKNOWN_LEADER_EPOCH', 'REPLICA_NOT_AVAILABLE'),
      ...broken('Fetch'),
      ...slow('Fetch'),
    ],
  ],
  [
    'a member of a group',
    {},
    [
      ...answered('OffsetCommit', ...coordinatorErrors, 'REQUEST_TIMED_OUT'),
      ...answeredAfter('OffsetCommit', 'REQUEST_TIMED_OUT'),
      ...broken('OffsetCommit'),
      ...slow('OffsetCommit'),
      ...answered('Heartbeat', ...coordinatorErrors),
      ...broken('Heartbeat'),
      ...slow('Heartbeat'),
    ],
  ],
  [
    // It has to join again: records that it had not committed may come again, none may be missing.
    'a member that has to join again',
    { group: { 'session.timeout.ms': '1000' } },
    [
      ...answered('Heartbeat', 'REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'),
      ...answered('OffsetCommit', 'REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'),
    ],
  ],
  [
    'a transactional producer',
    { transactions: true },
    [
      ...answered('Produce', ...leaderErrors, 'NOT_ENOUGH_REPLICAS', 'CONCURRENT_TRANSACTIONS'),
      ...answered('Produce', 'OUT_OF_ORDER_SEQUENCE_NUMBER', 'UNKNOWN_PRODUCER_ID'),
      ...answeredAfter('Produce', 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'REQUEST_TIMED_OUT'),
      ...broken('Produce'),
      ...answered('AddPartitionsToTxn', ...coordinatorErrors, 'CONCURRENT_TRANSACTIONS'),
      ...broken('AddPartitionsToTxn'),
      ...answered('EndTxn', ...coordinatorErrors, 'CONCURRENT_TRANSACTIONS'),
      ...broken('EndTxn'),
      ...slow('EndTxn'),
    ],
  ],
];

const joining: Case[] = [
  ...answered('FindCoordinator', 'COORDINATOR_NOT_AVAILABLE'),
  ...['JoinGroup', 'SyncGroup', 'OffsetFetch'].flatMap((api) => [
    ...answered(api, ...coordinatorErrors),
    ...broken(api),
  ]),
  ...answered('SyncGroup', 'REBALANCE_IN_PROGRESS'),
  ...answered('OffsetFetch', 'UNSTABLE_OFFSET_COMMIT'),
];

const beginning: Case[] = [
  ...['InitProducerId', 'FindCoordinator'].flatMap((api) => [
    ...answered(api, 'COORDINATOR_NOT_AVAILABLE', 'COORDINATOR_LOAD_IN_PROGRESS'),
    ...broken(api),
  ]),
  ...answered('InitProducerId', 'NOT_COORDINATOR', 'CONCURRENT_TRANSACTIONS'),
];

describe.each(roles)('kafka-client 3: 0 lost, 0 duplicated, 0 reordered, %s', (_role, options, cases) => {
  test.each(cases)('%s meets %s', async (...struck) => {
    const run = await CountedRun.start(clients, options);
    await survive(run, struck);
    await run.finish();
  });
});

describe('kafka-client 3: 0 lost, 0 duplicated, 0 reordered, a rebalance', () => {
  test.each(joining)('in which %s meets %s', async (...struck) => {
    const run = await CountedRun.start(clients, { group: { 'session.timeout.ms': '1000' } });
    const [api, , strike] = struck;
    const before = broker.faults.requests(api);
    strike(broker.faults, api);
    await run.join();
    await waitFor('both to have partitions', () => run.busyMembers === 2);
    await waitFor(`${api} to be answered at last`, () => broker.faults.requests(api) > before + TIMES);
    await run.passes(100);
    await run.finish();
  });
});

describe('kafka-client 3: 0 lost, 0 duplicated, 0 reordered, a transactional producer’s beginning', () => {
  test.each(beginning)('%s meets %s', async (...struck) => {
    const [api, , strike] = struck;
    const before = broker.faults.requests(api);
    strike(broker.faults, api);
    const run = await CountedRun.start(clients, { transactions: true });
    expect(broker.faults.requests(api)).toBeGreaterThan(before + TIMES);
    await run.finish();
  });
});
