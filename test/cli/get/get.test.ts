import { matchesPattern } from '../../../packages/cli/src/connectors/name-pattern';
import { cli, entry, serve, serveSilence } from '../scripted-rest';

const LIST = 'GET /connectors?expand=status&expand=info';
const two = Object.fromEntries([entry('b', 'RUNNING', 'RUNNING', 'FAILED'), entry('a', 'PAUSED')]);

test('patterns match whole names, in bounded time', () => {
  for (const [pattern, name] of [
    ['orders-*', 'orders-eu'],
    ['*', ''],
    ['a?c', 'abc'],
    ['*b*', 'abc'],
    ['a*', 'a*'],
  ])
    expect(matchesPattern(pattern as string, name as string)).toBe(true);
  for (const [pattern, name] of [
    ['orders', 'orders-eu'],
    ['a?', 'a'],
    ['', 'a'],
    ['*b', 'abc'],
    ['[ab]', 'a'],
  ])
    expect(matchesPattern(pattern as string, name as string)).toBe(false);
  expect(matchesPattern('*a'.repeat(200), `${'a'.repeat(5000)}b`)).toBe(false);
});

test('connectors: a table, sorted', async () => {
  const url = await serve((request) => (request.startsWith(LIST) ? two : undefined));
  expect(await cli(url, 'get', 'connectors')).toEqual({
    code: 0,
    out: 'NAME  TYPE  STATE    HEALTH  TASKS  ERRORS/S  WORKER  CLASS\na     sink  PAUSED   –       0/0    -         w:8083  Sink\nb     sink  RUNNING  –       1/2    -         w:8083  Sink\n',
    err: '',
  });
  const json = await cli(url, 'get', 'connectors', 'b', '-o', 'json');
  expect(JSON.parse(json.out)).toMatchObject([
    { name: 'b', state: 'RUNNING', tasks: [{ id: 0 }, { state: 'FAILED' }] },
  ]);
  expect(json.out).not.toContain('hunter2');
});

test('a name or pattern without a connector: exit code 4', async () => {
  const url = await serve(() => two);
  expect(await cli(url, 'get', 'connectors', 'a', 'x')).toMatchObject({
    code: 4,
    out: '',
    err: 'millrace: There is no connector "x". (REST_NOT_FOUND)\n',
  });
  expect((await cli(url, 'get', 'connectors', 'x*')).err).toMatch(/^millrace: No connector matches "x\*"\./);
});

test('plugins by type, class and last part of the class', async () => {
  const url = await serve(() => [
    { class: 'o.a.FileStreamSinkConnector', type: 'sink', version: '1' },
    { class: 'o.a.Filter', type: 'transformation' },
  ]);
  expect((await cli(url, 'get', 'plugins')).out).toBe(
    'CLASS                        TYPE            VERSION\no.a.FileStreamSinkConnector  sink            1\no.a.Filter                   transformation\n',
  );
  expect((await cli(url, 'get', 'plugins', 'FileStreamSink')).out).toContain('FileStreamSinkConnector');
  expect((await cli(url, 'get', 'plugins', '--type', 'sink')).out).not.toContain('Filter');
});

test('plugins of a worker of Millrace: where each version is, and what runs it', async () => {
  const one = { class: 'o.a.FileConnector', type: 'sink' };
  const url = await serve(() => [
    { ...one, version: '1', location: 'built-in', runs_in: 'node', selected_by: null },
    { ...one, version: '2', location: '/jars/file', runs_in: 'jvm', selected_by: '[2]' },
  ]);
  expect((await cli(url, 'get', 'plugins')).out).toBe(
    `CLASS              TYPE  VERSION  RUNS IN  LOCATION
o.a.FileConnector  sink  1        Node.js  built-in
o.a.FileConnector  sink  2        JVM      /jars/file
`,
  );
  expect(JSON.parse((await cli(url, 'get', 'plugins', '-o', 'json')).out)).toEqual([
    { ...one, version: '1', location: 'built-in', runsIn: 'node', selectedBy: null },
    { ...one, version: '2', location: '/jars/file', runsIn: 'jvm', selectedBy: '[2]' },
  ]);
});

test('the JSON Schema of a plugin, and why there is none', async () => {
  const plugins = [{ class: 'o.a.FileStreamSinkConnector', type: 'sink', version: '1' }];
  const schema = { title: 'sink', definitions: { config: { maximum: 5 } } };
  const url = await serve((request) => {
    if (request === 'GET /connector-plugins?connectorsOnly=false&locations=true') return plugins;
    return request === 'GET /connector-plugins/o.a.FileStreamSinkConnector/schema' ? schema : undefined;
  });
  const { code, out } = await cli(url, 'get', 'schema', 'FileStreamSink');
  expect([code, JSON.parse(out)]).toEqual([0, schema]);
  expect(await cli(url, 'get', 'schema', 'Nope')).toMatchObject({
    code: 4,
    err: `millrace: There is no plugin "Nope" on ${url}; see "millrace get plugins". (REST_NOT_FOUND)\n`,
  });
  const java = await serve((request) => (request.includes('connectorsOnly') ? plugins : undefined));
  expect(await cli(java, 'get', 'schema', 'FileStreamSink')).toMatchObject({
    code: 4,
    err: `millrace: ${java} has no JSON Schemas: only workers of Millrace have them. (REST_NOT_FOUND)\n`,
  });
});

