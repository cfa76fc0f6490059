import type { ServerResponse } from 'node:http';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../fake-io';
import { cli, entry, serve } from '../scripted-rest';

const LIST = 'GET /connectors?expand=status&expand=info';
type Entry = { status: unknown };

/** A cluster whose connectors are in the state of `after` once a request other than GET was received. */
async function cluster(
  before: [string, unknown][],
  after: [string, unknown][] = before,
  refuse = '',
  actions?: object,
) {
  const requests: string[] = [];
  const changed = new Set<string>();
  const url = await serve((request, response: ServerResponse) => {
    if (request === LIST) return Object.fromEntries(before);
    const name = /^\w+ \/connectors\/([^/?]+)/.exec(request)?.[1] ?? '';
    if (request.endsWith('/status')) {
      const found = (changed.has(name) ? after : before).find(([one]) => one === name)?.[1] as Entry | undefined;
      return found?.status;
    }
    if (request.endsWith('/actions')) return actions;
    requests.push(request);
    if (name === refuse) return response.writeHead(500).end('{"message":"Request timed out"}');
    changed.add(name);
    return response.writeHead(204).end();
  });
  return { url, requests };
}

test('pause, stop, resume: several names, until the state is reached', async () => {
  const { url, requests } = await cluster(
    [entry('a', 'RUNNING', 'RUNNING'), entry('b', 'RUNNING', 'RUNNING')],
    [entry('a', 'PAUSED', 'PAUSED'), entry('b', 'PAUSED', 'FAILED')],
  );
  const { code, out } = await cli(url, 'pause', 'a', 'b');
  expect([code, out.split('\n').sort()]).toEqual([0, ['', 'a paused', 'b paused']]);
  expect(requests.sort()).toEqual(['PUT /connectors/a/pause', 'PUT /connectors/b/pause']);
  const stopping = await cluster([entry('a')], [entry('a', 'STOPPED')]);
  expect(await cli(stopping.url, 'stop', 'a')).toMatchObject({ code: 0, out: 'a stopped\n' });
  const resuming = await cluster([entry('a', 'STOPPED')], [entry('a', 'RUNNING', 'RUNNING')]);
  expect(await cli(resuming.url, 'resume', 'a')).toMatchObject({ code: 0, out: 'a running\n' });
});

test('resume: a task fails; the reason in one line without secrets', async () => {
  const { url } = await cluster([entry('a', 'STOPPED')], [entry('a', 'RUNNING', 'FAILED')]);
  const { code, out, err } = await cli(url, 'resume', 'a');
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(
    /^millrace: a: task 0 is FAILED: .*No table orders, password=\[hidden\].* \(CLI_STATE_NOT_REACHED\)\n$/,
  );
});

test('restart --failed restarts only what failed, of the failed ones, without a question', async () => {
  const { url, requests } = await cluster(
    [entry('a', 'RUNNING', 'RUNNING'), entry('b', 'RUNNING', 'FAILED'), entry('c', 'FAILED')],
    [entry('b', 'RUNNING', 'RUNNING'), entry('c', 'RUNNING', 'RUNNING')],
  );
  const { code, out } = await cli(url, 'restart', '--failed');
  expect([code, out.split('\n').sort()]).toEqual([0, ['', 'b restarted', 'c restarted']]);
  expect(requests.sort()).toEqual([
    'POST /connectors/b/restart?includeTasks=true&onlyFailed=true',
    'POST /connectors/c/restart?includeTasks=true&onlyFailed=true',
  ]);
  const fine = await cluster([entry('a', 'RUNNING', 'RUNNING')]);
  expect(await cli(fine.url, 'restart', '--failed')).toEqual({ code: 0, out: '', err: 'Nothing is FAILED.\n' });
  expect(await cli(fine.url, 'restart', '--failed', '-o', 'json')).toMatchObject({ code: 0, out: '[]\n' });
});

test('restart --task restarts one task, whatever state the others are in', async () => {
  const { url, requests } = await cluster(
    [entry('a', 'RUNNING', 'FAILED', 'FAILED')],
    [entry('a', 'RUNNING', 'FAILED', 'RUNNING')],
  );
  expect(await cli(url, 'restart', 'a', '--task', '1')).toEqual({ code: 0, out: 'a task 1 restarted\n', err: '' });
  expect(requests).toEqual(['POST /connectors/a/tasks/1/restart']);
  for (const args of [['a', 'b'], ['a*'], ['a', '--failed'], ['a', '--include-tasks'], ['--all'], []])
    expect(await cli(url, 'restart', ...args, '--task', '1')).toMatchObject({ code: 2, out: '' });
  expect(await cli(url, 'restart', 'a', '--task', 'x')).toMatchObject({ code: 2 });
  expect(requests).toHaveLength(1);
});

