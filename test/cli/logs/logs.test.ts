import { runCli } from '../../../src/cli/cli';
import { waitFor } from '../../helpers/wait-for';
import { FakeIo } from '../fake-io';
import { cli, serve } from '../scripted-rest';

const line = (sequence: number, at: number, level: string, text: string, more: object = {}): object => ({
  ...{ sequence, at, worker_id: 'w1:8083', level, logger: 'x.Y', task: 0, text, ...more },
});
const LINES = [
  line(1, 0, 'INFO', 'started', { task: null }),
  line(2, 1_000, 'WARN', 'slow\nnot a line of its own'),
  line(9, 2_000, 'ERROR', 'gone \u001b[2J', { worker_id: 'w2:8083', task: 1 }),
];

test('the lines of all workers, with their place; which workers have none', async () => {
  const url = await serve((request) =>
    request === 'GET /connectors/a%20b/logs?limit=500' ? { lines: LINES, missing: ['w3:8083'] } : undefined,
  );
  expect(await cli(url, 'logs', 'a b')).toEqual({
    code: 0,
    out:
      '1970-01-01T00:00:00.000Z INFO w1:8083 [x.Y] started\n' +
      '1970-01-01T00:00:01.000Z WARN w1:8083 task 0 [x.Y] slow\n    not a line of its own\n' +
      '1970-01-01T00:00:02.000Z ERROR w2:8083 task 1 [x.Y] gone  [2J\n',
    err: 'No log lines of w3:8083: it does not answer, or is no worker of Millrace.\n',
  });
});

test.each([
  [['-n', '1'], ['gone \u001b[2J']],
  [
    ['--level', 'WARN'],
    ['slow\nnot a line of its own', 'gone \u001b[2J'],
  ],
  [['--task', '0', '-o', 'json'], ['slow\nnot a line of its own']],
])('%j chooses lines; one JSON object each', async (options, texts) => {
  const url = await serve(() => ({ lines: LINES, missing: [] }));
  const { out } = await cli(url, 'logs', 'a', '-o', 'json', ...options);
  expect(
    out
      .trim()
      .split('\n')
      .map((text) => (JSON.parse(text) as { text: string }).text),
  ).toEqual(texts);
});

test('--follow prints each line once, also after a restart of its worker and while none answers', async () => {
  const later = line(3, 3_000, 'INFO', 'later');
  const restarted = line(1, 4_000, 'INFO', 'restarted');
  const answers: unknown[] = [LINES, [...LINES, later], null, [...LINES, later, restarted]];
  const url = await serve((_, response) => {
    const lines = answers.length > 1 ? answers.shift() : answers[0];
    if (lines !== null) return { lines, missing: [] };
    response.destroy();
    return undefined;
  });
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', MILLRACE_URL: url });
  const ended = runCli(['logs', 'a', '--follow', '-n', '1'], io);
  await waitFor('the last line', async () => await Promise.resolve(io.out.includes('restarted')));
  io.signal('SIGINT');
  expect(await ended).toBe(0);
  expect(io.out.split('\n').map((text) => text.replace(/.*\] /, ''))).toEqual(['gone  [2J', 'later', 'restarted', '']);
  expect(io.err).toMatch(/^No answer from .* Trying again\.\n$/);
});

test("Java's worker has no such route; an unknown connector", async () => {
  const java = await serve(() => undefined);
  const { code, err } = await cli(java, 'logs', 'a');
  expect([code, err]).toEqual([
    4,
    `millrace: ${java} has no GET /connectors/a/logs: only Millrace's workers do. It is a worker of Java's Kafka Connect, or of an older version. (REST_NO_ROUTE)\n`,
  ]);
  const url = await serve((_, response) =>
    response.writeHead(404).end('{"error_code":404,"message":"Connector a not found"}'),
  );
  expect(await cli(url, 'logs', 'a')).toEqual({
    code: 4,
    out: '',
    err: 'millrace: Connector a not found (REST_NOT_FOUND)\n',
  });
});
