/** Three workers of one group: requests to a follower reach the leader unchanged, and outlive the leader. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type Answer, type StartedWorker } from '../../../dev/services/worker';
import { internalMark, MARK_HEADER } from '../../../src/cluster/forwarding/internal-marks';
import { sign } from '../../../src/cluster/forwarding/session-key';
import { readConfigRecord, type SessionKey } from '../../../src/storage/config/config-records';
import { Clients, readToEnd } from '../../helpers/kafka-clients';
import { leaderOf } from '../../helpers/leader';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const group = uniqueName('forwarding');
const clients = new Clients();
let folder: string;
let workers: StartedWorker[];
let leader: StartedWorker;
let followers: [StartedWorker, StartedWorker];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-forwarding-'));
  const settings = {
    'plugin.path': join(__dirname, 'fixtures', 'plugins'),
    'session.timeout.ms': '6000',
    'heartbeat.interval.ms': '1000',
    'scheduled.rebalance.max.delay.ms': '0',
  };
  workers = await Promise.all([1, 2, 3].map(async () => await startWorker({ group, settings })));
  await Promise.all(workers.map((worker) => worker.ready()));
  leader = await leaderOf(workers);
  followers = workers.filter((worker) => worker !== leader) as typeof followers;
});
afterAll(async () => {
  await Promise.all((workers ?? []).map((worker) => worker.stop()));
  await clients.close();
  rmSync(folder, { recursive: true, force: true });
});

const config = (more: Record<string, string> = {}): Record<string, string> => ({
  'connector.class': 'test.UnrulySourceConnector',
  journal: join(folder, 'journal'),
  ...more,
});

/** The newest key that the leader has written for the group. */
async function sessionKey(): Promise<SessionKey> {
  const partition = { topic: `${group}-configs`, partition: 0 };
  const [end] = await clients.admin.listOffsets([partition], 'latest');
  const consumer = await clients.assigned();
  consumer.assign([partition]);
  const keys = (await readToEnd(consumer, partition, end?.offset ?? 0))
    .flatMap(({ records }) => records)
    .flatMap(({ key, value }) => {
      const record = key === null ? null : readConfigRecord(key.toString('utf8'), value);
      return record?.kind === 'session-key' ? [record.key] : [];
    });
  return keys.at(-1) as SessionKey;
}

/** `markedFor`: the connector of its mark; null: none, as a Java worker sends it. */
async function submit(
  worker: StartedWorker,
  name: string,
  body: string,
  key: SessionKey | null,
  markedFor: string | null = name,
): Promise<Answer> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (key) {
    const signature = sign(key, 'HmacSHA256', Buffer.from(body));
    headers['X-Connect-Authorization'] = signature;
    if (markedFor !== null) headers[MARK_HEADER] = internalMark(key, 'tasks', markedFor, signature);
    headers['X-Connect-Request-Signature-Algorithm'] = 'HmacSHA256';
  }
  const response = await fetch(`${worker.url}/connectors/${name}/tasks`, { method: 'POST', headers, body });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text,
    json: text === '' ? null : JSON.parse(text),
  };
}

test('connect-rest 158: an internal request through a follower keeps the original bytes and signature', async () => {
  await leader.register({ name: 'signed', config: config() });
  await followers[0].running('signed');
  const key = await sessionKey();
  // Blanks and escapes that a parsed and rewritten body would lose.
  const task = JSON.stringify({ ...config(), 'task.class': 'test.UnrulySourceTask', mark: 'é' }).replace(
    'é',
    '\\u00e9',
  );
  const accepted = await submit(followers[0], 'signed', `[ ${task} ]`, key);
  expect([accepted.status, accepted.body]).toEqual([204, '']);
  await waitFor('the new task configuration', async () => {
    const tasks = (await followers[1].request('GET', '/connectors/signed/tasks')).json as {
      config: { mark?: string };
    }[];
    return tasks[0]?.config.mark === 'é';
  });
  expect((await submit(followers[0], 'signed', '[]', null)).status).toBe(400);
  expect((await submit(followers[0], 'signed', '[]', { ...key, key: Buffer.alloc(32) })).status).toBe(403);
  // The signature of the body alone, which a listener on the network has seen.
  for (const markedFor of [null, 'other'])
    for (const worker of [leader, followers[0]])
      expect((await submit(worker, 'signed', '[]', key, markedFor)).status).toBe(403);
  expect((await submit(followers[1], 'none', '[]', key)).json).toEqual({
    error_code: 404,
    message: 'Connector none not found',
  });
});

test('connect-rest 154: concurrent writes to both followers: all arrive, and a name is created once', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `many-${i}`);
  const both = await Promise.all(
    names.flatMap((name) =>
      followers.map(async (worker) => await worker.request('POST', '/connectors', { name, config: config() })),
    ),
  );
  for (const [i, name] of names.entries()) {
    const [first, second] = both.slice(2 * i, 2 * i + 2).sort((a, b) => a.status - b.status) as [Answer, Answer];
    expect([first.status, second.status, second.json.message]).toEqual([201, 409, `Connector ${name} already exists`]);
    expect(second.headers.get('retry-after')).toBeNull();
  }
  for (const name of names) await followers[0].running(name);
  const removed = await Promise.all(
    names.map(async (name, i) => await (followers[i % 2] as StartedWorker).request('DELETE', `/connectors/${name}`)),
  );
  expect(removed.map(({ status }) => status)).toEqual(names.map(() => 204));
});

test('connect-rest 154: large documents', async () => {
  const put = async (worker: StartedWorker, bytes: number): Promise<Answer> =>
    await worker.request('PUT', '/connectors/large/config', config({ padding: 'x'.repeat(bytes) }));
  const large = await put(followers[0], 900_000);
  expect([large.status, large.json.config.padding.length]).toEqual([201, 900_000]);
  // More than Kafka accepts in a record: the same answer from each worker.
  const [near, far] = [await put(leader, 1_048_400), await put(followers[0], 1_048_400)];
  expect([near.status, near.json.message]).toEqual([500, 'Error writing connector configuration to Kafka']);
  expect(far.json).toEqual(near.json);
  expect((await put(followers[0], 1_100_000)).status).toBe(413);
  expect((await followers[1].request('DELETE', '/connectors/large')).status).toBe(204);
});

test('connect-rest 158: a signed list of task configs may be larger than a client’s request', async () => {
  await leader.register({ name: 'wide', config: config() });
  await followers[0].running('wide');
  const task = { ...config(), 'task.class': 'test.UnrulySourceTask', padding: 'x'.repeat(500_000) };
  const body = JSON.stringify([task, task, task]);
  expect((await submit(followers[0], 'wide', body, null)).status).toBe(413);
  const accepted = await submit(followers[0], 'wide', body, await sessionKey());
  expect([accepted.status, accepted.body]).toEqual([204, '']);
  await waitFor('three large task configurations', async () => {
    const tasks = (await followers[1].request('GET', '/connectors/wide/tasks')).json as unknown[];
    return tasks.length === 3;
  });
  expect((await followers[1].request('DELETE', '/connectors/wide')).status).toBe(204);
});

test('connect-rest 161, 162: a request to a follower after the leader was killed waits for the next leader and succeeds', async () => {
  await leader.crash();
  const [first, second] = await Promise.all([
    followers[0].request('PUT', '/connectors/after-a/config', config()),
    followers[1].request('POST', '/connectors', { name: 'after-b', config: config() }),
  ]);
  expect([first.status, second.status]).toEqual([201, 201]);
  const next = await leaderOf(followers);
  for (const name of ['signed', 'after-a', 'after-b']) await next.running(name);
});
