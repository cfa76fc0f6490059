import { traceLines } from '../../../packages/cli/src/verbs/describe/connector';
import { wrapText } from '../../../packages/cli/src/output/layout';
import { cli, serve } from '../scripted-rest';

const CONFIG = {
  'connector.class': 'Source',
  'database.password': 'hunter2',
  'api.token': 'hunter2',
  'client.secret': 'hunter2',
  'sasl.jaas.config': 'x required password="hunter2";',
  url: 'postgres://me:hunter2@db/x',
  'tls.pem': '-----BEGIN PRIVATE KEY-----\nMIIhunter2\n-----END PRIVATE KEY-----',
  name: 'a b',
};
const TRACE =
  'o.ConnectException: Tolerance exceeded\n\tat a.b(C.java:1)\n\t... 3 more\nCaused by: o.DataException: password=hunter2 \x1b]0;evil\x07\n\tat d\n';
const REPLIES: Record<string, unknown> = {
  'GET /connectors/a%20b': { name: 'a b', type: 'source', config: CONFIG, tasks: [] },
  'GET /connectors/a%20b/status': {
    connector: { state: 'RUNNING', worker_id: 'w:1' },
    tasks: [
      { id: 1, state: 'FAILED', worker_id: 'w:2', trace: TRACE },
      { id: 0, state: 'RUNNING', worker_id: 'w:1' },
    ],
  },
  'GET /connectors/a%20b/topics': { 'a b': { topics: ['y', 'x'] } },
  'GET /connectors/a%20b/offsets': { offsets: [{ partition: { file: 'f' }, offset: { position: 7 } }] },
};

test('connector: state, traces, config without secrets, topics, offsets', async () => {
  const url = await serve((request) => REPLIES[request]);
  expect(await cli(url, 'describe', 'connector', 'a b')).toEqual({
    code: 0,
    err: '',
    out: `Name:   a b
Type:   source
State:  RUNNING
Health: –
Worker: w:1

Tasks:
  0: RUNNING on w:1
  1: FAILED on w:2
    o.ConnectException: Tolerance exceeded
    Caused by: o.DataException: password=[hidden]  ]0;evil

Config:
  api.token:         [hidden]
  client.secret:     [hidden]
  connector.class:   Source
  database.password: [hidden]
  name:              a b
  sasl.jaas.config:  [hidden]
  tls.pem:           [hidden]
  url:               postgres://me:[hidden]@db/x

Topics:
  x
  y

Offsets:
  PARTITION  OFFSET
  file="f"   position=7
`,
  });
  for (const format of ['json', 'yaml']) {
    const { out } = await cli(url, 'describe', 'connector', 'a b', '-o', format);
    expect(out).not.toContain('hunter2');
    if (format === 'json')
      expect(JSON.parse(out)).toMatchObject({
        name: 'a b',
        tasks: [{ id: 0 }, { id: 1, trace: ['o.ConnectException: Tolerance exceeded', expect.any(String)] }],
        topics: ['x', 'y'],
        offsets: [{ partition: { file: 'f' }, offset: { position: 7 } }],
      });
  }
});

test('connector: --task-configs shows those too, without secrets', async () => {
  const tasks = [
    { id: { connector: 'a b', task: 1 }, config: { 'task.class': 'T', 'db.password': 'hunter2' } },
    { id: { connector: 'a b', task: 0 }, config: { 'task.class': 'T' } },
  ];
  const url = await serve((request) => (request === 'GET /connectors/a%20b/tasks' ? tasks : REPLIES[request]));
  const { out } = await cli(url, 'describe', 'connector', 'a b', '--task-configs');
  expect(out).toContain(
    'Config of task 0:\n  task.class: T\n\nConfig of task 1:\n  db.password: [hidden]\n  task.class:  T\n\nTopics:\n',
  );
  const json = await cli(url, 'describe', 'connector', 'a b', '--task-configs', '-o', 'json');
  expect(JSON.parse(json.out)).toMatchObject({
    tasks: [
      { id: 0, config: { 'task.class': 'T' } },
      { id: 1, config: { 'db.password': '[hidden]' } },
    ],
  });
  expect((await cli(url, 'describe', 'connector', 'a b')).out).not.toContain('task.class');
});

