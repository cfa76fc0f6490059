import { cli, serve } from '../scripted-rest';

const signals = [
  { type: 'execute-snapshot', description: 'Reads again.', example: { 'data-collections': ['public.orders'] } },
  { type: 'pause-snapshot', description: 'Pauses.' },
];

test('the signals that a connector accepts, each with a command that sends it', async () => {
  const url = await serve((request) =>
    request === 'GET /connectors/orders/actions' ? { name: 'orders', effects: {}, signals } : undefined,
  );
  expect(await cli(url, 'signals', 'orders')).toEqual({
    code: 0,
    out: `execute-snapshot
  Reads again.
  millrace signals orders execute-snapshot -d '{"data-collections":["public.orders"]}'

pause-snapshot
  Pauses.
  millrace signals orders pause-snapshot
`,
    err: '',
  });
  expect(JSON.parse((await cli(url, 'signals', 'orders', '-o', 'json')).out)).toEqual({ name: 'orders', signals });
  const unknown = await serve(() => ({ name: 'x', effects: {}, signals: null }));
  expect(await cli(unknown, 'signals', 'x')).toEqual({
    ...{ code: 0, out: '' },
    err: 'The plugin of x does not say which signals it accepts, if any.\n',
  });
});

test('a signal is sent to all tasks or one; its data keeps all digits', async () => {
  const requests: string[] = [];
  const url = await serve((request, response, body) => {
    requests.push(`${request} ${body}`);
    response.writeHead(202).end('{"id":"7"}');
  });
  const data = '{"n": 12345678901234567890}';
  expect(await cli(url, 'signals', 'a b', 'reload', '-d', data, '--id', '7')).toEqual({
    ...{ code: 0, out: 'a b: all tasks accepted reload 7\n', err: '' },
  });
  expect((await cli(url, 'signals', 'a', 'reload', '--task', '2')).out).toBe('a: task 2 accepted reload 7\n');
  expect(requests).toEqual([
    `POST /connectors/a%20b/signals {"type":"reload","id":"7","data":${data}}`,
    'POST /connectors/a/tasks/2/signals {"type":"reload"}',
  ]);
});

test('a signal that is refused: the reason of the worker', async () => {
  const url = await serve((_, response) =>
    response.writeHead(400).end('{"error_code":400,"message":"The signal 7 has the unknown type \\"x\\"."}'),
  );
  expect(await cli(url, 'signals', 'a', 'x')).toEqual({
    ...{ code: 1, out: '', err: 'millrace: The signal 7 has the unknown type "x". (REST_REFUSED)\n' },
  });
});

test.each([
  [['-d', '{}'], 'Name the type of the signal to send.'],
  [['reload', '-d', '[1]'], '--data must be a JSON object'],
  [['reload', '-d', '{'], '--data is not JSON: '],
])('%j is a wrong command line', async (args, reason) => {
  const { code, err } = await cli('http://127.0.0.1:1', 'signals', 'a', ...args);
  expect([code, err]).toEqual([2, expect.stringContaining(`millrace: ${reason}`)]);
});

test.each([[['a']], [['a', 'reload']]])("Java's worker has no route for %j", async (args) => {
  const java = await serve(() => undefined);
  expect(await cli(java, 'signals', ...args)).toMatchObject({
    code: 4,
    err: expect.stringContaining('(REST_NO_ROUTE)'),
  });
});
