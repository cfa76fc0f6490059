import request from 'supertest';
import type { LogLines } from '../../../src/rest/console/api';
import { fakeWorker } from '../fake-worker';

const ODD = { 'connector.class': 'org.example.OddConnector', pin: 'hunter2222', 'tasks.max': '1' };

test("a worker returns its own lines of a connector, without the config's secrets", async () => {
  const { app, recent, herder } = fakeWorker();
  herder.entries.set('c', {
    config: ODD,
    type: 'source',
    target: 'STARTED',
    tasks: 1,
    state: 'RUNNING',
    taskStates: [],
  });
  recent.add({ connector: 'c', task: 0 }, { at: 5, level: 'warn', logger: 'x', text: 'rejected hunter2222' });
  recent.add({ connector: 'gone', task: null }, { at: 6, level: 'trace', logger: 'y', text: 'password=hunter3' });
  expect((await request(app).get('/ui/api/worker/logs/c')).body).toEqual({
    lines: [
      {
        ...{ sequence: 1, at: 5, worker: herder.workerId, level: 'WARN', logger: 'x', task: 0 },
        text: expect.stringMatching(/^rejected (?!hunter)/),
      },
    ],
    missing: [],
  });
  const gone = (await request(app).get('/ui/api/worker/logs/gone')).body as LogLines;
  expect(gone.lines.map(({ text, level }) => [text, level])).toEqual([['password=[hidden]', 'TRACE']]);
  expect((await request(app).get('/ui/api/worker/logs/none')).body).toEqual({ lines: [], missing: [] });
});