test('connector: answers that the worker lacks', async () => {
  const url = await serve((request, response) => {
    if (request.endsWith('/topics')) return response.writeHead(403).end('{"message":"Topic tracking is disabled."}');
    return request === 'GET /connectors/a' ? { name: 'a', config: {} } : undefined;
  });
  const { code, out } = await cli(url, 'describe', 'connector', 'a');
  expect(code).toBe(0);
  expect(out).toMatch(/^Name: +a\nType: +unknown\nState: +UNASSIGNED\nHealth: +–\nWorker:\n\nTasks:\n {2}none\n/);
  expect(out).toContain('Topics:\n  not available: Topic tracking is disabled.\n');
  expect(out).toContain(
    `Offsets:\n  not available: ${url} has no GET /connectors/a/offsets. Check the URL, and the version of the worker.\n`,
  );
  expect(await cli(url, 'describe', 'connector', 'b')).toEqual({
    code: 4,
    out: '',
    err: 'millrace: There is no connector "b". (REST_NOT_FOUND)\n',
  });
});

test('connector: what runs it, and its JVM on each worker', async () => {
  const jvm = { worker_id: 'w:1', state: 'up', own: true, pid: 7, restarts: 2, hung_threads: 1, silent_seconds: 0 };
  const memory = { heap_used_bytes: 100 << 20, heap_max_bytes: 512 << 20, memory_bytes: 300 << 20 };
  const health = {
    ...{ health: 'running', reasons: [], tasks: [] },
    plugin: { class: 'o.a.Jar', version: '2', location: '/jars/\x1b]0;x', runs_in: 'jvm' },
    jvms: [
      { ...jvm, ...memory },
      { ...jvm, worker_id: 'w:2', state: 'silent', own: false, restarts: 0, hung_threads: 0, silent_seconds: 40 },
      { worker_id: 'w:3', state: 'unknown' },
      'hostile',
    ],
  };
  const url = await serve((request) => (request === 'GET /connectors/a%20b/health' ? health : REPLIES[request]));
  const { out } = await cli(url, 'describe', 'connector', 'a b');
  expect(out).toMatch(/^Name: +a b\nType: +source\nPlugin: +o\.a\.Jar 2, in a JVM, \/jars\/ \]0;x\nState: +RUNNING\n/);
  expect(out).toContain(`
JVMs:
  w:1: up, process 7, of this connector alone, heap 100 of 512 MiB, 300 MiB in all, 2 restarts, 1 thread does not end
  w:2: has not answered for 40 s, process 7, of its folder
  w:3: unknown
`);
  const described = JSON.parse((await cli(url, 'describe', 'connector', 'a b', '-o', 'json')).out);
  expect(described).toMatchObject({
    plugin: { class: 'o.a.Jar', version: '2', runsIn: 'jvm' },
    jvms: [
      { worker: 'w:1', state: 'up', own: true, pid: 7, heapUsedBytes: 100 << 20, heapMaxBytes: 512 << 20, restarts: 2 },
      { worker: 'w:2', state: 'silent', silentSeconds: 40, heapUsedBytes: null },
      { worker: 'w:3', state: 'unknown', pid: null },
    ],
  });
  const native = { ...health, plugin: { ...health.plugin, location: 'built-in', runs_in: 'node' }, jvms: [] };
  const other = await serve((request) => (request === 'GET /connectors/a%20b/health' ? native : REPLIES[request]));
  expect((await cli(other, 'describe', 'connector', 'a b')).out).toMatch(
    /\nPlugin: +o\.a\.Jar 2, in Node.js, built-in\n/,
  );
  expect((await cli(other, 'describe', 'connector', 'a b')).out).not.toContain('JVMs');
});

test('a trace without its frames, in bounded time and size', () => {
  expect(traceLines()).toEqual([]);
  expect(traceLines(' \n\tat x\n')).toEqual([]);
  expect(traceLines('m\n'.repeat(100_000))).toHaveLength(20);
  expect(traceLines('m'.repeat(100_000)).join('').length).toBeLessThan(66_000);
});

const key = (name: string, more: object = {}) => ({
  name,
  type: 'STRING',
  required: false,
  default_value: null,
  importance: 'HIGH',
  documentation: '',
  group: null,
  ...more,
});

