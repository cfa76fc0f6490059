/** `millrace preview` with a plugin that does not know of previews. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '../../../packages/cli/src/output/fail';
import { run } from '../../../src/cli/verbs/preview/run';
import { FakeIo, invocationOf } from '../fake-io';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'millrace-preview-'));
  const folder = join(cwd, 'plugins', 'nosy');
  mkdirSync(folder, { recursive: true });
  const plugins = [
    { type: 'source', class: 'com.acme.NosySource', export: 'source' },
    { type: 'transformation', class: 'com.acme.Picky', export: 'picky' },
  ];
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'nosy', version: '1.0.0', main: './index.js', millrace: { plugins } }),
  );
  writeFileSync(join(folder, 'index.js'), PLUGIN);
  write('nosy.json', { name: 'nosy', config: CONFIG });
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const CONFIG = {
  'connector.class': 'com.acme.NosySource',
  'api.password': 'hunter2-hunter2',
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
};
/** It acknowledges each record, as a plugin that ignores `context.preview` does. */
const PLUGIN = `
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');
const log = (line) => appendFileSync(join(__dirname, 'calls.txt'), line + '\\n');
exports.source = {
  type: 'source',
  config: [{ name: 'api.password', type: 'PASSWORD', documentation: '' }, { name: 'mode', type: 'STRING', default: '', documentation: '' }, { name: 'own', type: 'INT', default: 1, validate: (n) => n > 0 ? null : 'own must be positive', documentation: '' }],
  create: (config, context) => {
    log('create ' + context.preview);
    return { taskConfigs: (max) => Array.from({ length: max }, (_, i) => ({ ...config, number: String(i) })), start: () => { if (config.mode === 'refuse') throw new Error('login\\u001b[2J failed for ' + config['api.password']); }, stop: () => log('stop connector') };
  },
  createTask: () => {
    let n = 0;
    let config;
    let context;
    return {
      start: async (given, ctx) => {
        config = given;
        context = ctx;
        const stored = await ctx.offsets.offset({ p: 1 });
        n = stored ? stored.n : 0;
        log('start ' + ctx.preview + ' ' + config.number + ' ' + n);
        if (config.mode === 'fail') throw new Error('login failed for ' + config['api.password']);
        if (config.mode === 'own') await ctx.createProducer({ 'bootstrap.servers': 'nowhere:1' }).send([{ topic: 'dlq', key: null, value: Buffer.from('x') }]);
      },
      poll: async () => {
        if (config.mode === 'none' || n >= 6) { await new Promise((r) => { const t = setTimeout(r, 100); context.signal.addEventListener('abort', () => (clearTimeout(t), r())); }); return null; }
        n++;
        return [{ sourcePartition: { p: 1 }, sourceOffset: { n }, topic: 't', partition: null, keySchema: null, key: 'k' + n, valueSchema: null, value: { n } }];
      },
      commit: () => log('commit'),
      commitRecord: () => log('commitRecord'),
      stop: () => log('stop task'),
    };
  },
};
exports.picky = {
  type: 'transformation',
  config: [],
  create: () => ({
    configure: () => undefined,
    apply: (record) => {
      if (record.value.n === 2) throw new Error('two is refused');
      return record.value.n === 3 ? null : { ...record, topic: 'moved' };
    },
    close: () => undefined,
  }),
};
`;

const write = (file: string, content: unknown): void => writeFileSync(join(cwd, file), JSON.stringify(content));
const calls = (): string[] =>
  readFileSync(join(cwd, 'plugins', 'nosy', 'calls.txt'), 'utf8')
    .trim()
    .split('\n');

async function preview(args: readonly string[] = [], config?: Record<string, string>, io = new FakeIo(cwd)) {
  if (config) write('nosy.json', { name: 'nosy', config: { ...CONFIG, ...config } });
  const plugins = ['--plugin-path', join(cwd, 'plugins')];
  const invocation = invocationOf(['preview', 'nosy.json', ...plugins, '--idle', '1', ...args], io);
  const code = await run(invocation).catch((error: unknown) => fail(io, error));
  return { code, out: io.out, err: io.err };
}

