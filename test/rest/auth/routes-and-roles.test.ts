/**
 * Every route for every role: who is admitted, and what the request makes the worker do. A new route needs a row here.
 */
import request from 'supertest';
import type { SourceConnector } from '@millrace/sdk';
import { ROLES, type Role } from '../../../src/config/rest-auth-settings';
import { createAccess } from '../../../src/rest/auth/access';
import type { PropertyFileLogin } from '../../../src/rest/auth/property-file-login';
import type { Requirement } from '../../../src/rest/auth/roles';
import { basic } from '../../helpers/basic-auth';
import { failedLogins } from '../../helpers/failed-logins';
import { builtIn } from '../../helpers/fake-plugins';
import { fakeWorker, FakeHerder, type FakeWorker } from '../fake-worker';

/** What a worker does for a request, beside reading what it has in memory. */
type Effect =
  /** Code of a connector that may connect, read files and run anything. */
  | 'validate'
  | 'exactlyOnceSupport'
  /** Config providers read files and connect to vaults. */
  | 'resolve'
  /** Code of a connector that may not. */
  | 'checkKeys'
  | 'request to a worker'
  | 'level'
  /** Of the herder: reads from Kafka, and changes. */
  | (typeof KAFKA)[number]
  | (typeof CHANGES)[number];

const KAFKA = [
  'health',
  'members',
  'offsets.list',
  'deadLetters.list',
  'deadLetters.groups',
  'records.newest',
  'offsets.partitions',
] as const;
const CHANGES = [
  ...(['writes.createConnector', 'writes.putConnectorConfig', 'writes.patchConnectorConfig'] as const),
  ...(['writes.deleteConnector', 'writes.setTargetState', 'writes.stopConnector', 'writes.setLoggerLevel'] as const),
  ...(['writes.submitTaskConfigs', 'writes.fenceTasks', 'restarts.restartConnector'] as const),
  ...(['restarts.requestRestart', 'restarts.restartTask', 'restarts.signalTask'] as const),
  ...(['topics.reset', 'offsets.alter', 'offsets.reset', 'deadLetters.replay'] as const),
];
const FACETS = ['reads', 'history', 'writes', 'restarts', 'offsets', 'deadLetters', 'records', 'topics'] as const;
const IN_MEMORY = [
  ...['reads.connectors', 'reads.records', 'reads.record', 'reads.connectorInfo', 'reads.connectorStatus'],
  ...[
    'reads.statusOrNull',
    'reads.taskStatus',
    'reads.taskInfos',
    'reads.lastRestart',
    'topics.list',
    'history.list',
    'records.topics',
  ],
  ...['figures', 'kafkaClusterId', 'groupSecret'],
  // Reads what another worker has written for this request.
  'readBack',
];
const PRIVATE = ['constructor', 'entry', 'task', 'leaderOnly', 'existing', 'check'];
const NOT_FOR_REST = ['start', 'stop', 'reloadPlugins'];

interface Row {
  readonly does: readonly Effect[];
  /** If an admin's request does something else. */
  readonly asAdmin?: readonly Effect[];
  readonly body?: object;
  readonly query?: string;
}

const CONFIG = { name: 'probe', 'connector.class': 'ProbeConnector', 'exactly.once.support': 'required' };
const STORED = { ...CONFIG, 'stored.secret': '${file:/secrets:x}' };
/** What an admin's config makes a worker do before it is stored. */
const CHECKED: readonly Effect[] = ['exactlyOnceSupport', 'resolve', 'validate'];
const LETTERS = { letters: [{ partition: 0, offset: '1' }] };
const OFFSETS = { offsets: [{ partition: { p: 1 }, offset: { o: 1 } }] };
const SIGNAL = { id: 's', type: 'log', data: {} };

