import type { ServerResponse } from 'node:http';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../fake-io';
import { cli, entry, serve, serveSilence } from '../scripted-rest';

const list = Object.fromEntries([
  entry('a', 'RUNNING', 'RUNNING'),
  entry('b', 'RUNNING', 'RUNNING', 'FAILED'),
  entry('c', 'PAUSED'),
]);
const METRICS = `kafka_connect_sink_task_metrics_sink_record_send_rate{connector="b",task="0"} 12.25
kafka_connect_sink_task_metrics_sink_record_send_total{connector="b",task="0"} 400
kafka_connect_source_task_metrics_source_record_write_rate{connector="a",task="0"} 250.4
kafka_connect_task_error_metrics_total_record_errors{connector="b",task="0"} 3
millrace_task_lag_records{connector="a",task="0"} 9
millrace_task_lag_seconds{connector="a",task="0"} 2
millrace_sink_lag_records_max{connector="b",task="0"} 70
millrace_sink_lag_seconds_max{connector="b",task="0"} 1.5
process_resident_memory_bytes 104857600
process_cpu_seconds_total 5
`;

async function worker(metrics: (response: ServerResponse) => unknown): Promise<string> {
  return await serve((request, response) => (request === 'GET /metrics' ? metrics(response) : list));
}

test('the busiest connectors first', async () => {
  const url = await worker(() => METRICS);
  const { code, out, err } = await cli(url, 'top', '--once');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.replace(/127\.0\.0\.1:\d+ */, 'w:1     ').replace(/^WORKER +/, 'WORKER  ')).toBe(
    `WORKER  CPU  MEMORY   TASKS  RECORDS/S
w:1     -    100 MiB  2      263

CONNECTOR  TYPE  STATE    HEALTH  TASKS  RECORDS/S  LAG  BEHIND  ERRORS  ERRORS/S
a          sink  RUNNING  –       1/1    250        9    2.0 s   -       -
b          sink  RUNNING  –       1/2    12.3       70   1.5 s   3       -
c          sink  PAUSED   –       0/0    -          -    -       -       -
`,
  );
});

test('tasks, sorted, limited; names; JSON', async () => {
  const url = await worker(() => METRICS);
  expect((await cli(url, 'top', 'b', 'a', '--once', '--tasks', '--sort', 'errors', '-n', '1')).out).toMatch(
    /\nCONNECTOR .*\nb +0 +RUNNING +w:8083 +12\.3 +70 +1\.5 s +3 +-\n\.\.\. and 2 more\n$/,
  );
  expect(await cli(url, 'top', 'x', '--once')).toMatchObject({ code: 4, out: '' });
  const json = await cli(url, 'top', '--once', '-o', 'json');
  expect(JSON.parse(json.out)).toMatchObject({
    workers: [{ cpu: null, memoryBytes: 104857600, tasks: 2, recordsPerSecond: 262.65 }],
    connectors: [{ name: 'a' }, { name: 'b', lagRecords: 70, tasks: [{ id: 0 }, { id: 1, errors: null }] }, {}],
  });
});

