import request from 'supertest';
import { HerderError } from '../../../src/cluster/errors';
import type { ShownLetter } from '../../../src/dead-letters/shown-letter';
import type { Access } from '../../../src/rest/auth/access';
import type { AuditedChange, AuditLog } from '../../../src/rest/auth/audit-log';
import { fakeWorker, type FakeWorker } from '../fake-worker';

const PATH = '/ui/api/connectors/c/dead-letters';
const letter = (offset: string, message: string | null = null): ShownLetter => ({
  ...{ partition: 0, offset, at: 5, key: 'k', value: null, headers: [] },
  failure: { stage: 'VALUE_CONVERTER', errorClass: 'X', message, task: 0 },
  origin: { topic: 't', partition: 1, offset: '7' },
});
const CONFIG = { 'connector.class': 'org.example.OddConnector', pin: 'hunter2222' };

let worker: FakeWorker;
beforeEach(() => {
  worker = fakeWorker();
  worker.herder.entries.set('c', {
    ...{ config: CONFIG, type: 'sink', target: 'STARTED', state: 'RUNNING', taskStates: ['RUNNING'] },
  });
});

test('the newest letters are returned, and messages do not quote secrets of the config', async () => {
  const letters = [letter('8', 'refused hunter2222'), letter('7')];
  worker.herder.deadLetters.list = async (_name, limit) =>
    await Promise.resolve({ topic: 'dlq', total: 9, letters: letters.slice(0, limit) });
  const answer = await request(worker.app).get(PATH);
  expect(answer.text).not.toContain('hunter');
  expect(answer.body).toEqual({
    ...{ topic: 'dlq', total: 9 },
    letters: [letter('8', (answer.body as { letters: ShownLetter[] }).letters[0]?.failure.message), letter('7')],
  });
  expect(((await request(worker.app).get(`${PATH}?limit=1`)).body as { letters: unknown[] }).letters).toHaveLength(1);
});

test('groups are returned without secrets, and the letters of one by its key', async () => {
  const group = { key: 'k1', stage: 'PUT', errorClass: 'X', count: 3, first: 1, last: 2, replayable: [] };
  worker.herder.deadLetters.groups = async () =>
    await Promise.resolve({
      ...{ topic: 'dlq', total: 9, read: 5 },
      groups: [{ ...group, pattern: 'refused hunter2222', message: 'refused hunter2222' }],
    });
  const { text, body } = await request(worker.app).get(`${PATH}/groups`);
  expect(text).not.toContain('hunter');
  expect(body).toMatchObject({ topic: 'dlq', total: 9, read: 5, groups: [group] });
  const asked: unknown[] = [];
  worker.herder.deadLetters.list = async (...args) => {
    asked.push(args);
    return await Promise.resolve({ topic: 'dlq', total: 0, letters: [] });
  };
  await request(worker.app).get(`${PATH}?group=k1&limit=7`);
  await request(worker.app).get(PATH);
  expect(asked).toEqual([
    ['c', 7, 'k1'],
    ['c', 50, null],
  ]);
});

test.each(['0', '201', 'x', '-1', '1.5'])('limit=%s is refused', async (limit) => {
  const answer = await request(worker.app).get(`${PATH}?limit=${limit}`);
  expect([answer.status, (answer.body as { message: string }).message]).toEqual([
    400,
    '"limit" must be a number from 1 to 200',
  ]);
});

test('a connector without a dead letter topic is 404 with a code', async () => {
  worker.herder.deadLetters.list = () => Promise.reject(new HerderError(404, 'DLQ_NONE: no topic'));
  const answer = await request(worker.app).get(PATH);
  expect([answer.status, answer.body]).toMatchObject([404, { message: expect.stringMatching(/^DLQ_NONE: /) }]);
});

test('a replay has one result for each letter, in order, and is audited', async () => {
  const audited: AuditedChange[] = [];
  const audit = { record: (change: AuditedChange) => audited.push(change) } as unknown as AuditLog;
  const { app, herder } = fakeWorker({ audit });
  herder.entries.set('c', {
    ...{ config: CONFIG, type: 'sink', target: 'STARTED', state: 'RUNNING', taskStates: [] },
  });
  herder.deadLetters.replay = async () =>
    await Promise.resolve([
      { error: null, failedAgain: null },
      { error: 'DLQ_LETTER_GONE: gone', failedAgain: null },
      { error: null, failedAgain: 'no table for hunter2222' },
    ]);
  const letters = [
    { partition: 0, offset: '7' },
    { partition: 1, offset: '0' },
    { partition: 1, offset: '1' },
  ];
  const answer = await request(app).post(`${PATH}/replay`).send({ letters });
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      results: [
        { partition: 0, offset: '7', error: null, failedAgain: null },
        { partition: 1, offset: '0', error: 'DLQ_LETTER_GONE: gone', failedAgain: null },
        { partition: 1, offset: '1', error: null, failedAgain: expect.not.stringContaining('hunter') },
      ],
    },
  ]);
  expect(audited).toMatchObject([
    { connector: 'c', status: 200, route: { path: '/ui/api/connectors/:name/dead-letters/replay', role: 'operator' } },
  ]);
});

test.each([
  ['{}', 'A replay needs'],
  ['{"letters":[]}', 'A replay needs'],
  [`{"letters":[${Array.from({ length: 501 }, () => '{"partition":0,"offset":"1"}').join()}]}`, 'A replay needs'],
  ['{"letters":[null]}', 'The "partition" of a letter'],
  ['{"letters":[{"partition":0,"offset":1}]}', 'The "partition" of a letter'],
  ['{"letters":[{"partition":0,"offset":"-1"}]}', 'The "partition" of a letter'],
  ['{"letters":[{"partition":-1,"offset":"1"}]}', 'The "partition" of a letter'],
  ['{"letters":[{"partition":0.5,"offset":"1"}]}', 'The "partition" of a letter'],
])('the replay %s is refused', async (body, message) => {
  const answer = await request(worker.app).post(`${PATH}/replay`).set('Content-Type', 'application/json').send(body);
  expect([answer.status, (answer.body as { message: string }).message]).toEqual([
    400,
    expect.stringContaining(message),
  ]);
});

test('readers neither see nor replay them', async () => {
  const reader: Access = {
    ...{ admitsEveryone: false, hasRoles: true, accepts: ['basic'] },
    admit: async (_request, { role }) => {
      if (role !== 'reader') throw Object.assign(new Error('no'), { status: 403 });
      return await Promise.resolve({ user: 'jane', role: 'reader' });
    },
  };
  const { app } = fakeWorker({ access: reader });
  expect((await request(app).get(PATH)).status).not.toBe(200);
  expect((await request(app).post(`${PATH}/replay`).send({ letters: [] })).status).not.toBe(400);
});
