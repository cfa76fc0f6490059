/** `millrace offsets` against a scripted worker. Against real ones: test/integration/cli/offsets.test.ts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../fake-io';

const OFFSETS = '{"offsets":[{"partition":{"server":"a"},"offset":{"lsn":12345678901234567890}}]}';

let folder: string;
let server: Server;
let url: string;
let requests: string[];
/** Replies of the next status requests; the last one stays. */
let states: string[];
/** States after the connector was resumed, with those of its tasks. */
let resumed: string[];
/** Replies of the next changes of offsets. */
let refusals: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-offsets-'));
  requests = [];
  states = ['RUNNING', 'STOPPED'];
  resumed = ['RUNNING', 'RUNNING RUNNING'];
  refusals = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      const { method, url: path = '' } = request;
      if (path.endsWith('/status')) {
        const state = states.length > 1 ? states.shift() : states[0];
        if (state === undefined) return response.writeHead(404).end('{"message":"No status found for connector x"}');
        const [connector, ...tasks] = state
          .split(' ')
          .map((of) => ({ state: of, trace: 'org.apache.kafka.connect.errors.ConnectException: no disk' }));
        return response.end(JSON.stringify({ connector, tasks: tasks.map((task, id) => ({ id, ...task })) }));
      }
      requests.push(`${method} ${path} ${body}`.trim());
      const refusal = path.endsWith('/offsets') && method !== 'GET' ? refusals.shift() : undefined;
      if (refusal !== undefined) return response.writeHead(500).end(JSON.stringify({ message: refusal }));
      if (method === 'GET') return response.end(OFFSETS);
      if (path.endsWith('/resume')) states.push(...resumed);
      return path.endsWith('/offsets') ? response.end('{"message":"done"}') : response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function offsets(args: string[], stdin?: string): Promise<FakeIo & { code?: number }> {
  const io: FakeIo & { code?: number } = new FakeIo(
    folder,
    { MILLRACE_CONTEXTS: 'none' },
    Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)]),
  );
  io.code = await runCli(['offsets', ...args, '--url', url], io);
  return io;
}

test('export prints what the worker returns, with all digits', async () => {
  expect((await offsets(['export', 'x/y'])).out).toBe(`${OFFSETS}\n`);
  expect(requests).toEqual(['GET /connectors/x%2Fy/offsets']);
});

test('import stops the connector, sends the text as it is, and resumes on request', async () => {
  const { out, err, code } = await offsets(['import', 'x', '-', '--yes', '--resume'], OFFSETS);
  expect({ out, code }).toEqual({ out: 'done\n', code: 0 });
  expect(err).toBe('x is stopped.\nx is running.\n');
  expect(states).toEqual(['RUNNING RUNNING']);
  expect(requests).toEqual([
    'PUT /connectors/x/stop',
    `PATCH /connectors/x/offsets ${OFFSETS}`,
    'PUT /connectors/x/resume',
  ]);
});

test('a resumed connector whose task fails: the reason and an exit code', async () => {
  resumed = ['RUNNING', 'RUNNING FAILED'];
  const { out, err, code } = await offsets(['import', 'x', '-', '--yes', '--resume'], OFFSETS);
  expect({ out, code }).toEqual({ out: 'done\n', code: 1 });
  expect(err).toBe(
    'x is stopped.\nmillrace: x: task 0 is FAILED: org.apache.kafka.connect.errors.ConnectException: no disk (CLI_STATE_NOT_REACHED)\n',
  );
});

test('a resumed connector that does not run in time', async () => {
  resumed = ['RUNNING'];
  const { err, code } = await offsets(['reset', 'x', '--yes', '--resume', '--wait-timeout', '1']);
  expect([code, err]).toEqual([
    1,
    'x is stopped.\nmillrace: x is not running after 1 s: connector RUNNING, no tasks. (CLI_STATE_NOT_REACHED)\n',
  ]);
});

test('--no-wait: resumed only on request', async () => {
  resumed = ['RUNNING'];
  const { err, code } = await offsets(['reset', 'x', '--yes', '--resume', '--no-wait']);
  expect([code, err]).toEqual([0, 'x is stopped.\nx: resume requested\n']);
});

test('a stopped connector is not stopped again, and stays stopped', async () => {
  states = ['STOPPED'];
  writeFileSync(join(folder, 'o.json'), OFFSETS);
  const { err } = await offsets(['import', 'x', 'o.json', '--yes']);
  expect(err).toBe('x stays stopped: "millrace resume x" starts it.\n');
  expect(requests).toEqual([`PATCH /connectors/x/offsets ${OFFSETS}`]);
});

test('reset: repeated while tasks leave their group', async () => {
  refusals = ['If the connector is in a stopped state, this operation can be safely retried.'];
  const { code } = await offsets(['reset', 'x', '--yes']);
  expect(code).toBe(0);
  expect(requests).toEqual(['PUT /connectors/x/stop', 'DELETE /connectors/x/offsets', 'DELETE /connectors/x/offsets']);
});

test('a refused change: the message of the worker, and the connector is not resumed', async () => {
  refusals = ['no'];
  const { code, err } = await offsets(['reset', 'x', '--yes', '--resume']);
  expect([code, err]).toEqual([
    1,
    'x is stopped.\nx stays stopped: "millrace resume x" starts it.\nmillrace: no (REST_REFUSED)\n',
  ]);
  expect(requests.at(-1)).toBe('DELETE /connectors/x/offsets');
});

test('a connector that does not stop: its offsets are left alone', async () => {
  states = ['RUNNING'];
  const { code, err } = await offsets(['reset', 'x', '--yes', '--request-timeout', '1']);
  expect([code, err]).toEqual([
    1,
    'millrace: x has not stopped in time; its offsets are unchanged. (OFFSETS_NOT_STOPPED)\n',
  ]);
  expect(requests).toEqual(['PUT /connectors/x/stop']);
});

test('without an answer nothing is stopped or changed', async () => {
  const { code, err } = await offsets(['reset', 'x']);
  expect(code).toBe(2);
  expect(err).toMatch(
    /^millrace: Stop x and delete all offsets of x, .*\? Nothing was done: repeat the command with --yes/,
  );
  expect(requests).toEqual([]);
});

test('an unknown connector', async () => {
  states = [];
  expect((await offsets(['reset', 'x', '--yes'])).code).toBe(4);
});

test.each([
  ['', 'Unexpected end of JSON input'],
  ['[]', 'it has no list "offsets" with entries'],
  ['null', 'it has no list "offsets" with entries'],
  ['{"offsets":[]}', 'it has no list "offsets" with entries'],
])('import of %j: one sentence, nothing is asked of the worker', async (text, reason) => {
  const { code, err } = await offsets(['import', 'x', '-', '--yes'], text);
  expect(code).toBe(1);
  expect(err).toContain(`Cannot use the offsets in standard input: ${reason}. `);
  expect(requests).toEqual([]);
});