test.each([
  [66, /\nCONNECTOR {2}HEALTH {2}TASKS {2}RECORDS\/S {2}LAG {2}BEHIND {2}ERRORS {2}ERRORS\/S\na {10}–/],
  [58, /\nCONNECTOR {2}HEALTH {2}TASKS {2}RECORDS\/S {2}BEHIND {2}ERRORS\/S\na {10}–/],
  [40, /\nCONNECTOR\n {2}HEALTH {2}RECORDS\/S {2}BEHIND {2}ERRORS\/S\na\n {2}– {7}250 {8}2\.0 s {3}-\n/],
])('%s columns: the most important figures, and no row is broken', async (columns, table) => {
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
  Object.assign(io.stdout, { columns });
  expect(await runCli(['top', '--once', '--url', await worker(() => METRICS)], io)).toBe(0);
  expect(io.out).toMatch(table);
  expect(Math.max(...io.out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(columns);
});

test('a clock, and errors per second since the refresh before', async () => {
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
  let reads = 0;
  const url = await worker(() => METRICS.replace('task="0"} 3\n', `task="0"} ${3 + 100 * reads++}\n`));
  io.stdout.write = (text) => {
    if (/\nb +sink +RUNNING +– +1\/2 +\S+ +70 +1\.5 s +\d+ +[1-9][\d.]*\x1b/.test(text)) io.signal('SIGINT'); // eslint-disable-line no-control-regex
    return (io.out += text);
  };
  Object.assign(io.stdout, { isTTY: true });
  expect(await runCli(['top', '--interval', '1', '--url', url], io)).toBe(0);
  expect(io.out).toMatch(/\x1b\[H\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\x1b\[K\n/); // eslint-disable-line no-control-regex
});

test('workers without metrics: states only, said once', async () => {
  const urls = [await worker(() => undefined), await worker(() => undefined)].map((url) => url.slice(7));
  const { code, out } = await cli(urls.join(), 'top', '--once');
  expect(code).toBe(0);
  expect(out).toBe(
    `Only states of ${[...urls].sort().join(', ')}: no GET /metrics (Java's worker has none).

CONNECTOR  TYPE  STATE    HEALTH  TASKS
a          sink  RUNNING  –       1/1
b          sink  RUNNING  –       1/2
c          sink  PAUSED   –       0/0
`,
  );
});

test('figures of one of two workers; tasks of a worker that is not named', async () => {
  const good = await worker(() => METRICS.replaceAll('connector="a"', 'connector="z"'));
  const bad = await worker(() => '<html>');
  const { code, out } = await cli(`${good},${bad}`, 'top', '--once');
  expect(code).toBe(0);
  expect(out).toContain(`${bad.slice(7)}: GET /metrics: line 1 is not in Prometheus' text format\n`);
  expect(out).toContain('No figures of tasks on w:8083: name the URLs of all workers');
});

test.each<[string, (response: ServerResponse) => unknown, string]>([
  ['status', (response) => response.writeHead(403).end('{"message":"role \\u001b[2J"}'), 'role [2J'],
  ['other metrics', () => 'up 1\n', 'no metrics of a Millrace worker'],
  ['empty lines', () => '\n\n', 'no metrics of a Millrace worker'],
  ['JSON', () => ({ a: 1 }), "line 1 is not in Prometheus' text format"],
  ['cut off', (response) => (response.write('a'), response.destroy()), 'No answer from'],
])('bad metrics, %s: states, and why', async (_, metrics, problem) => {
  const { code, out } = await cli(await worker(metrics), 'top', '--once');
  expect(code).toBe(0);
  expect(out).toContain(problem);
  expect(out).toMatch(/\nb +sink +RUNNING +– +1\/2\n/);
});

test('metrics without an end', async () => {
  const part = Buffer.alloc(1024 * 1024, '# x\n');
  const url = await worker((response) => {
    const send = (): void => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', send);
    send();
  });
  // The limit of bytes ends the request, not the one of time, also on a busy machine.
  const { out } = await cli(url, 'top', '--once', '--request-timeout', '300');
  expect(out).toMatch(/the reply is larger than\s+67108864 bytes/);
});

test('refreshes on a terminal until SIGINT; otherwise --once is needed', async () => {
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
  let reads = 0;
  const url = await worker(() => {
    if (++reads === 2) io.signal('SIGINT');
    return METRICS;
  });
  Object.assign(io.stdout, { isTTY: true });
  expect(await runCli(['top', '--interval', '1', '--url', url], io)).toBe(0);
  expect(io.out).toContain('RECORDS/S');
  expect(io.out.endsWith('\x1b[?25h\n')).toBe(true);
  expect(await cli(url, 'top')).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--once') });
  expect(await cli(url, 'top', '-o', 'json')).toMatchObject({ code: 2, out: '' });
});

test.each(['first', 'last'])(
  'the %s worker accepts and does not answer: the others are refreshed, and a note names it',
  async (position) => {
    const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
    let reads = 0;
    const good = await worker(() => {
      if (++reads === 4) io.signal('SIGINT');
      return METRICS;
    });
    const silent = await serveSilence();
    Object.assign(io.stdout, { isTTY: true });
    const urls = position === 'first' ? [silent, good] : [good, silent];
    const options = ['--interval', '1', '--request-timeout', '3600'];
    expect(await runCli(['top', ...options, '--url', urls.join()], io)).toBe(0);
    expect(io.out).toMatch(new RegExp(`${good.slice(7)} +- +100 MiB`));
    expect(io.out).toMatch(/\nb +sink +RUNNING +– +1\/2 +12\.3/);
    expect(io.out).toMatch(new RegExp(`${silent.slice(7)}: GET /metrics: no answer for \\d s`));
  },
);

test('a worker whose answers take longer than a refresh waits: its figures are shown when they are there', async () => {
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
  const good = await worker(() => METRICS);
  let answer: (() => void) | undefined;
  const slow = await worker((response) => {
    answer = () => response.end(METRICS.replaceAll('connector="b"', 'connector="c"'));
    response.flushHeaders();
  });
  io.stdout.write = (text) => {
    if (text.includes('no answer')) answer?.();
    if (new RegExp(`${slow.slice(7)} +- +100 MiB`).test(text)) io.signal('SIGINT');
    return (io.out += text);
  };
  Object.assign(io.stdout, { isTTY: true });
  expect(await runCli(['top', '--interval', '1', '--url', `${good},${slow}`], io)).toBe(0);
});

test('--once: a worker that does not answer is named after some seconds', async () => {
  const silent = await serveSilence();
  const urls = `${silent},${await worker(() => METRICS)}`;
  const { code, out } = await cli(urls, 'top', '--once', '--request-timeout', '3600');
  expect(code).toBe(0);
  expect(out).toMatch(
    new RegExp(`${silent.slice(7)}: GET /metrics: No answer from ${silent}: it took longer than 5 s`),
  );
  expect(out).toMatch(/\nb +sink +RUNNING +– +1\/2 +12\.3/);
});

test('no worker answers: exit code 3', async () => {
  expect(await cli('http://127.0.0.1:1', 'top', '--once')).toMatchObject({ code: 3, out: '' });
});
