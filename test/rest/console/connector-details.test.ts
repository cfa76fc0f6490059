/** `GET /ui/api/connectors/NAME` */
import request from 'supertest';
import type { ConnectorDetails, Overview } from '@millrace/console';
import type { BuiltInPlugin } from '../../../src/plugins/registry';
import { builtIn, SNK, SRC } from '../../helpers/fake-plugins';
import { fakeWorker } from '../fake-worker';

const FILE_SOURCE = 'org.apache.kafka.connect.file.FileStreamSourceConnector';
const EFFECTS = { delete: 'So does the clock.' };
const ticker = builtIn('org.example.TickerConnector', { type: 'source', config: [], createTask: () => ({}) as never });
const TICKER: BuiltInPlugin = {
  ...ticker,
  description: {
    ...ticker.description,
    console: {
      panels: [
        {
          title: 'Clock',
          figures: { name: { metric: 'ticker_lost', label: 'clock' } },
          facts: [{ title: 'Name', figure: 'name' }],
        },
      ],
      effects: EFFECTS,
    },
  },
};
const sink = builtIn('org.example.DeclaringConnector', { type: 'sink', config: [], createTask: () => ({}) as never });
const DECLARING_SINK: BuiltInPlugin = {
  ...sink,
  description: { ...sink.description, deadLetters: { topic: 'own.dead.letters' } },
};
const ODD = { name: 'odd', 'connector.class': 'OddConnector', secret: 'hunter2-long', 'tasks.max': '1' };

async function detailsOf(worker: ReturnType<typeof fakeWorker>, name: string): Promise<ConnectorDetails> {
  const answer = await request(worker.app).get(`/ui/api/connectors/${encodeURIComponent(name)}`);
  expect(answer.status).toBe(200);
  return answer.body as ConnectorDetails;
}

test('a source', async () => {
  const worker = fakeWorker();
  await worker.herder.writes.createConnector('a', { ...SRC, name: 'a' }, null);
  worker.herder.topics.list = () => ['t', 'u'];
  const { at, row, ...details } = await detailsOf(worker, 'a');
  expect(at).toEqual(expect.any(Number));
  expect(row).toMatchObject({ name: 'a', summary: 'running', failure: null });
  expect(details).toEqual({
    failures: [],
    config: { ...SRC, name: 'a' },
    explanations: {},
    lastRestart: null,
    topics: ['t', 'u'],
    recordTopics: ['orders'],
    deadLetterTopic: null,
    panels: [],
    plugin: { class: FILE_SOURCE, version: '4.3.1', location: 'built-in', runsIn: 'node' },
    jvms: [],
    effects: {},
  });
});

test.each([
  ['errors.deadletterqueue.topic.name', 'dead'],
  ['own.dead.letters', ' dead '],
])('a sink with %s', async (key, topic) => {
  const worker = fakeWorker({ plugins: [DECLARING_SINK] });
  await worker.herder.writes.createConnector(
    's',
    { ...SNK, 'connector.class': 'Declaring', name: 's', [key]: topic },
    null,
  );
  expect((await detailsOf(worker, 's')).deadLetterTopic).toBe('dead');
});

test('codes of failures are explained, and codes that nobody knows are not', async () => {
  const worker = fakeWorker();
  await worker.herder.writes.createConnector('odd', ODD, null);
  worker.herder.entries.get('odd')!.taskStates = ['FAILED'];
  const explained = async (code: string) => {
    worker.herder.trace = `a.b.C: No. Mend it. [code: ${code}]\n\tat x\n`;
    return (await detailsOf(worker, 'odd')).explanations;
  };
  const { FILE_SINK_OPEN: known, ...others } = await explained('FILE_SINK_OPEN');
  expect(known).toEqual({ happened: expect.stringMatching(/\w/), cure: expect.stringMatching(/\w/) });
  expect(others).toEqual({});
  expect(await explained('ODD_CODE')).toEqual({});
});

test('secrets are hidden in the config and in traces, without roles as well', async () => {
  const worker = fakeWorker();
  await worker.herder.writes.createConnector('odd', ODD, null);
  const entry = worker.herder.entries.get('odd')!;
  entry.taskStates = ['FAILED', 'RUNNING', 'FAILED'];
  worker.herder.trace = 'a.b.C: No login with hunter2-long. Correct it. [code: ODD_LOGIN]\n\tat hunter2-long\n';
  const { config, failures, row } = await detailsOf(worker, 'odd');
  expect(config).toEqual({ ...ODD, secret: '[hidden]' });
  const failure = {
    at: null,
    code: 'ODD_LOGIN',
    sentence: 'No login with [hidden].',
    hint: 'Correct it.',
    place: {},
    trace: 'a.b.C: No login with [hidden]. Correct it. [code: ODD_LOGIN]\n\tat [hidden]\n',
  };
  expect(failures).toEqual([
    { ...failure, task: 0 },
    { ...failure, task: 2 },
  ]);
  expect([row.summary, row.failure]).toEqual(['degraded', { ...failure, task: 0, trace: '' }]);
});

