/** `millrace validate --offline`: plugins of this installation, no worker. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../fake-io';

let cwd: string;
let plugins: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'millrace-offline-'));
  const folder = join(cwd, 'plugins', 'acme');
  plugins = join(cwd, 'plugins');
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(cwd, 'c'));
  const manifest = { plugins: [{ type: 'source', class: 'com.acme.AcmeSource', export: 'source' }] };
  write('plugins/acme/package.json', { name: 'acme', version: '1.0.0', main: './index.js', millrace: manifest });
  writeFileSync(join(folder, 'index.js'), PLUGIN);
  // Jest cannot start plugin threads from the sources; test/integration/cli/validate.test.ts runs them.
  write('worker.properties', `task.host=inline\nfile.root=${cwd}\n`);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const PLUGIN = `
exports.source = {
  type: 'source',
  config: [
    { name: 'api.password', type: 'PASSWORD', documentation: 'Of the user.' },
    { name: 'mode', type: 'STRING', default: '', documentation: '' },
  ],
  validate: (config) => {
    if (config.mode === 'throws') throw new Error('boom');
    return config.mode === 'refused' ? [{ key: 'mode', message: 'login failed for ' + config['api.password'] }] : [];
  },
  createTask: () => ({ poll: () => null }),
};
`;
const ACME = { 'connector.class': 'com.acme.AcmeSource', 'api.password': 'hunter2-hunter2' };
const SINK = { 'connector.class': 'FileStreamSink', topics: 't' };

function write(file: string, content: unknown): void {
  writeFileSync(join(cwd, file), typeof content === 'string' ? content : JSON.stringify(content));
}
const document = (name: string, config: Record<string, string>): void => write(`c/${name}.json`, { name, config });

/** MILLRACE_URL names no worker: nothing may be asked. */
async function validate(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = new FakeIo(cwd, { MILLRACE_CONTEXTS: join(cwd, 'contexts'), MILLRACE_URL: 'http://127.0.0.1:1' });
  const code = await runCli(['validate', ...args], io);
  return { code, out: io.out, err: io.err };
}
const offline = async (...args: string[]): ReturnType<typeof validate> =>
  await validate('--offline', ...(args.includes('--config') ? [] : ['--config', 'worker.properties']), ...args);

test('sources and sinks: the errors of each field, then the valid ones; exit code 5', async () => {
  document('sink', { ...SINK, 'topics.regex': 'x', file: join(cwd, 'a') });
  document('source', { ...ACME, transforms: 'a' });
  document('fine', { ...SINK, file: join(cwd, 'a') });
  const { code, out, err } = await offline('c', '--plugin-path', plugins);
  expect([code, err]).toEqual([5, '']);
  expect(out).toMatch(/^sink \(c\/sink\.json\): invalid\n {2}topics = t: .*\n/);
  expect(out).toMatch(/^source \(c\/source\.json\): invalid\n {2}transforms\.a\.type: /m);
  expect(out).toMatch(/\nfine: valid\n$/);
});

test('only valid ones: exit code 0; as JSON', async () => {
  document('fine', ACME);
  expect(await offline('c/fine.json', '--plugin-path', plugins)).toEqual({ code: 0, out: 'fine: valid\n', err: '' });
  const { code, out } = await offline('c/fine.json', '--plugin-path', plugins, '-o', 'json');
  expect([code, JSON.parse(out)]).toEqual([0, [{ name: 'fine', place: 'c/fine.json', fields: [] }]]);
});

test('a key that is likely a typing error: a warning, exit code 0', async () => {
  document('sink', { ...SINK, file: join(cwd, 'a'), 'erors.tolerance': 'all' });
  document('source', { ...ACME, mod: 'x', 'any.other.key': 'y' });
  const { code, out } = await offline('c', '--plugin-path', plugins);
  expect([code, out]).toEqual([
    0,
    'sink: valid\n  warning: "erors.tolerance" is not a known key; did you mean "errors.tolerance"?\n' +
      'source: valid\n  warning: "mod" is not a known key; did you mean "mode"?\n',
  ]);
});

test('the worker settings are those of --config', async () => {
  document('sink', { ...SINK, file: '/etc/passwd' });
  expect(await offline('c/sink.json')).toMatchObject({ code: 5, out: expect.stringContaining(cwd) });
  write('other.properties', 'task.host=inline\nfile.root=/etc\nplugin.path=plugins\n');
  expect(await offline('c/sink.json', '--config', 'other.properties')).toMatchObject({ code: 0 });
});

test('a class that is not installed here', async () => {
  document('acme', ACME);
  const { code, out, err } = await offline('c/acme.json');
  expect([code, err]).toEqual([5, '']);
  expect(out).toContain(
    '  connector.class = com.acme.AcmeSource: com.acme.AcmeSource is not installed here. Install its package, or name its folder with --plugin-path or with plugin.path of the worker settings.\n',
  );
  expect(out).toMatch(/\n {4}one of: .*FileStreamSinkConnector/);
});

test('a secret is not shown, also in what the plugin reports about another field', async () => {
  document('acme', { ...ACME, mode: 'refused' });
  const { code, out } = await offline('c/acme.json', '--plugin-path', plugins);
  expect([code, out]).toEqual([5, 'acme (c/acme.json): invalid\n  mode = refused: login failed for [hidden]\n']);
});

test('a password that another key shows is not hidden, so that the error stays readable', async () => {
  document('acme', { ...ACME, mode: 'refused', 'api.password': 'refused' });
  const { out } = await offline('c/acme.json', '--plugin-path', plugins);
  expect(out).toBe('acme (c/acme.json): invalid\n  mode = refused: login failed for refused\n');
});

test('a plugin that fails does not end the validation of the others', async () => {
  document('a', { ...ACME, mode: 'throws' });
  document('b', ACME);
  const { code, out } = await offline('c', '--plugin-path', plugins);
  expect(code).toBe(5);
  expect(out).toMatch(/^a \(c\/a\.json\): invalid\n {2}connector\.class = com\.acme\.AcmeSource: .*boom\nb: valid\n$/);
});

test('a class from a config provider', async () => {
  write('p.properties', 'class=com.acme.AcmeSource\n');
  write(
    'w.properties',
    'task.host=inline\nconfig.providers=file\nconfig.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider\n',
  );
  document('a', { ...ACME, 'connector.class': `\${file:${join(cwd, 'p.properties')}:class}` });
  const args = ['c/a.json', '--plugin-path', plugins, '--config', 'w.properties'];
  expect(await offline(...args)).toEqual({ code: 0, out: 'a: valid\n', err: '' });
});

test.each([
  [['--offline', '--url', 'http://a'], '--offline asks no worker: omit --url and --context.'],
  [['--offline', '--context', 'a'], '--offline asks no worker: omit --url and --context.'],
  [['--config', 'w'], '--config and --plugin-path are settings of --offline; a worker validates with its own.'],
  [['--plugin-path', 'p'], '--config and --plugin-path are settings of --offline; a worker validates with its own.'],
])('%j is wrong usage', async (options, message) => {
  document('a', ACME);
  expect(await validate('c/a.json', ...options)).toEqual({
    code: 2,
    out: '',
    err: `millrace: ${message} (CLI_USAGE)\n`,
  });
});
