/** Requests whose target is unreachable for a moment. */
import type { IncomingMessage } from 'node:http';
import { HerderError, NotHereError, UnreachableWorkerError } from '../../src/cluster/errors';
import type { ForwardedResponse, OutgoingRequest } from '../../src/cluster/forwarding/forwarding';
import { createForwarder } from '../../src/rest/routes/forward';
import type { Call } from '../../src/rest/requests/route';

const call = (query = ''): Call => ({
  request: { headers: {} } as IncomingMessage,
  body: { maxBytes: 0, maxSignedBytes: 0, read: () => Promise.resolve(Buffer.alloc(0)), release: () => undefined },
  method: 'PUT',
  audited: { connector: null },
  caller: { user: null, role: 'admin' },
  params: {},
  query: new URLSearchParams(query),
  base: 'http://w1:8083',
});
const REQUEST = { path: '/connectors/a/stop' };
const DONE: ForwardedResponse = { status: 204, body: null };

let where: string | null;
let sent: string[];
let answers: (() => Promise<ForwardedResponse>)[];
beforeEach(() => {
  where = 'http://old/';
  sent = [];
  answers = [];
});
const send = async ({ url }: OutgoingRequest): Promise<ForwardedResponse> => {
  sent.push(url);
  return await (answers.shift() ?? (async () => DONE))();
};
const unreachable =
  (then: () => void = () => undefined) =>
  async (): Promise<never> => {
    then();
    throw new UnreachableWorkerError('IO Error trying to forward REST request: connect ECONNREFUSED');
  };
const forward = async (retryTimeoutMs = 60_000, query = ''): Promise<string> =>
  await createForwarder(send, retryTimeoutMs)(
    call(query),
    REQUEST,
    async () => {
      if (where === 'here') return 'local';
      throw new NotHereError(() => where);
    },
    () => 'remote',
  );

test('connect-rest §0.7: a request waits until a lost leader is replaced', async () => {
  answers = [unreachable(), unreachable(() => (where = 'http://new/'))];
  expect(await forward()).toBe('remote');
  expect(sent).toEqual(['http://old/', 'http://old/', 'http://new/']);
});

test('connect-rest §0.7: or until this worker leads', async () => {
  answers = [unreachable(() => (where = 'here'))];
  expect(await forward()).toBe('local');
  expect(sent).toEqual(['http://old/']);
});

test('connect-rest §0.7: a leader that returns at the same address gets the request', async () => {
  answers = [unreachable(), unreachable()];
  expect(await forward()).toBe('remote');
  expect(sent).toHaveLength(3);
});

test('connect-rest §0.7: the wait is limited, with Java’s text', async () => {
  answers = [unreachable(), unreachable(), unreachable()];
  await expect(forward(1)).rejects.toMatchObject({
    status: 500,
    message: 'IO Error trying to forward REST request: connect ECONNREFUSED',
  });
  expect(sent.length).toBeLessThanOrEqual(2);
});

test('connect-rest 162: an unknown owner is awaited; after a timeout 409 with the word that clients search for', async () => {
  where = null;
  setTimeout(() => (where = 'http://new/'), 10);
  expect(await forward()).toBe('remote');
  where = null;
  await expect(forward(1)).rejects.toMatchObject({ status: 409, message: expect.stringContaining('rebalance') });
  expect(sent).toEqual(['http://new/']);
});

test('a request that has reached the other worker is never sent again', async () => {
  answers = [
    async () => {
      throw new HerderError(500, 'IO Error trying to forward REST request: socket hang up');
    },
  ];
  await expect(forward()).rejects.toMatchObject({ status: 500 });
  expect(sent).toHaveLength(1);
});

test('connect-rest 156: a worker that may not forward responds at once', async () => {
  await expect(forward(60_000, 'forward=false')).rejects.toMatchObject({
    status: 409,
    message: 'Cannot complete request because of a conflicting operation (e.g. worker rebalance)',
  });
  expect(sent).toEqual([]);
});