test('traces are bounded, one and all together', async () => {
  const worker = fakeWorker();
  await worker.herder.writes.createConnector('a', { ...SRC, name: 'a' }, null);
  const entry = worker.herder.entries.get('a')!;
  entry.taskStates = Array.from({ length: 1_200 }, () => 'FAILED' as const);
  worker.herder.trace = `a.B: <script>alert(1)</script>\n${'\tat x\n'.repeat(1_500_000)}`;
  const answer = await request(worker.app).get('/ui/api/connectors/a');
  const { failures } = answer.body as ConnectorDetails;
  expect(failures).toHaveLength(1_000);
  expect(failures[0]?.trace.length).toBe(64 * 1024);
  expect(failures.filter(({ trace }) => trace !== '')).toHaveLength(16);
  expect(failures.at(-1)).toMatchObject({ sentence: '<script>alert(1)</script>', trace: '' });
});

test('the failure that was written last is the first', async () => {
  const worker = fakeWorker();
  await worker.herder.writes.createConnector('a', { ...SRC, name: 'a' }, null);
  worker.herder.entries.get('a')!.taskStates = ['FAILED', 'FAILED', 'FAILED'];
  const read = worker.herder.reads.connectorStatus;
  worker.herder.reads.connectorStatus = (name) => {
    const status = read(name);
    return {
      ...status,
      tasks: status.tasks.map((task) => ({ ...task, since: [5_000, null, 7_000][task.id] ?? null })),
    };
  };
  const { failures, row } = await detailsOf(worker, 'a');
  expect(failures.map(({ task, at }) => [task, at])).toEqual([
    [2, 7_000],
    [0, 5_000],
    [1, null],
  ]);
  expect([row.failure?.task, row.tasks.map(({ since }) => since)]).toEqual([2, [5_000, null, 7_000]]);
});

test('an unknown connector is 404, and hostile names are names', async () => {
  const worker = fakeWorker();
  const answer = await request(worker.app).get('/ui/api/connectors/none');
  expect([answer.status, answer.body]).toEqual([404, { error_code: 404, message: 'Connector none not found' }]);
  const name = '../<b>"\u2028/%2e;x';
  await worker.herder.writes.createConnector(name, { ...SRC, name }, null);
  expect((await detailsOf(worker, name)).row.name).toBe(name);
});

test('series of tasks on another worker are asked there, with the credentials of the caller', async () => {
  const asked: [string, string | null | undefined][] = [];
  const worker = fakeWorker({
    plugins: [TICKER],
    forward: async ({ url, path, authorization }) => {
      asked.push([url + path, authorization]);
      const body = path.endsWith('/worker')
        ? { version: '1', tasks: [] }
        : [{ name: 'ticker_lost', labels: { clock: 's' }, value: 1 }];
      return await Promise.resolve({ status: 200, body });
    },
  });
  worker.herder.group = [
    { url: 'http://127.0.0.1:8083/', id: '127.0.0.1:8083' },
    { url: 'http://b:1', id: 'b:1' },
  ];
  await worker.herder.writes.createConnector('a/b', { ...SRC, 'connector.class': 'Ticker', name: 'a/b' }, null);
  const read = worker.herder.reads.connectorStatus;
  worker.herder.reads.connectorStatus = (name) => {
    const status = read(name);
    return { ...status, tasks: status.tasks.map((task) => ({ ...task, worker_id: 'b:1' })) };
  };
  const path = '/ui/api/connectors/a%2Fb';
  const first = await request(worker.app).get(path).set('Authorization', 'Bearer t');
  const { panels, effects } = first.body as ConnectorDetails;
  expect(panels.map(({ title, facts }) => [title, facts[0]?.figure.value])).toEqual([['Clock', 's']]);
  expect(effects).toEqual(EFFECTS);
  const overview = await request(worker.app).get('/ui/api/overview').set('Authorization', 'Bearer t');
  expect((overview.body as Overview).effects).toEqual({ Ticker: EFFECTS });
  expect(asked.sort()).toEqual([
    ['http://b:1/ui/api/worker', 'Bearer t'],
    ['http://b:1/ui/api/worker/a%2Fb', 'Bearer t'],
  ]);
});
