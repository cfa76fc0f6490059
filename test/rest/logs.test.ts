import request from 'supertest';
import type { LogLines } from '@millrace/console';
import type { GroupLogLines } from '../../src/rest/routes/group-logs';
import { fakeWorker } from './fake-worker';

const ODD = { 'connector.class': 'org.example.OddConnector', pin: 'hunter2222', 'tasks.max': '1' };

test("a worker returns its own lines of a connector, without the config's secrets", async () => {
  const { app, recent, herder } = fakeWorker();
  herder.entries.set('c', {
    config: ODD,
    type: 'source',
    target: 'STARTED',
    state: 'RUNNING',
    taskStates: [],
  });
  recent.add({ connector: 'c', task: 0 }, { at: 5, level: 'warn', logger: 'x', text: 'rejected hunter2222' });
  recent.add({ connector: 'gone', task: null }, { at: 6, level: 'trace', logger: 'y', text: 'password=hunter3' });
  expect((await request(app).get('/connectors/c/logs?forward=false')).body).toEqual({
    lines: [
      {
        ...{ sequence: 1, at: 5, worker_id: herder.workerId, level: 'WARN', logger: 'x', task: 0 },
        text: expect.stringMatching(/^rejected (?!hunter)/),
      },
    ],
    missing: [],
  });
  const gone = (await request(app).get('/connectors/gone/logs?forward=false')).body as GroupLogLines;
  expect(gone.lines.map(({ text, level }) => [text, level])).toEqual([['password=[hidden]', 'TRACE']]);
  expect((await request(app).get('/connectors/none/logs?forward=false')).body).toEqual({ lines: [], missing: [] });
});

test('the lines of all workers are merged by time, and workers that do not answer are named', async () => {
  const asked: unknown[] = [];
  const { app, recent, herder } = fakeWorker({
    forward: async ({ url, path, authorization, forward }) => {
      asked.push([url, path, authorization, forward]);
      if (url === 'http://w2:8083/')
        return await Promise.resolve({
          status: 200,
          body: {
            lines: [{ sequence: 9, at: 6, worker_id: 'w2:8083', level: 'INFO', logger: 'x', task: 1, text: 'two' }],
            missing: [],
          },
        });
      if (url === 'http://w3:8083/') return await Promise.resolve({ status: 200, body: { other: true } });
      throw new Error('no answer');
    },
  });
  herder.group = [
    { id: herder.workerId, url: 'http://127.0.0.1:8083/' },
    ...['w2', 'w3', 'w4'].map((host) => ({ id: `${host}:8083`, url: `http://${host}:8083/` })),
  ];
  for (const [at, text] of [
    [7, 'three'],
    [5, 'one'],
  ] as const)
    recent.add({ connector: 'a b', task: 0 }, { at, level: 'info', logger: 'x', text });
  const answer = await request(app).get('/ui/api/connectors/a%20b/logs').set('Authorization', 'Basic eDp5');
  const { lines, missing } = answer.body as LogLines;
  expect(lines.map(({ text, worker }) => [text, worker])).toEqual([
    ['one', herder.workerId],
    ['two', 'w2:8083'],
    ['three', herder.workerId],
  ]);
  expect(missing).toEqual(['w3:8083', 'w4:8083']);
  const open = (await request(app).get('/connectors/a%20b/logs?limit=2&since=6')).body as GroupLogLines;
  expect(open.lines.map(({ text, worker_id: worker }) => [text, worker])).toEqual([
    ['two', 'w2:8083'],
    ['three', herder.workerId],
  ]);
  expect(open.missing).toEqual(missing);
  expect(asked).toContainEqual(['http://w2:8083/', '/connectors/a%20b/logs', 'Basic eDp5', false]);
});

test('an unknown connector without lines is 404; bounds of the query', async () => {
  const { app } = fakeWorker();
  const answer = await request(app).get('/connectors/none/logs');
  expect([answer.status, answer.body]).toEqual([404, { error_code: 404, message: 'Connector none not found' }]);
  for (const query of ['limit=0', 'limit=501', 'since=x'])
    expect((await request(app).get(`/connectors/none/logs?${query}`)).status).toBe(400);
});
