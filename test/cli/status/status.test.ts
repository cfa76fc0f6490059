import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../fake-io';
import { cli, entry, serve, serveSilence, TRACE } from '../scripted-rest';

const list = Object.fromEntries([entry('a', 'RUNNING', 'RUNNING'), entry('z', 'RUNNING', 'RUNNING', 'FAILED')]);

test('failed ones first, with the reason and its code, without secrets: exit code 5', async () => {
  const url = await serve(() => list);
  const { code, out } = await cli(url, 'status');
  expect(code).toBe(5);
  expect(out).toBe(
    `2 connectors: 2 RUNNING
3 tasks: 1 FAILED, 2 RUNNING

FAILED z, task 1 on w:8083
  org.apache.kafka.connect.errors.DataException: No table orders, password=[hidden] [code: PG_TABLE,
  table: orders]

NAME  TYPE  STATE    HEALTH  TASKS  ERRORS/S  WORKER
z     sink  RUNNING  –       1/2    -         w:8083
a     sink  RUNNING  –       1/1    -         w:8083
`,
  );
  const json = await cli(url, 'status', '-o', 'json');
  expect(json.code).toBe(5);
  expect(JSON.parse(json.out)).toMatchObject({
    connectors: { RUNNING: 2 },
    tasks: { FAILED: 1, RUNNING: 2 },
    failures: [{ name: 'z', part: 'task 1', worker: 'w:8083', code: 'PG_TABLE' }],
  });
  expect(json.out).not.toContain('hunter2');
});

function failing(name: string, trace: string, tasks = 1): [string, unknown] {
  const [, failed] = entry(name, 'RUNNING', ...Array<string>(tasks).fill('FAILED')) as [string, Failed];
  for (const task of failed.status.tasks) task.trace = trace;
  return [name, failed];
}

interface Failed {
  readonly status: { readonly tasks: { trace: string }[] };
}

async function statusAt(columns: number | undefined, listed: unknown): Promise<string> {
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
  Object.assign(io.stdout, { columns });
  await runCli(['status', '--url', await serve(() => listed)], io);
  return io.out;
}

const LONG =
  'org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler: VALUE_CONVERTER failed: ' +
  `${'cause '.repeat(200)}end of the cause. Correct the record, or set errors.tolerance=all to skip such records. ` +
  '[code: TOLERANCE_EXCEEDED, topic: orders, partition: 7, offset: 123456789]';

test.each([undefined, 40, 60, 72, 100])('at %s columns, cause, place and cure are whole', async (columns) => {
  const out = await statusAt(columns, Object.fromEntries([failing('z', `${LONG}\n\tat x\n`)]));
  expect(out.replace(/\s+/g, ' ')).toContain(LONG);
  if (columns !== undefined)
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThan(columns + 20);
});

test('a reason that many tasks share is shown once, below all of them', async () => {
  const out = await statusAt(80, Object.fromEntries([failing('y', TRACE, 3), failing('z', TRACE), failing('a', LONG)]));
  expect(out).toContain('FAILED y, tasks 0, 1, 2 on w:8083\nFAILED z, task 0 on w:8083\n  org.apache.kafka');
  expect(out.match(/PG_TABLE/g)).toHaveLength(1);
});

test("Java's wrapper is followed by its cause", async () => {
  const trace =
    'org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.\n\tat x\n' +
    'Caused by: org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler\n\tat x\n' +
    'Caused by: org.apache.kafka.connect.errors.DataException: Cannot convert "x" at topic orders\n';
  expect(await statusAt(undefined, Object.fromEntries([failing('z', trace)]))).toMatch(
    /Exiting WorkerSinkTask [^]*Tolerance exceeded in\s+error handler\s+Caused by: \S+DataException: Cannot convert "x" at\s+topic orders\n/,
  );
});

test('a narrow terminal has no optional columns, and no broken row', async () => {
  const listed = Object.fromEntries([entry('orders-to-the-warehouse', 'RUNNING', 'RUNNING')]);
  expect(await statusAt(40, listed)).toContain(
    '\nNAME                     STATE    HEALTH\norders-to-the-warehouse  RUNNING  –\n',
  );
  expect(await statusAt(30, listed)).toContain(
    '\nNAME\n  STATE    HEALTH  TASKS\norders-to-the-warehouse\n  RUNNING  –       1/1\n',
  );
});