test('offsets, topics and loggers', async () => {
  const url = await serve((request) => {
    if (request.startsWith(LIST)) return two;
    if (request.endsWith('/offsets'))
      return '{"offsets":[{"partition":{"file":"f"},"offset":{"position":9007199254740993}}]}';
    if (request === 'GET /connectors/a/topics') return { a: { topics: ['y', 'x'] } };
    return { root: { level: 'INFO', last_modified: null }, a: { level: 'DEBUG', last_modified: 0 } };
  });
  expect((await cli(url, 'get', 'offsets', 'a')).out).toBe(
    'CONNECTOR  PARTITION  OFFSET\na          file="f"   position=9007199254740993\n',
  );
  expect((await cli(url, 'get', 'offsets', 'a', '-o', 'json')).out).toContain('"position": 9007199254740993\n');
  expect((await cli(url, 'get', 'offsets', 'a', '-o', 'yaml')).out).toContain('position: 9007199254740993\n');
  expect((await cli(url, 'get', 'topics', 'a')).out).toBe('CONNECTOR  TOPIC\na          x\na          y\n');
  expect((await cli(url, 'get', 'loggers')).out).toBe(
    'NAME  LEVEL  CHANGED\na     DEBUG  1970-01-01T00:00:00.000Z\nroot  INFO\n',
  );
});

test('workers: their work, and the version of those that are asked', async () => {
  const url = await serve((request) => {
    if (request.startsWith(LIST)) return two;
    if (request !== 'GET /') return { status: 'healthy', message: '' };
    return { version: '4.3.1', commit: 'millrace-0.1.0', kafka_cluster_id: 'k' };
  });
  const { out } = await cli(url, 'get', 'workers');
  expect(out).toMatch(/^WORKER +CONNECTORS +TASKS +FAILED +VERSION +MILLRACE +KAFKA CLUSTER +HEALTH\n/);
  expect(out).toMatch(/\n127\.0\.0\.1:\d+ +0 +0 +0 +4\.3\.1 +0\.1\.0 +k +healthy\nw:8083 +2 +2 +1\n$/);
});

test('workers: one is named by another address of the same machine', async () => {
  let worker = '';
  const url = await serve((request) => {
    const [name, connector] = entry('a', 'RUNNING', 'RUNNING');
    if (request.startsWith(LIST))
      return JSON.parse(JSON.stringify({ [name]: connector }).replaceAll('w:8083', worker)) as object;
    return request === 'GET /' ? { version: '4.3.1', kafka_cluster_id: 'k' } : { status: 'healthy', message: '' };
  });
  worker = url.slice(7);
  const { out } = await cli(url.replace('127.0.0.1', 'localhost'), 'get', 'workers');
  expect(out).toMatch(new RegExp(`^WORKER .*\\n${worker} +1 +1 +0 +4\\.3\\.1 +k +healthy\\n$`));
});

test('workers: an unhealthy one keeps its version, and the reason is below the table', async () => {
  const url = await serve((request, response) => {
    if (request.startsWith(LIST)) return two;
    if (request === 'GET /') return { version: '4.3.1', commit: '0123abcd' };
    return response.writeHead(500).end('{"status":"unhealthy","message":"Worker did not complete its tick."}');
  });
  const { code, out } = await cli(url, 'get', 'workers');
  expect(code).toBe(0);
  expect(out).toMatch(
    /\n(127\.0\.0\.1:\d+) +0 +0 +0 +4\.3\.1 +unhealthy\nw:8083 .*\n\n\1: Worker did not complete its tick\.\n$/,
  );
});

test('workers: one accepts and does not answer', async () => {
  const silent = await serveSilence();
  const url = await serve((request) =>
    request === 'GET /' ? { version: '4.3.1' } : request.startsWith(LIST) ? two : undefined,
  );
  const { code, out } = await cli(`${silent},${url}`, 'get', 'workers', '--request-timeout', '3600');
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`\n${silent.slice(7)} +0 +0 +0 +unknown\n`));
  expect(out).toContain(`\n\n${silent.slice(7)}: No answer from ${silent}: it took longer than 5 s`);
  expect(out).toMatch(new RegExp(`\n${url.slice(7)} +0 +0 +0 +4\\.3\\.1`));
});

describe.each(['connectors', 'plugins', 'offsets', 'workers', 'loggers', 'topics'])('get %s: bad replies', (what) => {
  test('401, something else than JSON, another shape, nothing there', async () => {
    const locked = await serve((_, response) => response.writeHead(401).end('{"message":"User cannot access"}'));
    expect(await cli(locked, 'get', what)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('User cannot'),
    });
    const garbage = await serve(() => '<html>');
    expect(await cli(garbage, 'get', what)).toMatchObject({
      code: 1,
      err: expect.stringContaining('REST_REPLY_INVALID'),
    });
    const shape = await serve(() => 7);
    expect(await cli(shape, 'get', what)).toMatchObject({
      code: 1,
      err: expect.stringContaining('REST_REPLY_INVALID'),
    });
    expect(await cli('http://127.0.0.1:1', 'get', what)).toMatchObject({ code: 3, out: '' });
  });
});

test('10,000 connectors', async () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => entry(`c${i}`, 'RUNNING', 'RUNNING')));
  const url = await serve(() => many);
  expect((await cli(url, 'get', 'connectors')).out.split('\n')).toHaveLength(10_002);
});
