import { cli, serve } from '../scripted-rest';

const CHANGES = {
  since: 0,
  changes: [
    {
      ...{ at: 60_000, kind: 'config changed', subject: 'orders', task: null },
      cause: { by: 'user', user: 'jane', detail: null },
      keys: [
        { key: 'password', before: '[hidden]', after: '[hidden]' },
        { key: 'topics', before: 'a', after: 'b' },
      ],
    },
    {
      ...{ at: 1_000, kind: 'disconnected', subject: 'orders', task: 1 },
      ...{ cause: { by: 'automatic', user: null, detail: 'Connection refused' }, keys: [] },
    },
    {
      at: null,
      kind: 'paused',
      subject: 'b',
      task: null,
      cause: { by: 'unknown', user: null, detail: null },
      keys: [],
    },
  ],
};

test('what changed, by whom and why, the newest first', async () => {
  const requests: string[] = [];
  const url = await serve((request) => (requests.push(request), CHANGES));
  expect(await cli(url, 'history', 'orders', '-n', '10')).toEqual({
    code: 0,
    out:
      '1970-01-01T00:01:00.000Z  orders  config changed by jane\n  ~ password: [hidden] (changed)\n  ~ topics: a -> b\n' +
      '1970-01-01T00:00:01.000Z  orders task 1  disconnected, automatically: Connection refused\n' +
      'unknown time  b  paused\n',
    err: 'Changes before 1970-01-01T00:00:00.000Z are not kept.\n',
  });
  expect(JSON.parse((await cli(url, 'history', '-o', 'json')).out)).toEqual(CHANGES);
  expect(requests).toEqual(['GET /changes?limit=10&connector=orders', 'GET /changes?limit=50']);
});

test("no changes; Java's worker has no such route", async () => {
  const none = await serve(() => ({ since: null, changes: [] }));
  expect(await cli(none, 'history')).toEqual({ code: 0, out: '', err: 'No changes are known.\n' });
  const java = await serve(() => undefined);
  expect(await cli(java, 'history')).toMatchObject({
    code: 4,
    err: expect.stringContaining('has no GET /changes: only'),
  });
});