const ROWS: Readonly<Record<string, Row>> = {
  'GET /': { does: [] },
  'GET /health': { does: ['health'] },
  'GET /metrics': { does: [] },
  'GET /openapi.json': { does: [] },
  'GET /connectors': { does: [] },
  'POST /connectors': {
    does: [...CHECKED, 'writes.createConnector'],
    body: { name: 'new', config: { ...CONFIG, name: 'new' } },
  },
  'GET /connectors/:name': { does: [] },
  'DELETE /connectors/:name': { does: ['writes.deleteConnector'] },
  'GET /connectors/:name/config': { does: [] },
  'PUT /connectors/:name/config': { does: [...CHECKED, 'writes.putConnectorConfig'], body: CONFIG },
  'PATCH /connectors/:name/config': {
    does: [...CHECKED, 'writes.patchConnectorConfig', 'writes.putConnectorConfig'],
    body: { 'tasks.max': '2' },
  },
  'GET /connectors/:name/status': { does: [] },
  'GET /connectors/:name/health': { does: ['health', 'members', 'request to a worker'] },
  'PUT /connectors/:name/pause': { does: ['writes.setTargetState'] },
  'PUT /connectors/:name/resume': { does: ['writes.setTargetState'] },
  'PUT /connectors/:name/stop': { does: ['writes.stopConnector'] },
  'POST /connectors/:name/restart': { does: ['restarts.restartConnector'] },
  'GET /connectors/:name/tasks': { does: [] },
  'POST /connectors/:name/tasks': { does: ['writes.submitTaskConfigs'], body: [] },
  'PUT /connectors/:name/fence': { does: ['writes.fenceTasks'] },
  'GET /connectors/:name/tasks/:task/status': { does: [] },
  'POST /connectors/:name/tasks/:task/restart': { does: ['restarts.restartTask'] },
  'POST /connectors/:name/signals': { does: ['restarts.signalTask'], body: SIGNAL },
  'POST /connectors/:name/tasks/:task/signals': { does: ['restarts.signalTask'], body: SIGNAL },
  'GET /connectors/:name/actions': { does: [] },
  'GET /connectors/:name/logs': { does: ['members', 'request to a worker'] },
  'GET /changes': { does: [] },
  'GET /connectors/:name/topics': { does: [] },
  'PUT /connectors/:name/topics/reset': { does: ['topics.reset'] },
  'GET /connectors/:name/offsets': { does: ['offsets.list'] },
  'PATCH /connectors/:name/offsets': { does: ['offsets.alter'], body: OFFSETS },
  'DELETE /connectors/:name/offsets': { does: ['offsets.reset'] },
  'GET /connector-plugins': { does: [] },
  'GET /connector-plugins/:plugin/config': { does: [] },
  'GET /connector-plugins/:plugin/schema': { does: [] },
  'PUT /connector-plugins/:plugin/config/validate': { does: ['checkKeys'], asAdmin: CHECKED, body: CONFIG },
  'GET /admin/loggers': { does: [] },
  'GET /admin/loggers/:logger': { does: [] },
  'PUT /admin/loggers/:logger': { does: ['level'], body: { level: 'DEBUG' } },
  'GET /ui/api/session': { does: [] },
  'GET /ui/api/overview': { does: ['health', 'members', 'request to a worker'] },
  'GET /ui/api/worker': { does: ['health'] },
  'GET /ui/api/worker/:name': { does: [] },
  'GET /ui/api/worker-history': { does: [] },
  'GET /ui/api/worker-history/:name': { does: [] },
  'GET /ui/api/worker-rates': { does: [] },
  'GET /ui/api/connectors/:name/history': { does: ['health', 'members', 'request to a worker'] },
  'GET /ui/api/topology': { does: [] },
  'GET /ui/api/workers/history': { does: ['health', 'members', 'request to a worker'] },
  'GET /ui/api/connectors/:name': { does: ['health', 'members', 'request to a worker'] },
  // Of the stored config, with its placeholders.
  'PUT /ui/api/connectors/:name/config/validate': { does: ['checkKeys'], asAdmin: CHECKED, body: {} },
  'GET /ui/api/changes': { does: [] },
  'GET /ui/api/connectors/:name/logs': { does: ['members', 'request to a worker'] },
  'GET /ui/api/worker/lag/:name': { does: [] },
  'GET /ui/api/connectors/:name/lag': { does: ['offsets.partitions', 'health', 'members', 'request to a worker'] },
  'GET /ui/api/connectors/:name/records': { does: ['records.newest'], query: '?topic=orders' },
  'GET /ui/api/connectors/:name/dead-letters': { does: ['deadLetters.list'] },
  'GET /ui/api/connectors/:name/dead-letters/groups': { does: ['deadLetters.groups'] },
  'POST /ui/api/connectors/:name/dead-letters/replay': { does: ['deadLetters.replay'], body: LETTERS },
};

const PARAMETERS: Readonly<Record<string, string>> = {
  name: 'probe',
  task: '0',
  plugin: 'ProbeConnector',
  logger: 'root',
};

const access = createAccess({
  settings: { openPaths: [], roles: { reader: ['user:reader'], operator: ['user:operator'], admin: ['user:admin'] } },
  login: { knows: () => true, accepts: (credentials: unknown) => credentials !== null } as unknown as PropertyFileLogin,
  // With bearer tokens, a 401 has a JSON body.
  bearer: () => Promise.reject(new Error('no token is sent here')),
  failures: failedLogins(),
});

async function recordingWorker(done: Set<Effect>): Promise<FakeWorker> {
  const plugin: SourceConnector = {
    type: 'source',
    config: [{ name: 'stored.secret', type: 'PASSWORD', default: null, importance: 'LOW', documentation: 'A secret.' }],
    validate: () => (done.add('validate'), []),
    checkKeys: () => (done.add('checkKeys'), []),
    exactlyOnceSupport: () => (done.add('exactlyOnceSupport'), 'supported'),
    createTask: () => {
      throw new Error('no task is started here');
    },
  };
  const worker = fakeWorker({
    access,
    plugins: [builtIn('org.example.ProbeConnector', plugin)],
    settings: { exactlyOnceSourceSupport: 'enabled' },
    resolver: {
      resolve: async (config) => {
        done.add('resolve');
        return await Promise.resolve(config);
      },
    },
    forward: () => {
      done.add('request to a worker');
      return Promise.reject(new Error('no other worker runs here'));
    },
  });
  const { herder, levels } = worker;
  await herder.writes.createConnector('probe', STORED, null);
  herder.group = [...(herder.group ?? []), { url: 'http://127.0.0.1:1/', id: '127.0.0.1:1' }];
  levels.onChange(() => done.add('level'));
  for (const name of [...KAFKA, ...CHANGES]) {
    const [method = '', facet] = name.split('.').reverse();
    const owner = facet === undefined ? herder : herder[facet as (typeof FACETS)[number]];
    const call = (owner as unknown as Record<string, (...args: unknown[]) => unknown>)[method];
    Object.assign(owner, {
      [method]: (...args: unknown[]) => {
        done.add(name);
        return call?.(...args);
      },
    });
  }
  done.clear();
  return worker;
}