const SCHEMALESS = {
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter.schemas.enable': 'false',
};
const PICKY = { ...SCHEMALESS, transforms: 'p', 'transforms.p.type': 'com.acme.Picky' };

test('records as they would be written; the task is stopped, and nothing acknowledged', async () => {
  const { code, out, err } = await preview(['-n', '2', '-o', 'json'], SCHEMALESS);
  expect(out).toBe(
    '{"topic":"t","partition":null,"timestamp":null,"key":"k1","value":{"n":1},"headers":[],"sourcePartition":{"p":1},"sourceOffset":{"n":1}}\n' +
      '{"topic":"t","partition":null,"timestamp":null,"key":"k2","value":{"n":2},"headers":[],"sourcePartition":{"p":1},"sourceOffset":{"n":2}}\n',
  );
  expect([code, err]).toEqual([0, '2 records of task 0.\nNothing was written.\n']);
  expect(calls()).toEqual(['create true', 'start true 0 0', 'stop task', 'stop connector']);
});

test('the worker’s default converters; with a schema, the table shows the payload', async () => {
  writeFileSync(join(cwd, 'w.properties'), 'value.converter=org.apache.kafka.connect.json.JsonConverter\n');
  const { out } = await preview(['-n', '1', '--config', 'w.properties']);
  expect(out).toBe('TOPIC  PARTITION  KEY  VALUE    SOURCE OFFSET\nt                 k1   {"n":1}  {"n":1}\n');
});

test('tolerated failures and dropped records are counted, and more are read until there is silence', async () => {
  const { code, out, err } = await preview(['-o', 'yaml'], { ...PICKY, 'errors.tolerance': 'all' });
  expect([...out.matchAll(/topic: moved/g)]).toHaveLength(4);
  expect(code).toBe(0);
  expect(err).toBe(
    '4 records of task 0.\nNo further record within 1 s (--idle).\n1 record skipped because of errors (errors.tolerance=all):\n' +
      '  TRANSFORMATION with com.acme.Picky: two is refused\n1 record dropped by transformations.\nNothing was written.\n',
  );
});

test('a failure that is not tolerated: the records before it, the reason, exit code 1', async () => {
  const { code, out, err } = await preview([], PICKY);
  expect(out).toContain('moved');
  expect(code).toBe(1);
  expect(err).toMatch(/^ERROR The task failed: Tolerance exceeded.*two is refused/);
  expect(err).not.toContain('skipped');
});

test('a secret of the config is not shown, also in an error of the plugin', async () => {
  const { code, out, err } = await preview([], { mode: 'fail' });
  expect(code).toBe(1);
  expect(err).toContain('login failed for [hidden]');
  expect(out + err).not.toContain('hunter2');
});

test('an error of the connector: neither a secret nor control characters, and the connector is stopped', async () => {
  const { code, err } = await preview([], { mode: 'refuse' });
  expect([code, err]).toEqual([1, 'millrace: login [2J failed for [hidden]\n']);
  expect(calls()).toEqual(['create true', 'stop connector']);
});

test('an invalid config: the error of each field, exit code 5, and the plugin is not started', async () => {
  const { code, out, err } = await preview([], { own: 'x', transforms: 'a' });
  expect([code, out]).toEqual([5, '']);
  expect(err).toMatch(/^The config has \d error\(s\):\n/);
  expect(err).toMatch(/^ {2}transforms\.a\.type: /m);
  expect(err).toMatch(/^ {2}own: Invalid value x/m);
  expect(err).not.toContain('hunter2');
});

