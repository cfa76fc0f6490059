/**
 * Expressions of exponential time in validated configs: a client that validates can block neither the worker nor other
 * validations.
 */
import { startWorker, type Answer, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { uniqueName } from '../helpers/unique-name';

/** Longer than the universe is old. */
const ENDLESS = '(a|a)*b';
const TEXT = 'a'.repeat(100);
const POSTGRES = 'io.debezium.connector.postgresql.PostgresConnector';

const postgres = {
  'connector.class': POSTGRES,
  'topic.prefix': 'p',
  // Nothing listens there.
  'database.hostname': '127.0.0.1',
  'database.port': '1',
  'database.user': 'u',
  'database.dbname': TEXT,
};
const { topics: _topics, ...sink } = fileSinkConfig('', '/tmp/never');

let worker: StartedWorker;

beforeAll(async () => {
  worker = await startWorker({ group: uniqueName('expressions'), settings: { 'plugin.thread.silence.ms': '1000' } });
  await worker.ready();
});
afterAll(async () => await worker?.stop());

async function validate(config: Record<string, string>): Promise<Answer> {
  const name = config['connector.class'] as string;
  return await worker.request('PUT', `/connector-plugins/${name}/config/validate`, { name: 'c', ...config });
}

const deadLetters = { 'topics.regex': ENDLESS, 'errors.deadletterqueue.topic.name': TEXT };

test.each<[string, Record<string, string>]>([
  ['topics.regex', { ...sink, ...deadLetters }],
  [
    'RegexRouter',
    {
      ...sink,
      topics: TEXT,
      transforms: 't',
      'transforms.t.type': 'org.apache.kafka.connect.transforms.RegexRouter',
      'transforms.t.regex': ENDLESS,
      'transforms.t.replacement': 'x',
    },
  ],
  [
    'TopicNameMatches',
    {
      ...sink,
      topics: TEXT,
      predicates: 'p',
      'predicates.p.type': 'org.apache.kafka.connect.transforms.predicates.TopicNameMatches',
      'predicates.p.pattern': ENDLESS,
    },
  ],
  ['table.include.list', { ...postgres, 'table.include.list': ENDLESS }],
  ['schema.exclude.list', { ...postgres, 'schema.exclude.list': ENDLESS }],
  ['column.include.list', { ...postgres, 'column.include.list': ENDLESS }],
  ['column.mask.with.3.chars', { ...postgres, 'column.mask.with.3.chars': ENDLESS }],
  ['message.key.columns', { ...postgres, 'message.key.columns': `${ENDLESS}:${TEXT}` }],
])('%s: the request is answered, however expensive the expression is', async (_, config) => {
  const answer = await validate(config);
  expect([200, 500]).toContain(answer.status);
  if (answer.status === 500) expect(answer.json.message).toContain('did not return within 1000 ms');
  expect((await worker.request('GET', '/health')).status).toBe(200);
});

test('a flood of them does not affect REST, other classes and the membership', async () => {
  let open = 10;
  const flood = Promise.all(
    Array.from({ length: open }, async () => {
      const answer = await validate({ ...sink, ...deadLetters });
      open--;
      return answer.status;
    }),
  );
  const others: number[] = [];
  do {
    const [health, other] = await Promise.all([worker.request('GET', '/health'), validate(postgres)]);
    others.push(health.status, other.status);
  } while (open > 0);
  expect(new Set(others)).toEqual(new Set([200]));
  expect(new Set(await flood)).toEqual(new Set([(await validate({ ...sink, ...deadLetters })).status]));
  expect(worker.process.log().match(/Joined the group/g)).toHaveLength(1);
});

test('a connector with such an expression is not created', async () => {
  const name = uniqueName('c');
  const answer = await worker.request('POST', '/connectors', { name, config: { ...sink, ...deadLetters } });
  // Without an end, it is not known to be valid; an engine that finishes finds no match.
  if (answer.status === 500) {
    expect(answer.json.message).toContain('The check of "topics.regex" did not return within 1000 ms');
    expect((await worker.request('GET', `/connectors/${name}`)).status).toBe(404);
  } else {
    expect([201, 400]).toContain(answer.status);
  }
});