test('plugin: settings by group, required first, documentation in lines', async () => {
  const url = await serve((request) => {
    if (request === 'GET /connector-plugins?connectorsOnly=false&locations=true')
      return [
        { class: 'o.a.FileConnector', type: 'sink', version: '1' },
        { class: 'o.a.Filter', type: 'transformation' },
      ];
    if (request !== 'GET /connector-plugins/o.a.FileConnector/config?hints=true') return [];
    return [
      key('z', { default_value: '' }),
      key('b', { group: 'G', default_value: '7', importance: 'LOW', documentation: `${'word '.repeat(30)}end` }),
      key('a', { group: 'G', required: true }),
      key('c', { group: 'G', hints: { required_unless: [] } }),
      key('mode', { group: 'G', default_value: 'x', hints: { valid_values: ['x', 'y'], deprecated: true } }),
      key('topics', { group: 'G', hints: { required_unless: ['topics.regex'] } }),
      key('topics.regex', { group: 'G', hints: { required_unless: ['topics'] } }),
      key('old', { group: 'G', hints: { alias_of: 'a', without_effect: true } }),
      key('my.password', { group: 'G', type: 'PASSWORD', default_value: 'hunter2' }),
    ];
  });
  const { code, out } = await cli(url, 'describe', 'plugin', 'File');
  expect(code).toBe(0);
  expect(out).toBe(`Class:    o.a.FileConnector
Alias:    File
Type:     sink
Version:  1
Required: a, c, topics or topics.regex

G:
  a (STRING, required, high)
  c (STRING, required, high)
  topics (STRING, required unless topics.regex is set, high)
  topics.regex (STRING, required unless topics is set, high)
  b (STRING, default 7, low)
      ${'word '.repeat(18)}word
      ${'word '.repeat(11)}end
  mode (STRING, default x, high, deprecated)
      Values: x, y
  old (STRING, high, another name of a, no effect)
  my.password (PASSWORD, default [hidden], high)

Other settings:
  z (STRING, default "", high)
`);
  const json = await cli(url, 'describe', 'plugin', 'o.a.FileConnector', '-o', 'json');
  expect(JSON.parse(json.out)).toMatchObject({
    alias: 'File',
    config: [{ name: 'z' }, {}, { required: true }, { required: true }, { validValues: ['x', 'y'] }, {}, {}, {}, {}],
  });
  expect((await cli(url, 'describe', 'plugin', 'Filter')).out).toContain('Settings:\n  none\n');
  expect(await cli(url, 'describe', 'plugin', 'Absent')).toMatchObject({ code: 4, out: '' });
});

test('plugin: of several versions, where each is and how a config chooses it', async () => {
  const one = { class: 'o.a.FileConnector', type: 'sink' };
  const url = await serve((request) =>
    request.startsWith('GET /connector-plugins?')
      ? [
          { ...one, version: '1', location: 'built-in', runs_in: 'node', selected_by: null },
          { ...one, version: '2', location: '/jars/file', runs_in: 'jvm', selected_by: '[2]' },
          { ...one, version: '2', location: '/jars/other', runs_in: 'jvm' },
        ]
      : [],
  );
  const { out } = await cli(url, 'describe', 'plugin', 'File');
  expect(out).toContain(`
Installed:
  VERSION  RUNS IN  LOCATION     CHOSEN BY ITS VERSION
  1        Node.js  built-in     not set
  2        JVM      /jars/file   [2]
  2        JVM      /jars/other  never: another has the same version
`);
  expect(JSON.parse((await cli(url, 'describe', 'plugin', 'File', '-o', 'json')).out)).toMatchObject({
    versions: ['1', '2'],
    installed: [{ selectedBy: null }, { version: '2', runsIn: 'jvm', location: '/jars/file', selectedBy: '[2]' }, {}],
  });
});

test.each([
  ['connector', 'x'],
  ['plugin', 'x'],
])('%s: replies of another shape', async (...args) => {
  expect(await cli(await serve(() => 7), 'describe', ...args)).toMatchObject({
    code: 1,
    err: expect.stringContaining('REST_REPLY_INVALID'),
  });
  expect(await cli('http://127.0.0.1:1', 'describe', ...args)).toMatchObject({ code: 3, out: '' });
});

test('lines break at blanks', () => {
  expect(wrapText('a bb  ccc\ndddddd e', 5)).toEqual(['a bb', 'ccc', 'dddddd', 'e']);
  expect(wrapText('', 5)).toEqual([]);
});

test('plugin: its own settings are before those that every connector has', async () => {
  const url = await serve((request) => {
    if (request === 'GET /connector-plugins?connectorsOnly=false&locations=true')
      return [{ class: 'o.a.File', type: 'sink' }];
    const groups = ['Common', 'Transforms', 'Predicates', 'Error Handling', null, 'Format'];
    return groups.map((group, index) => key(`k${index}`, { group }));
  });
  const { out } = await cli(url, 'describe', 'plugin', 'File');
  expect(out.match(/^(?!Version)\S.*:$/gm)).toEqual([
    'Format:',
    'Other settings:',
    'Common:',
    'Transforms:',
    'Predicates:',
    'Error Handling:',
  ]);
});
