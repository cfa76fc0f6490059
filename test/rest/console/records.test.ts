import request from 'supertest';
import { HerderError } from '../../../src/cluster/errors';
import type { TopicRecordsPage } from '../../../src/cluster/entities';
import { fakeWorker, type FakeWorker } from '../fake-worker';

const PATH = '/ui/api/connectors/c/records';
const record = (error: string | null): TopicRecordsPage['records'][number] => ({
  ...{ partition: 0, offset: '7', at: null, moreHeaders: 0, headers: [{ name: 'h', text: 'x', error }] },
  key: { text: null, error: null },
  value: { text: 'hunter2222', error },
});

let worker: FakeWorker;
let asked: unknown[];
beforeEach(() => {
  worker = fakeWorker();
  asked = [];
  const config = { 'connector.class': 'org.example.OddConnector', pin: 'hunter2222' };
  worker.herder.entries.set('c', {
    ...{ config, type: 'sink', target: 'STARTED', state: 'RUNNING', taskStates: ['RUNNING'] },
  });
  worker.herder.records.newest = async (...args) => {
    asked.push(args);
    return await Promise.resolve({ topic: 't', total: 9, records: [record('no hunter2222'), record(null)] });
  };
});

test('the newest records of a topic are returned, and errors of converters do not quote secrets of the config', async () => {
  const { body, status } = await request(worker.app).get(`${PATH}?topic=a%2Fb`);
  expect(status).toBe(200);
  expect(asked).toEqual([['c', 'a/b', 20]]);
  const { records } = body as TopicRecordsPage;
  expect(body).toEqual({ topic: 't', total: 9, records });
  expect(records[1]).toEqual(record(null));
  for (const part of [records[0]?.value, records[0]?.headers[0]]) {
    expect(part?.error).toMatch(/^no /);
    expect(part?.error).not.toContain('hunter');
  }
});

test.each(['0', '51', 'x', '-1', '1.5'])('limit=%s is refused', async (limit) => {
  const { status, body } = await request(worker.app).get(`${PATH}?topic=t&limit=${limit}`);
  expect([status, (body as { message: string }).message]).toEqual([400, '"limit" must be a number from 1 to 50']);
  expect(asked).toEqual([]);
});

test('a request without a topic is refused', async () => {
  expect((await request(worker.app).get(PATH)).status).toBe(400);
  expect(asked).toEqual([]);
});

test('a topic of others is 404 with a code', async () => {
  worker.herder.records.newest = () => Promise.reject(new HerderError(404, 'RECORDS_TOPIC: not of c'));
  const { status, body } = await request(worker.app).get(`${PATH}?topic=t`);
  expect([status, body]).toMatchObject([404, { message: 'RECORDS_TOPIC: not of c' }]);
});