test('nothing failed: exit code 0', async () => {
  const url = await serve(() => list);
  expect(await cli(url, 'status', 'a')).toMatchObject({ code: 0, err: '' });
  const empty = await serve(() => ({}));
  expect(await cli(empty, 'status')).toEqual({ code: 0, out: '0 connectors\n0 tasks\n', err: '' });
});

test('--watch redraws until SIGINT, which is success', async () => {
  let reads = 0;
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
  const url = await serve((request, response) => {
    if (request === 'GET /health') return {};
    if (++reads === 2) return response.writeHead(500).end('{"message":"broken"}');
    if (reads === 3) io.signal('SIGINT');
    return list;
  });
  Object.assign(io.stdout, { isTTY: true, rows: 6 });
  expect(await runCli(['status', '--watch', '--interval', '1', '--url', url], io)).toBe(0);
  expect(io.out).toMatch(
    // eslint-disable-next-line no-control-regex
    /^\x1b\[\?25l\x1b\[2J\x1b\[H\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\x1b\[K\n\x1b\[K\n2 connectors: 2 RUNNING\x1b\[K\n/,
  );
  expect(io.out).toContain('Z\x1b[K\n\x1b[K\nbroken\x1b[K\x1b[J');
  expect(io.out).toContain('… and 8 more lines');
  expect(io.out.endsWith('\x1b[?25h\n')).toBe(true);
  expect(io.out).not.toContain('NAME');
});

test('--watch: a worker that accepts and does not answer is replaced by the next URL', async () => {
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
  let reads = 0;
  const url = await serve((request) => {
    if (request === 'GET /health') return {};
    if (++reads === 3) io.signal('SIGINT');
    return list;
  });
  Object.assign(io.stdout, { isTTY: true });
  const urls = `${await serveSilence()},${url}`;
  expect(await runCli(['status', '--watch', '--interval', '1', '--request-timeout', '3600', '--url', urls], io)).toBe(
    0,
  );
  expect(io.out).toContain('2 connectors: 2 RUNNING');
});

test('--watch: the screen shows that the only worker does not answer', async () => {
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
  let reads = 0;
  const url = await serve((request, response) => {
    if (request === 'GET /health') return {};
    return ++reads === 1 ? list : response.flushHeaders();
  });
  io.stdout.write = (text) => {
    if (/No answer for [2-9] s/.test(text)) io.signal('SIGINT');
    return (io.out += text);
  };
  Object.assign(io.stdout, { isTTY: true });
  expect(await runCli(['status', '--watch', '--interval', '1', '--url', url], io)).toBe(0);
  expect(io.out).toMatch(
    // eslint-disable-next-line no-control-regex
    /\x1b\[HNo answer for \d s; this is the state before:\x1b\[K\n\x1b\[K\n\S+Z\x1b\[K\n\x1b\[K\n2 connectors/,
  );
});

test('--watch without a terminal', async () => {
  expect(await cli(await serve(() => list), 'status', '--watch')).toMatchObject({ code: 2, out: '' });
});

describe('health', () => {
  const reason = { cure: null, since: null, task: null, worker_id: null, next_try_at: null, actions: [] };

  function withHealth([name, listed]: [string, unknown], health: string, ...reasons: object[]): [string, unknown] {
    const tasks = [{ id: 0, errors_per_second: 12.5 }];
    const shown = { name, health, reasons: reasons.map((one) => ({ ...reason, ...one })), tasks };
    return [name, { ...(listed as object), health: shown }];
  }

  test.each([
    ['running', 0],
    ['paused', 0],
    ['starting', 0],
    ['degraded', 5],
    ['unknown', 5],
    ['failed', 5],
  ])('%s: exit code %s', async (health, code) => {
    const url = await serve(() => Object.fromEntries([withHealth(entry('a', 'RUNNING', 'RUNNING'), health)]));
    const { code: found, out } = await cli(url, 'status');
    expect(found).toBe(code);
    expect(out).toContain(`health: 1 ${health}\n`);
    expect(out).toMatch(new RegExp(`\\na +sink +RUNNING +${health} +1/1 +12\\.5 +w:8083\\n$`));
  });

  test('a reason with its time, next try and cure; in JSON too', async () => {
    const since = Date.UTC(2026, 0, 31, 12);
    const disconnected = {
      code: 'HEALTH_DISCONNECTED',
      message: 'Task 0 is disconnected: connect ECONNREFUSED.',
      cure: 'Make the system reachable again; see `millrace logs NAME`.',
      ...{ since, task: 0, worker_id: 'w:8083', next_try_at: since + 60_000 },
    };
    const listed = Object.fromEntries([withHealth(entry('a', 'RUNNING', 'RUNNING'), 'degraded', disconnected)]);
    const url = await serve(() => listed);
    expect((await cli(url, 'status')).out).toContain(
      `
DEGRADED a, task 0 on w:8083, since 2026-01-31T12:00:00Z, next try at 2026-01-31T12:01:00Z
  Task 0 is disconnected: connect ECONNREFUSED. (HEALTH_DISCONNECTED)
  Make the system reachable again; see \`millrace logs a\`.

`,
    );
    expect(JSON.parse((await cli(url, 'status', '-o', 'json')).out)).toMatchObject({
      health: { degraded: 1 },
      problems: [{ name: 'a', label: 'DEGRADED', since, nextTryAt: since + 60_000 }],
    });
  });

  test('actions are commands for the same cluster', async () => {
    const actions = [
      { kind: 'skip-record', topic: 'orders', partition: 7, offset: 14 },
      { kind: 'dead-letter-queue' },
      { kind: 'restart' },
      { kind: 'another' },
    ];
    const [name, failed] = failing('a b', LONG);
    const listed = withHealth([name, failed], 'failed', { code: 'TOLERANCE_EXCEEDED', message: 'm', task: 0, actions });
    const url = await serve(() => Object.fromEntries([listed]));
    const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
    expect(await runCli(['status', '--url', url], io)).toBe(5);
    const offsets =
      '{"offsets":[{"partition":{"kafka_topic":"orders","kafka_partition":7},"offset":{"kafka_offset":14}}]}';
    expect(io.out.split('\n').filter((line) => line.startsWith('    ') && line.includes('millrace'))).toEqual([
      `    echo '${offsets}' | millrace offsets import 'a b' - --resume --yes --url ${url}`,
      `    millrace patch 'a b' errors.tolerance=all errors.deadletterqueue.topic.name=a-b-dlq errors.deadletterqueue.topic.replication.factor=-1 errors.deadletterqueue.context.headers.enable=true --url ${url}`,
      `    millrace restart 'a b' --failed --url ${url}`,
    ]);
  });

  test.each([
    [500, 'UNHEALTHY'],
    [503, 'STARTING'],
  ])('a worker that answers GET /health with %s: first line, exit code 5', async (status, label) => {
    const message = 'This worker has not been in its group since 2026-01-31T12:00:00.000Z: Kafka is unreachable.';
    const unknown = { code: 'HEALTH_NOT_IN_GROUP', message: 'The worker that answers is not in its group.' };
    const url = await serve((request, response) => {
      if (request !== 'GET /health')
        return Object.fromEntries([withHealth(entry('a', 'RUNNING', 'RUNNING'), 'unknown', unknown)]);
      return response.writeHead(status).end(JSON.stringify({ status: label.toLowerCase(), message }));
    });
    const { code, out } = await cli(url, 'status');
    expect(code).toBe(5);
    expect(out.replace(/\n {2}/g, ' ')).toMatch(
      new RegExp(`^${label} worker ${url}: ${message.replaceAll('.', '\\.')}\\n\\n1 connector: 1 RUNNING\\n`),
    );
    expect(out).not.toContain('HEALTH_NOT_IN_GROUP');
    expect(JSON.parse((await cli(url, 'status', '-o', 'json')).out)).toMatchObject({
      worker: expect.stringContaining(message) as string,
    });
    expect((await cli(url, 'top', '--once')).out.replace(/\n {2}/g, ' ')).toContain(
      `${label} worker ${url}: ${message}`,
    );
  });

  test('a worker whose health is refused, or that has none, is not unhealthy', async () => {
    for (const status of [401, 403, 404]) {
      const url = await serve((request, response) =>
        request === 'GET /health' ? response.writeHead(status).end('{}') : { ...list, z: list.a },
      );
      expect((await cli(url, 'status', 'a')).code).toBe(0);
    }
  });
});
