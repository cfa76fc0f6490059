import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../fake-io';
import { cli, entry, serve, serveSilence } from '../scripted-rest';

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

NAME  TYPE  STATE    TASKS  WORKER
z     sink  RUNNING  1/2    w:8083
a     sink  RUNNING  1/1    w:8083
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

test('a long reason is wrapped into four lines, and its code follows', async () => {
  const [name, failed] = entry('z', 'RUNNING', 'FAILED') as [string, { status: { tasks: { trace: string }[] } }];
  failed.status.tasks[0]!.trace = `DataException: ${'word '.repeat(85)}[code: PG_TABLE]\n\tat x\n`;
  const { out } = await cli(await serve(() => ({ [name]: failed })), 'status');
  const reason = out.split('\n').filter((line) => line.startsWith('  '));
  expect(reason).toHaveLength(5);
  expect(reason[0]).toBe(`  DataException: ${'word '.repeat(15)}word`);
  expect(reason.slice(1)).toEqual([...Array(3).fill(`  ${'word '.repeat(18)}word`), '  PG_TABLE']);
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
  const url = await serve((_, response) => {
    if (++reads === 2) return response.writeHead(500).end('{"message":"broken"}');
    if (reads === 3) io.signal('SIGINT');
    return list;
  });
  Object.assign(io.stdout, { isTTY: true, rows: 4 });
  expect(await runCli(['status', '--watch', '--interval', '1', '--url', url], io)).toBe(0);
  expect(io.out).toMatch(/^\x1b\[\?25l\x1b\[2J\x1b\[H2 connectors: 2 RUNNING\x1b\[K\n/); // eslint-disable-line no-control-regex
  expect(io.out).toContain('\x1b[Hbroken\x1b[K\x1b[J');
  expect(io.out.endsWith('\x1b[?25h\n')).toBe(true);
  expect(io.out).not.toContain('NAME');
});

test('--watch: a worker that accepts and does not answer is replaced by the next URL', async () => {
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', NO_COLOR: '1' });
  let reads = 0;
  const url = await serve(() => {
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
  const url = await serve((_, response) => (++reads === 1 ? list : response.flushHeaders()));
  io.stdout.write = (text) => {
    if (/No answer for [2-9] s/.test(text)) io.signal('SIGINT');
    return (io.out += text);
  };
  Object.assign(io.stdout, { isTTY: true });
  expect(await runCli(['status', '--watch', '--interval', '1', '--url', url], io)).toBe(0);
  expect(io.out).toMatch(/\x1b\[HNo answer for \d s; this is the state before:\x1b\[K\n\x1b\[K\n2 connectors/); // eslint-disable-line no-control-regex
});

test('--watch without a terminal', async () => {
  expect(await cli(await serve(() => list), 'status', '--watch')).toMatchObject({ code: 2, out: '' });
});
