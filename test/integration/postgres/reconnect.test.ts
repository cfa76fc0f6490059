/** What happens to slot and server while the stream is disconnected (cdc-postgres 79), and how it notices that. */
import net, { type AddressInfo } from 'node:net';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig } from './harness';
import { ServerProxy } from './server-proxy';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)');
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const ids = (): number[] => (run?.records ?? []).map((record) => record.key.id);
const insert = async (id: number): Promise<unknown> => await database.query('INSERT INTO t VALUES ($1)', [id]);

/** Streams row 1, and disconnects without a poll that would notice. */
async function disconnected(settings: Record<string, string> = {}): Promise<TaskRun> {
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data', ...settings }));
  await insert(1);
  await run.count(1);
  run.commitUpTo();
  await database.cutStream();
  await database.slotsLetGo();
  return run;
}

async function createAgain(): Promise<void> {
  await database.query('SELECT pg_drop_replication_slot($1)', [database.slot]);
  await insert(2);
  await database.query("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [database.slot]);
  await insert(3);
}

async function advance(): Promise<void> {
  await insert(2);
  await database.query('SELECT pg_replication_slot_advance($1, pg_current_wal_lsn())', [database.slot]);
  await insert(3);
}

const lost = { code: 'PG_POSITION_LOST', message: expect.stringContaining('no longer available on the server') };

test.each([
  ['dropped and created again', createAgain],
  ['advanced', advance],
  ['dropped', async () => void (await database.dropSlots())],
])(
  'cdc-postgres 79: a slot that is %s during a disconnect fails the stream, instead of skipping rows',
  async (_, change) => {
    const task = await disconnected();
    await change();
    await expect(task.count(2)).rejects.toMatchObject(lost);
    expect(ids()).toEqual([1]);
  },
);

describe('between the check of the slot and START_REPLICATION', () => {
  let proxy: ServerProxy;
  beforeEach(async () => (proxy = await ServerProxy.to(database.url)));
  afterEach(async () => await proxy.close());

  /** At the start of the task, or when it reconnects. */
  async function meanwhile(act: () => Promise<unknown>, settings: Record<string, string>): Promise<TaskRun> {
    const task = await disconnected({ ...proxy.address, ...settings });
    proxy.before = { text: 'START_REPLICATION', act };
    return task;
  }

  test.each([
    ['advanced', advance],
    ['dropped and created again', createAgain],
  ])('cdc-postgres 79: a slot that is %s fails the stream, instead of skipping rows', async (_, act) => {
    const task = await meanwhile(act, {});
    await expect(task.count(2)).rejects.toMatchObject(lost);
    expect(ids()).toEqual([1]);
    expect(proxy.before).toBeNull();
  });

  test('cdc-postgres 79: with trust_greater_lsn, the stream resumes at the slot, and the log names the position', async () => {
    const task = await meanwhile(advance, { 'offset.mismatch.strategy': 'trust_greater_lsn' });
    await task.count(2);
    expect(ids()).toEqual([1, 3]);
    expect(task.log).toContainEqual({ level: 'warn', message: expect.stringContaining('was moved from') });
    expect(task.log).toContainEqual({ level: 'warn', message: expect.stringContaining('changes in between are lost') });
  });

  test('cdc-postgres 79: a slot that is advanced while a task starts fails it, instead of skipping rows', async () => {
    const before = await disconnected();
    await before.stop();
    proxy.before = { text: 'START_REPLICATION', act: advance };
    run = await TaskRun.start(
      taskConfig(database, { 'snapshot.mode': 'no_data', ...proxy.address }),
      before.lastOffset,
    );
    await expect(run.count(1)).rejects.toMatchObject(lost);
    expect(run.records).toEqual([]);
  });
});

test('cdc-postgres 79: a slot that a second connector read during a disconnect fails the stream', async () => {
  const task = await disconnected();
  const second = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data' }), task.lastOffset);
  for (const id of [2, 3]) await insert(id);
  await second.count(2);
  second.commitUpTo();
  await second.stop();
  await database.slotsLetGo();
  await expect(task.count(2)).rejects.toMatchObject(lost);
});

test('with offset.mismatch.strategy=trust_greater_lsn, the stream resumes at the slot, and the log names the position', async () => {
  const task = await disconnected({ 'offset.mismatch.strategy': 'trust_greater_lsn' });
  await advance();
  const [slot] = await database.slots();
  await task.count(2);
  expect(ids()).toEqual([1, 3]);
  const lines = task.log.map(({ message }) => message);
  expect(lines).toContainEqual(expect.stringContaining('otherwise the changes in between are lost'));
  expect(lines).toContain(`Streaming changes from slot "${database.slot}" at ${slot?.confirmed_flush_lsn}.`);
});

test('with snapshot.mode=when_needed, the error lets the task be restarted, which takes a new snapshot', async () => {
  const task = await disconnected({ 'snapshot.mode': 'when_needed' });
  await createAgain();
  await expect(task.count(2)).rejects.toMatchObject({ ...lost, cause: { retriable: true } });
});

test('cdc-postgres 77: stream.receive.timeout.ms: a server that is gone without closing the connection, and a reconnect', async () => {
  const proxy = await ServerProxy.to(database.url);
  try {
    const settings = { ...proxy.address, 'snapshot.mode': 'no_data', 'stream.receive.timeout.ms': '300' };
    run = await TaskRun.start(taskConfig(database, settings));
    await insert(1);
    await run.count(1);
    proxy.freeze();
    await database.cutStream();
    await database.query('ALTER TABLE t ADD v int');
    await insert(2);
    await run.count(2);
    expect(ids()).toEqual([1, 2]);
    expect(run.log).toContainEqual({
      level: 'warn',
      message: expect.stringContaining('the server has sent nothing for 300 ms'),
    });
  } finally {
    await run?.stop();
    run = null;
    await proxy.close();
  }
});

/** Answers each connection as a server does that is shutting down. */
async function shuttingDown(): Promise<net.Server> {
  const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is shutting down', ''];
  const body = Buffer.from(`${fields.join('\0')}\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(4 + body.length, 1);
  const isTlsRequest = (packet: Buffer): boolean => packet.readInt32BE(4) === 80877103;
  const server = net.createServer((socket) =>
    socket
      .on('error', () => undefined)
      .on('data', (packet) => (isTlsRequest(packet) ? socket.write('N') : socket.end(Buffer.concat([head, body])))),
  );
  return await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

test('cdc-postgres 77: a stream ends when its server shuts down, also if queries are reset without a reason', async () => {
  const proxy = await ServerProxy.to(database.url);
  const refusing = await shuttingDown();
  try {
    const config = taskConfig(database, { 'snapshot.mode': 'no_data', ...proxy.address });
    run = await TaskRun.start(config);
    await insert(1);
    await run.count(1);
    const [session] = await database.query(
      "SELECT client_port FROM pg_stat_activity WHERE datname = $1 AND application_name = 'Millrace General'",
      [database.name],
    );
    proxy.target = `postgres://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    proxy.reset(session?.client_port as number);
    const task = run;
    await waitFor('the task to leave the server', async () => {
      await task.poll();
      return (await database.slots()).every(({ active }) => active === false);
    });
  } finally {
    await proxy.close();
    refusing.close();
  }
});
