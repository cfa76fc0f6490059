/** The command of the unit file runs a worker, in the environment that systemd would give it. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../dev/services/free-port';
import { KeptProcess } from '../../../dev/services/kept-process';
import { ROOT } from '../../../dev/services/paths';
import { startedWorker } from '../../../dev/services/worker';
import { ENVIRONMENT_FILE, environmentFileOf, environmentOf, readUnit } from './unit-file';
import { uniqueName } from '../../helpers/unique-name';

test('ExecStart runs a worker whose password is a credential, and SIGTERM ends it with 0', async () => {
  const unit = readUnit();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-systemd-'));
  const [etc, credentials, runtime] = ['etc', 'credentials', 'runtime'].map((name) => join(folder, name)) as string[];
  for (const path of [etc, credentials, runtime]) await mkdir(path as string);
  const port = await freePort();
  const group = uniqueName('systemd');
  const settings = {
    'bootstrap.servers': process.env.BOOTSTRAP_SERVERS,
    'group.id': group,
    'response.http.headers.config': 'set X-Secret: ${file:/run/credentials/millrace.service/secrets.properties:header}',
    'config.providers': 'file',
    'config.providers.file.class': 'org.apache.kafka.common.config.provider.FileConfigProvider',
    'config.providers.file.param.allowed.paths': '/run/credentials/millrace.service',
    ...Object.fromEntries(['config', 'offset', 'status'].map((kind) => [`${kind}.storage.topic`, `${group}-${kind}`])),
    ...Object.fromEntries(['config', 'offset', 'status'].map((kind) => [`${kind}.storage.replication.factor`, '-1'])),
    'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    listeners: `http://127.0.0.1:${port}`,
  };
  // What systemd would mount and copy is in the test's folder.
  const moved = (text: string): string =>
    text
      .replaceAll('/etc/millrace', etc as string)
      .replaceAll('/run/credentials/millrace.service', credentials as string);
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
  await writeFile(join(etc as string, 'worker.properties'), moved(lines.join('')));
  await writeFile(join(etc as string, 'secrets.properties'), 'header=from-the-credential\n');
  const [id = '', source = ''] = unit.get('LoadCredential')?.[0]?.split(':') ?? [];
  await writeFile(join(credentials as string, id), await readFile(moved(source)));

  const [command, ...args] = (unit.get('ExecStart')?.[0] ?? '').split(' ').map(moved);
  expect(command).toBe('millrace');
  const { bin } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { bin: { millrace: string } };
  const env = {
    PATH: process.env.PATH,
    ...environmentOf(unit),
    ...environmentFileOf(await readFile(ENVIRONMENT_FILE, 'utf8')),
  };
  const started = new KeptProcess({
    command: process.execPath,
    args: [join(ROOT, bin.millrace), ...args],
    folder: runtime as string,
    signal: 'TERM',
    env,
  });
  const worker = startedWorker(`http://127.0.0.1:${port}`, runtime as string, started);
  try {
    await worker.ready();
    const { json, headers } = await worker.request('GET', '/');
    expect(json).toMatchObject({ kafka_cluster_id: expect.any(String) });
    expect(headers.get('X-Secret')).toBe('from-the-credential');
    expect(worker.process.log()).not.toContain('from-the-credential');
  } finally {
    expect(await worker.stop()).toBe(0);
    await rm(folder, { recursive: true });
  }
});