test('restart waits for tasks that are still RUNNING when the worker replies, and fail then', async () => {
  let reads = 0;
  const [name, running] = entry('a', 'RUNNING', 'RUNNING');
  const [, restarting] = entry('a', 'RESTARTING', 'RESTARTING') as [string, Entry];
  const [, failed] = entry('a', 'RUNNING', 'FAILED') as [string, Entry];
  const url = await serve((request, response: ServerResponse) => {
    if (request === LIST) return { [name]: running };
    if (!request.endsWith('/status')) return response.writeHead(202).end();
    return [(running as Entry).status, restarting.status][reads++] ?? failed.status;
  });
  expect(await cli(url, 'restart', 'a', '--include-tasks')).toMatchObject({
    code: 1,
    err: expect.stringContaining('a: task 0 is FAILED'),
  });
});

test('delete says what remains, with the statement that removes it, before and after', async () => {
  const actions = { effects: { delete: 'So does its slot.' }, delete_statement: "SELECT drop('a');", signals: null };
  const { url, requests } = await cluster([entry('a')], [], '', actions);
  const remains = 'a: its offsets and topics remain. So does its slot.\n';
  const statement = "a: this removes what it leaves there: SELECT drop('a');\n";
  const asked = await cli(url, 'delete', 'a');
  expect([asked.code, requests]).toEqual([2, []]);
  expect(asked.err).toContain(`${remains}${statement}millrace: Delete connector a?`);
  expect(await cli(url, 'delete', 'a', '--yes')).toEqual({
    ...{ code: 0, out: 'a deleted\n' },
    err: `${remains}${statement}${statement}`,
  });
  const unknown = await cluster([entry('a')], [], '', { ...actions, delete_statement: null });
  expect((await cli(unknown.url, 'delete', 'a', '--yes')).err).toBe(`${remains}${remains}`);
});

test('delete, and more than one connector by pattern, ask; without a terminal they need --yes', async () => {
  const { url, requests } = await cluster([entry('a'), entry('ab')], []);
  expect(await cli(url, 'delete', 'a')).toMatchObject({ code: 2, err: expect.stringContaining('Delete connector a?') });
  expect(await cli(url, 'stop', 'a*')).toMatchObject({ code: 2, err: expect.stringContaining('2 connectors a, ab?') });
  expect(await cli(url, 'stop', '--all')).toMatchObject({ code: 2 });
  expect(requests).toEqual([]);
  expect(await cli(url, 'delete', 'a*', '--yes')).toMatchObject({ code: 0, err: '' });
  expect(requests.sort()).toEqual(['DELETE /connectors/a', 'DELETE /connectors/ab']);
});

test('the others continue if one fails: exit code 1', async () => {
  const { url } = await cluster([entry('a'), entry('b')], [entry('a', 'PAUSED'), entry('b', 'PAUSED')], 'a');
  expect(await cli(url, 'pause', 'a', 'b', '-o', 'json')).toEqual({
    code: 1,
    out: expect.stringContaining('"name": "b",\n    "done": true'),
    err: 'millrace: a: Request timed out (REST_REFUSED)\n1 of 2 connectors failed.\n',
  });
});

test('on a terminal: a progress line until the state is reached', async () => {
  const { url } = await cluster([entry('a', 'RUNNING', 'RUNNING')]);
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', MILLRACE_URL: url });
  Object.assign(io.stderr, { isTTY: true });
  expect(await runCli(['pause', 'a', '--wait-timeout', '1'], io)).toBe(1);
  expect(io.err).toContain('\r\x1b[KWaiting for 1 of 1 connector: a');
  expect(io.err).toMatch(/\r\x1b\[Kmillrace: a is not paused after 1 s: .*\n$/); // eslint-disable-line no-control-regex
});

test('--no-wait, and a state that is not reached', async () => {
  const { url } = await cluster([entry('a', 'RUNNING', 'RUNNING')]);
  expect(await cli(url, 'pause', 'a', '--no-wait')).toMatchObject({ code: 0, out: 'a pause requested\n' });
  expect(await cli(url, 'pause', 'a', '--wait-timeout', '1')).toMatchObject({
    code: 1,
    err: 'millrace: a is not paused after 1 s: connector RUNNING, task 0 RUNNING. (CLI_STATE_NOT_REACHED)\n',
  });
});

test.each(['pause', 'resume', 'stop', 'restart', 'delete'])('%s: wrong use, unknown name, no answer', async (verb) => {
  const { url, requests } = await cluster([entry('a')]);
  expect(await cli(url, verb)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`Name the connectors to ${verb}`),
  });
  expect(await cli(url, verb, 'a', '--all')).toMatchObject({ code: 2 });
  expect(await cli(url, verb, 'x', '--yes')).toMatchObject({
    code: 4,
    err: expect.stringContaining('no connector "x"'),
  });
  expect(requests).toEqual([]);
  expect(await cli('http://127.0.0.1:1', verb, 'a', '--yes')).toMatchObject({ code: 3 });
});