const { routes, consoleRoutes } = fakeWorker();
const SERVED = [...routes, ...consoleRoutes].map((route) => ({ ...route, title: `${route.method} ${route.path}` }));
const namesOf = (role: Requirement, of: typeof SERVED = SERVED): string[] =>
  of.flatMap((route) => (route.role === role ? [route.title] : [])).sort();

test('every route has a row, and every row a route', () => {
  expect(Object.keys(ROWS).sort()).toEqual(SERVED.map(({ title }) => title).sort());
});

test('every method of the herder is known', () => {
  const { herder } = fakeWorker();
  const facets = FACETS.flatMap((facet) => Object.keys(herder[facet]).map((method) => `${facet}.${method}`));
  const own = Object.entries(herder).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
  const known = new Set([...KAFKA, ...CHANGES, ...IN_MEMORY, ...NOT_FOR_REST]);
  const methods = [...facets, ...own, ...Object.getOwnPropertyNames(FakeHerder.prototype)];
  expect(methods.filter((name) => !known.has(name) && !PRIVATE.includes(name))).toEqual([]);
});

describe.each(SERVED)('$method $path', ({ method, path, title, role: required }) => {
  const { does, asAdmin = does, body, query = '' } = ROWS[title] as Row;
  const url = path.replace(/:(\w+)/g, (_, name: string) => PARAMETERS[name] as string) + query;

  test.each<Role | null>([null, ...ROLES])('for the role %s', async (role) => {
    const done = new Set<Effect>();
    const { app } = await recordingWorker(done);
    const agent = request(app);
    const call = agent[method.toLowerCase() as 'get'](url);
    if (role !== null) void call.set('Authorization', basic(role, 'x'));
    const { status } = await (body === undefined ? call : call.send(body));
    const isAdmitted = required === 'signature' || (role !== null && ROLES.indexOf(role) >= ROLES.indexOf(required));
    const expected = role === 'admin' ? asAdmin : does;
    expect([...done].sort()).toEqual(isAdmitted ? [...expected].sort() : []);
    if (!isAdmitted) expect(status).toBe(role === null ? 401 : 403);
    else if (required === 'signature') expect(status).toBeGreaterThanOrEqual(400);
    else expect(status).toBeLessThan(300);
  });
});

test('for roles below admin, no config and no code of a connector makes the worker connect, read files or run SQL', () => {
  const admins = namesOf('admin');
  const reaching = Object.entries(ROWS).filter(
    ([route, { does }]) => !admins.includes(route) && CHECKED.some((one) => does.includes(one)),
  );
  expect(reaching).toEqual([]);
});

test('readers change nothing', () => {
  const changing = namesOf('reader').filter((route) =>
    ROWS[route]?.does.some((one) => one === 'level' || (CHANGES as readonly string[]).includes(one)),
  );
  expect(changing).toEqual([]);
});

test('readers can only read and validate', () => {
  expect(namesOf('reader').filter((route) => !route.startsWith('GET '))).toEqual([
    'PUT /connector-plugins/:plugin/config/validate',
    'PUT /ui/api/connectors/:name/config/validate',
  ]);
});

test('operators change what runs; configs, offsets and log levels are for admins', () => {
  expect(namesOf('operator').filter((route) => !route.includes('/ui/'))).toEqual([
    'POST /connectors/:name/restart',
    'POST /connectors/:name/signals',
    'POST /connectors/:name/tasks/:task/restart',
    'POST /connectors/:name/tasks/:task/signals',
    'PUT /connectors/:name/pause',
    'PUT /connectors/:name/resume',
    'PUT /connectors/:name/stop',
    'PUT /connectors/:name/topics/reset',
  ]);
});

test('only requests between workers need no role', () => {
  expect(namesOf('signature')).toEqual(['POST /connectors/:name/tasks', 'PUT /connectors/:name/fence']);
});

test('the role of HEAD is that of GET, and readers may send OPTIONS to every route', async () => {
  const { app } = await recordingWorker(new Set());
  const status = async (method: 'head' | 'options', path: string, role: Role): Promise<number> =>
    (await request(app)[method](path).set('Authorization', basic(role, 'x'))).status;
  expect(await status('head', '/connectors', 'reader')).toBe(200);
  expect(await status('head', '/ui/api/connectors/probe/dead-letters', 'reader')).toBe(403);
  expect(await status('options', '/connectors/probe/offsets', 'reader')).toBe(200);
});
