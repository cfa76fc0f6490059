/** Whatever a worker answers, no command writes what controls a terminal or reorders text. */
import { parse } from 'yaml';
import { cli, serve } from '../scripted-rest';

const EVIL = 'e\nName: forged\u001b[2J\u001b]0;t\u0007\u009b31m\u0085\u2028\u202e\u2066\u200b\r\u007f\u{e0041}\ud800x';
/** All controls but line feeds. Joiners are format characters, too, but none is in these answers. */
const CONTROL = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

const part = { state: EVIL, worker_id: EVIL, trace: `${EVIL}\n\tat ${EVIL}\n` };
const config = { 'connector.class': EVIL, [EVIL]: EVIL, topics: EVIL };
const status = { name: EVIL, connector: part, tasks: [{ id: 0, ...part, state: 'FAILED', [EVIL]: EVIL }], type: EVIL };
const info = { name: EVIL, config, tasks: [{ connector: EVIL, task: 0 }], type: EVIL };

const action = { kind: 'skip-record', topic: EVIL, partition: 0, offset: 1 };
const reason = {
  code: EVIL,
  message: EVIL,
  cure: EVIL,
  task: 0,
  worker_id: EVIL,
  actions: [action, { kind: 'restart' }],
};
const health = { health: EVIL, reasons: [reason, { ...reason, code: `HEALTH_${EVIL}` }], tasks: [] };

async function hostile(): Promise<string> {
  return await serve((request, response) => {
    const path = request.split(' ')[1] ?? '';
    if (/^GET \/connectors\?/.test(request)) return { [EVIL]: { status, info, health } };
    if (path === '/connectors/a/status' || path === '/connectors/a/tasks/0/status') return status;
    if (path === '/connectors/a/health') return health;
    if (path === '/connectors/a/topics') return { a: { topics: [EVIL] } };
    if (path === '/connectors/a/offsets' && request.startsWith('GET'))
      return { offsets: [{ partition: { [EVIL]: EVIL }, offset: { [EVIL]: EVIL } }] };
    if (path === '/connectors/a/tasks') return [{ id: { connector: EVIL, task: 0 }, config }];
    if (request === 'GET /connectors/a') return info;
    if (path === '/connectors/a/config') return config;
    if (path.startsWith('/connector-plugins?')) return [{ class: EVIL, type: EVIL, version: EVIL }];
    if (path === '/admin/loggers') return { [EVIL]: { level: EVIL, last_modified: null } };
    return response.writeHead(400).end(JSON.stringify({ error_code: 400, message: EVIL }));
  });
}

const COMMANDS = [
  'get connectors',
  'get plugins',
  'get loggers',
  'get topics a',
  'get offsets a',
  'get workers',
  'describe connector a',
  'describe connector a --task-configs',
  'describe plugin a',
  'status',
  'offsets export a',
  'pause a',
  'restart a --no-wait',
  'delete a --yes',
  'patch a b=c --timeout 1',
];

test.each(COMMANDS)('%s', async (command) => {
  const url = await hostile();
  const formats = /^(?:get|describe|status)/.test(command) ? ['table', 'json', 'yaml'] : [''];
  for (const format of formats) {
    const { out, err } = await cli(url, ...command.split(' '), ...(format ? ['-o', format] : []));
    expect([format, (out + err).match(CONTROL)]).toEqual([format, null]);
    expect(out + err).not.toBe('');
    // Of a JSON text in an answer, the lines are the worker's own.
    expect((out + err).match(/^Name: forged.*/m)).toBeNull();
  }
});

test('JSON and YAML have the values that the worker answered', async () => {
  const url = await hostile();
  const expected = [{ name: EVIL, type: EVIL, class: EVIL, state: EVIL, worker: EVIL }];
  expect(JSON.parse((await cli(url, 'get', 'connectors', '-o', 'json')).out)).toMatchObject(expected);
  expect(parse((await cli(url, 'get', 'connectors', '-o', 'yaml')).out)).toMatchObject(expected);
  const offsets = { offsets: [{ partition: { [EVIL]: EVIL }, offset: { [EVIL]: EVIL } }] };
  expect(JSON.parse((await cli(url, 'offsets', 'export', 'a')).out)).toEqual(offsets);
  expect(parse((await cli(url, 'describe', 'connector', 'a', '-o', 'yaml')).out)).toMatchObject(offsets);
});
