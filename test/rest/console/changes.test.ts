import request from 'supertest';
import type { Changes } from '@millrace/console';
import { SNK } from '../../helpers/fake-plugins';
import { fakeWorker } from '../fake-worker';

const ODD = { 'connector.class': 'org.example.OddConnector' };

test('changes are shown with their cause, and no caller sees a secret', async () => {
  const { app, herder } = fakeWorker();
  herder.recorded.push(
    {
      ...{ at: 5, kind: 'config changed', subject: 'c', task: null },
      cause: { by: 'user', user: 'jane', detail: null, creates: true },
      config: {
        keys: ['secret', 'ratio', 'url', 'transforms.m.pin'],
        before: {
          ...ODD,
          secret: 'hunter1',
          url: 'pg://joe:hunter2@h/',
          'transforms.m.type': 'no.Such',
          'transforms.m.pin': 'hunter3',
        },
        after: { ...ODD, secret: 'hunter4', ratio: '7' },
      },
    },
    {
      ...{ at: 4, kind: 'restarted', subject: 'd', task: 1, config: null },
      cause: { by: 'automatic', user: null, detail: 'attempt 1 of 10' },
    },
  );
  const all = await request(app).get('/ui/api/changes');
  expect(all.text).not.toContain('hunter');
  expect(all.body).toEqual({
    since: 4,
    changes: [
      {
        ...{ at: 5, kind: 'config changed', subject: 'c', task: null },
        cause: { by: 'user', user: 'jane', detail: null },
        keys: [
          { key: 'secret', before: '[hidden]', after: '[hidden]' },
          { key: 'ratio', before: null, after: '7' },
          { key: 'url', before: 'pg://joe:[hidden]@h/', after: null },
          { key: 'transforms.m.pin', before: '[hidden]', after: null },
        ],
      },
      {
        ...{ at: 4, kind: 'restarted', subject: 'd', task: 1 },
        cause: { by: 'automatic', user: null, detail: 'attempt 1 of 10' },
        keys: [],
      },
    ],
  } satisfies Changes);
  const one = (await request(app).get('/ui/api/changes?connector=d')).body as Changes;
  expect(one.changes.map(({ subject }) => subject)).toEqual(['d']);
  expect((await request(app).get('/ui/api/changes?connector=none')).body).toEqual({ since: null, changes: [] });
  expect((await request(app).get('/changes')).body).toEqual(all.body);
  expect((await request(app).get('/changes?connector=d')).body).toEqual(one);
  const newest = (await request(app).get('/changes?limit=1')).body as Changes;
  expect([newest.since, newest.changes.map(({ subject }) => subject)]).toEqual([4, ['c']]);
});

test('a failure has its reason, place and code, without secrets: also those of the config with which it failed', async () => {
  const { app, herder } = fakeWorker();
  const failed = (trace: string, config: Record<string, string> | null): void => {
    herder.recorded.push({
      ...{ at: 5, kind: 'failed', subject: 'c', task: 0, config: null, failure: { trace, config } },
      cause: { by: 'automatic', user: null, detail: null },
    });
  };
  const trace = 'a.b.C: No login with hunter1-long. Correct it. [code: ODD_LOGIN, topic: t, offset: 7]\n\tat y\n';
  failed(trace, { ...ODD, name: 'c', secret: 'hunter1-long' });
  failed('a.b.C: The disk is full.\n\tat y\n', { ...ODD, name: 'c' });
  failed(trace, null);
  failed('', { ...ODD, name: 'c' });
  const { text, body } = await request(app).get('/ui/api/changes');
  expect(text).not.toContain('hunter');
  expect((body as Changes).changes.map(({ cause }) => cause.detail)).toEqual([
    'No login with [hidden]. (topic t, offset 7) [ODD_LOGIN]',
    'The disk is full.',
    'ODD_LOGIN',
    null,
  ]);
});

test('the user of a request reaches the herder', async () => {
  const { app, herder } = fakeWorker({
    access: {
      ...{ admitsEveryone: false, hasRoles: false, accepts: ['basic'] },
      admit: async () => await Promise.resolve({ user: 'jane', role: 'admin' }),
    },
  });
  const users: unknown[] = [];
  for (const facet of [herder.writes, herder.restarts])
    for (const [method, original] of Object.entries(facet) as [string, (...args: unknown[]) => Promise<unknown>][])
      Object.assign(facet, {
        [method]: async (...args: unknown[]) => {
          users.push(`${method} ${String(args.findLast((arg) => typeof arg === 'string'))}`);
          return await original(...args);
        },
      });
  const api = request(app);
  await api.post('/connectors').send({ name: 'c', config: SNK });
  await api.put('/connectors/c/config').send(SNK);
  await api.patch('/connectors/c/config').send({ a: '1' });
  await api.put('/connectors/c/pause');
  await api.put('/connectors/c/resume');
  await api.post('/connectors/c/restart');
  await api.post('/connectors/c/restart?includeTasks=true');
  await api.post('/connectors/c/tasks/0/restart');
  await api.put('/connectors/c/stop');
  await api.delete('/connectors/c');
  await api.put('/admin/loggers/org?scope=cluster').send({ level: 'DEBUG' });
  const methods = [
    ...['createConnector', 'putConnectorConfig', 'patchConnectorConfig', 'setTargetState', 'restartConnector'],
    ...['requestRestart', 'restartTask', 'stopConnector', 'deleteConnector', 'setLoggerLevel'],
  ];
  expect(users).toEqual(expect.arrayContaining(methods.map((method) => `${method} jane`)));
});