test('a variable of the environment is replaced; a secret of it is not shown', async () => {
  const io = new FakeIo(cwd, { API_PASSWORD: 'swordfish-swordfish' });
  const { code, err } = await preview([], { 'api.password': '${API_PASSWORD}', mode: 'fail' }, io);
  expect([code, err]).toEqual([1, expect.stringContaining('login failed for [hidden]')]);
  expect(await preview([], { 'api.password': '${API_PASSWORD}' })).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /"api\.password": the environment variable API_PASSWORD is not set.*CLI_DOCUMENT_INVALID/,
    ),
  });
});

test('a placeholder of a config provider is left to it', async () => {
  writeFileSync(join(cwd, 'secrets.properties'), 'password=swordfish-swordfish\n');
  writeFileSync(
    join(cwd, 'w.properties'),
    'config.providers=file\nconfig.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider\n',
  );
  const config = { 'api.password': `\${file:${join(cwd, 'secrets.properties')}:password}`, mode: 'fail' };
  const { code, err } = await preview(['--config', 'w.properties'], config);
  expect(code).toBe(1);
  expect(err).toMatch(/login failed for (\$\{file|\[hidden\])/);
  expect(err).not.toContain('swordfish');
});

test('a file with several connectors, or with none, is wrong usage', async () => {
  write(
    'nosy.json',
    ['a', 'b'].map((name) => ({ name, config: CONFIG })),
  );
  expect(await preview()).toMatchObject({
    code: 2,
    err: 'millrace: nosy.json has 2 connectors (a, b); a preview runs one: name a file with one connector. (CLI_USAGE)\n',
  });
  write('nosy.json', []);
  expect(await preview()).toMatchObject({ code: 2, err: expect.stringContaining('there is no connector in it') });
});

test('an unknown class', async () => {
  const { code, err } = await preview([], { 'connector.class': 'com.acme.Unknown' });
  expect(code).toBe(5);
  expect(err).toContain('connector.class: com.acme.Unknown is not installed here. Install its package, or');
});

test('a sink is wrong usage', async () => {
  const { code, err } = await preview([], { 'connector.class': 'FileStreamSink', topics: 't' });
  expect([code, err]).toEqual([2, expect.stringContaining('is a sink connector. A preview shows what a source')]);
});

test('another task; a task that does not exist', async () => {
  await preview(['-n', '1', '--task', '2'], { ...SCHEMALESS, 'tasks.max': '3' });
  expect(calls()).toContain('start true 2 0');
  const { code, err } = await preview(['--task', '3']);
  expect([code, err]).toEqual([2, expect.stringContaining('there is no task 3')]);
});

test('offsets to start from', async () => {
  write('offsets.json', { offsets: [{ partition: { p: 1 }, offset: { n: 4 } }] });
  const { out } = await preview(['-n', '1', '-o', 'json', '--offsets', 'offsets.json'], SCHEMALESS);
  expect(out).toContain('"key":"k5"');
});

test('no record in time: exit code 5', async () => {
  const { code, out, err } = await preview(['--timeout', '1'], { mode: 'none' });
  expect([code, out]).toEqual([5, '']);
  expect(err).toContain('No record within 1 s (--timeout).');
});

test('records of the task’s own producers are discarded and counted', async () => {
  const { code, err } = await preview(['-n', '1'], { ...SCHEMALESS, mode: 'own' });
  expect(code).toBe(0);
  expect(err).toContain('Not shown: 1 record that the task sends with producers of its own.');
});

test('a signal: the records so far, exit code 130, the task is stopped', async () => {
  const io = new FakeIo(cwd);
  const shown: string[] = [];
  io.stdout.write = (text) => {
    shown.push(text);
    if (shown.length === 6) io.signal('SIGINT');
    return (io.out += text);
  };
  const { code } = await preview(['--idle', '3600', '-o', 'json'], SCHEMALESS, io);
  expect([code, shown.length]).toEqual([130, 6]);
  expect(calls().slice(-2)).toEqual(['stop task', 'stop connector']);
});
