/** `millrace validate` as a user runs it: on a worker, and with --offline where there is none. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../dev/services/free-port';
import { ROOT } from '../../../dev/services/paths';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';

const PLUGIN = `
exports.source = {
  type: 'source',
  config: [],
  validate: (config) => {
    if (config.mode === 'prints') console.log('printed by a plugin');
    if (config.mode === 'blocks') for (;;);
    if (config.mode === 'exits') process.exit(3);
    return config.mode === 'refused' ? [{ key: 'mode', message: 'It is refused.' }] : [];
  },
  createTask: () => ({ poll: () => null }),
};
`;

let folder: string;
let database: TestDatabase;
let worker: StartedWorker;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-validate-'));
  await mkdir(join(folder, 'plugins', 'acme'), { recursive: true });
  const plugins = [{ type: 'source', class: 'com.acme.AcmeSource', export: 'source' }];
  const manifest = { name: 'acme', version: '1.0.0', main: './index.js', millrace: { plugins } };
  await writeFile(join(folder, 'plugins', 'acme', 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'plugins', 'acme', 'index.js'), PLUGIN);
  database = await TestDatabase.create('CREATE TABLE todos (id int PRIMARY KEY)');
  worker = await startWorker({
    group: uniqueName('validate'),
    settings: {
      'plugin.path': join(folder, 'plugins'),
      'file.root': folder,
    },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function validate(...args: string[]): Promise<Answer> {
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'validate', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}
const offline = (...args: string[]): Promise<Answer> =>
  validate('--offline', '--config', join(worker.folder, 'worker.properties'), ...args);

async function documents(configs: Record<string, Record<string, string>>): Promise<string> {
  const path = await mkdtemp(join(folder, 'documents-'));
  for (const [name, config] of Object.entries(configs))
    await writeFile(join(path, `${name}.json`), JSON.stringify({ name, config }));
  return path;
}

test('--offline answers as the worker does: sources and sinks, valid and not, with a database and without', async () => {
  const acme = { 'connector.class': 'com.acme.AcmeSource' };
  const sink = { 'connector.class': 'FileStreamSink', topics: 't', file: join(folder, 'out') };
  const path = await documents({
    fine: acme,
    refused: { ...acme, mode: 'refused' },
    sink,
    outside: { ...sink, file: '/etc/passwd' },
    'both-topics': { ...sink, 'topics.regex': 'x', transforms: 'a', 'errors.tolerance': 'some' },
    orders: database.sourceConfig(),
    'no-such-database': database.sourceConfig({ 'database.dbname': 'nowhere' }),
    'no-server': database.sourceConfig({ 'database.hostname': '127.0.0.1', 'database.port': String(await freePort()) }),
    'no-slot-name': database.sourceConfig({ 'slot.name': 'No-Slot' }),
  });
  const onWorker = await validate(path, '--url', worker.url);
  expect(onWorker.code).toBe(5);
  for (const name of ['fine', 'sink', 'orders']) expect(onWorker.out).toMatch(new RegExp(`^${name}: valid$`, 'm'));
  expect(onWorker.out.match(/: invalid$/gm)).toHaveLength(6);
  expect(await offline(path)).toEqual(onWorker);
  const asJson = await validate(path, '--url', worker.url, '-o', 'json');
  expect(await offline(path, '-o', 'json')).toEqual(asJson);
});

test('plugin code that blocks or ends its thread is reported, and the others are validated', async () => {
  const acme = { 'connector.class': 'com.acme.AcmeSource' };
  const path = await documents({ a: { ...acme, mode: 'blocks' }, b: acme, c: { ...acme, mode: 'exits' } });
  const { code, out } = await offline(path);
  expect(code).toBe(5);
  expect(out).toMatch(
    /^a \(.*\): invalid\n {2}connector\.class = com\.acme\.AcmeSource: .*validate\(\) in com\.acme\.AcmeSource/m,
  );
  expect(out).toMatch(/^c \(.*\): invalid\n {2}connector\.class = com\.acme\.AcmeSource: /m);
  expect(out).toMatch(/^b: valid$/m);
});

test('output of a plugin is not part of the result', async () => {
  const path = await documents({ a: { 'connector.class': 'com.acme.AcmeSource', mode: 'prints' } });
  const { code, out, err } = await offline(path, '-o', 'json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject([{ name: 'a', fields: [] }]);
  expect(err).toContain('printed by a plugin\n');
});

test('a key that is likely a typing error: a warning of both, and in the log of the worker that stores it', async () => {
  const config = {
    'connector.class': 'FileStreamSink',
    topics: 't',
    file: join(folder, 'out'),
    'erors.tolerance': 'all',
  };
  await writeFile(join(folder, 'typo.json'), JSON.stringify({ name: 'typo', config }));
  const sentence = '"erors.tolerance" is not a known key; did you mean "errors.tolerance"?';
  const expected = { code: 0, out: `typo: valid\n  warning: ${sentence}\n` };
  expect(await validate('typo.json', '--url', worker.url)).toMatchObject(expected);
  expect(await offline('typo.json')).toMatchObject(expected);
  await worker.register({ name: 'typo', config });
  expect(worker.process.log()).toContain(`Config of connector typo: ${sentence}`);
});
