/**
 * Follows the connector's README literally: creates its tables and posts its document, with only the placeholders
 * filled in.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { SECRET, SinkSetup } from './sink-setup';

const ROOT = join(__dirname, '..', '..', '..');
const README = readFileSync(join(ROOT, 'connectors', 'analytics', 'README.md'), 'utf8');
const EXAMPLE = readFileSync(join(ROOT, 'examples', 'analytics-sink.json'), 'utf8');
const DOCUMENT = README.slice(README.indexOf('\n    {\n'), README.indexOf('\n    }\n') + '\n    }\n'.length).replace(
  /\n {4}/g,
  '\n',
);
/** Indented lines that are commands. The emulator supports only those that create tables and mappings. */
const COMMANDS = README.split('\n')
  .map((text) => text.trim())
  .filter((text) => text.startsWith('.create table'));

const setup = SinkSetup.forFile();
const clients = new Clients();
let worker: StartedWorker;

beforeAll(async () => {
  worker = await startWorker({ group: uniqueName('readme') });
  await worker.ready();
  await setup.command('.create database demo');
  for (const command of COMMANDS) await setup.command(command, 'demo');
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
});

/** Tests share a broker, so that the topic must be unique. */
function filledIn(text: string, topic: string): string {
  return text
    .replaceAll('storm-events', topic)
    .replace('"storms"', JSON.stringify(topic))
    .replace('https://ingest-<cluster>.<region>.<domain>', setup.emulator.url)
    .replace('<TENANT_ID>', 'tenant')
    .replace('<APP_ID>', 'app')
    .replace('<CLIENT_SECRET>', SECRET);
}
const rowsOf = async (source: string): Promise<unknown[][]> =>
  await setup.post('/v1/rest/query', `StormEvents | where Source == '${source}' | order by EventId asc`, {}, 'demo');

test('the README’s document is the example’s', () => {
  expect(DOCUMENT.trim()).toBe(EXAMPLE.trim());
  expect(COMMANDS).toHaveLength(2);
});

test.each([
  ['single quotes, as it stands', (text: string) => text],
  ['double quotes', (text: string) => text.replace(/"\[\{.*\}\]"/, (list) => list.replaceAll("'", '\\"'))],
])('analytics-sink 1, 11: the registration document with %s, posted by curl: rows arrive', async (_, quoted) => {
  const topic = await clients.topic();
  const source = uniqueName('s');
  const answer = await waitFor('the rebalance of the test before to end', async () => {
    const now = await worker.request('POST', '/connectors', filledIn(quoted(DOCUMENT), topic));
    return now.status !== 409 && now;
  });
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  await worker.running(topic);
  const row = (i: number): string =>
    `2007-09-29T08:11:00Z,2007-09-29T08:21:00Z,${i},FLORIDA,${'Waterspout '.repeat(4).trim()},${source}`;
  const rows = Array.from({ length: 200 }, (_each, i) => row(i));
  expect(rows.join('\n').length).toBeGreaterThan(10_000);
  await clients.send(topic, rows);
  const found = await waitFor('rows of the first file', async () => {
    await setup.emulator.ingestor.flush();
    const all = await rowsOf(source);
    return all.length > 0 && all;
  });
  expect(found[1]).toEqual([
    expect.stringMatching(/^2007-09-29T08:11:00/),
    expect.stringMatching(/^2007-09-29T08:21:00/),
    1,
    'FLORIDA',
    'Waterspout Waterspout Waterspout Waterspout',
    source,
  ]);
  await worker.request('DELETE', `/connectors/${topic}`);
});

test('a mapping list that is JSON instead of text is rejected by REST, as in Java', async () => {
  const topic = await clients.topic();
  const list = [{ topic, db: 'demo', table: 'StormEvents' }];
  const { config } = JSON.parse(filledIn(DOCUMENT, topic)) as { config: object };
  const answer = await worker.request('POST', '/connectors', {
    name: topic,
    config: { ...config, 'analytics.tables.topics.mapping': list },
  });
  expect(answer.status).toBe(500);
  expect(answer.json.message).toContain(
    'Cannot deserialize value of type `java.lang.String` from Array value (token `JsonToken.START_ARRAY`)',
  );
});
