/** `GET /ui/api/topology` */
import request from 'supertest';
import type { Topology } from '@millrace/console';
import { topologyOf } from '../../../src/rest/console/topology';
import type { ConnectorRecord } from '../../../src/cluster/entities';
import { SNK, SRC } from '../../helpers/fake-plugins';
import { fakeWorker } from '../fake-worker';

test('sources write the topics that they have used; sinks read those of their config, too', async () => {
  const { app, herder } = fakeWorker();
  await herder.writes.createConnector('source', { ...SRC, name: 'source' }, null);
  const dead = { 'errors.deadletterqueue.topic.name': ' dead ' };
  await herder.writes.createConnector('list', { ...SNK, ...dead, name: 'list', topics: 't, u' }, null);
  const { topics: _, ...sink } = SNK as Record<string, string>;
  await herder.writes.createConnector('pattern', { ...sink, name: 'pattern', 'topics.regex': '(a+)+$' }, null);
  herder.topics.list = (name) => ({ source: ['t'], list: ['t'], pattern: ['aaa'] })[name] ?? [];
  const answer = await request(app).get('/ui/api/topology');
  expect(answer.status).toBe(200);
  const none = { pattern: null, writes: [], reads: [], deadLetters: [], omitted: 0 };
  expect(answer.body).toEqual({
    at: expect.any(Number) as number,
    tracksTopics: true,
    omitted: 0,
    connectors: [
      { ...none, name: 'source', writes: ['t'] },
      { ...none, name: 'list', reads: ['t', 'u'], deadLetters: ['dead'] },
      { ...none, name: 'pattern', reads: ['aaa'], pattern: '(a+)+$' },
    ],
  } satisfies Topology);
});

test('is bounded: connectors, topics of one, and all links', () => {
  const record = (name: string): ConnectorRecord => ({
    ...{ name, config: {}, type: 'source', target: 'STARTED', tasks: 1, status: null },
  });
  const topics = Array.from({ length: 250 }, (_, i) => `t${i}`);
  const sources = { activeTopics: () => topics, deadLettersOf: () => [], tracksTopics: true };
  const found = topologyOf(
    Array.from({ length: 5_001 }, (_, i) => record(`c${i}`)),
    sources,
  );
  expect([found.connectors.length, found.omitted]).toEqual([5_000, 1]);
  expect(found.connectors[0]).toMatchObject({ omitted: 50 });
  expect(found.connectors.reduce((sum, { writes }) => sum + writes.length, 0)).toBe(20_000);
  expect(found.connectors.at(-1)).toMatchObject({ writes: [], omitted: 250 });
});
