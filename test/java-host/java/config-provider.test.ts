/** A worker with a config provider that only a jar has. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { builtJavaHost } from '../../../dev/services/java-host';
import { findJava } from '../../../dev/services/kafka-jars';
import { type StartedWorker, startWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { JarFolders, service } from '../discovery/jars';

const CLASS = 'com.acme.VaultConfigProvider';
const SECRET = 'from-the-vault-4711';

let worker: StartedWorker;
let clients: Clients;
let folder: string;
const plugins = new JarFolders();
beforeAll(async () => {
  const [java, host] = await Promise.all([findJava('The Java host'), builtJavaHost()]);
  folder = mkdtempSync(join(tmpdir(), 'provider-'));
  const javac = java === 'java' ? 'javac' : join(dirname(java), 'javac');
  const source = join(__dirname, 'VaultConfigProvider.java');
  execFileSync(javac, ['--release', '17', '-cp', join(host, 'api', '*'), '-d', folder, source]);
  const file = `${CLASS.replaceAll('.', '/')}.class`;
  plugins.add('vault/vault-1.0.jar', {
    ...service('config_provider', CLASS),
    [file]: readFileSync(join(folder, file)),
  });
  clients = new Clients();
  worker = await startWorker({
    group: uniqueName('provider'),
    settings: {
      'plugin.path': plugins.root,
      'config.providers': 'vault',
      'config.providers.vault.class': CLASS,
      'config.providers.vault.param.file': join(folder, SECRET),
      'config.providers.vault.param.missing': join(folder, `missing-${SECRET}`),
    },
  });
  await worker.ready();
}, 300_000);
afterAll(async () => {
  await worker.stop();
  await clients.close();
  rmSync(folder, { recursive: true });
  plugins.remove();
});

function jvms(): number[] {
  const processes = execFileSync('ps', ['-e', '-o', 'ppid=,pid=,comm='], { encoding: 'utf8' });
  const all = [...processes.matchAll(/^ *(\d+) +(\d+) java$/gm)].map(([, parent, pid]) => [
    Number(parent),
    Number(pid),
  ]);
  return all.flatMap(([parent, pid]) => (parent === worker.pid ? [pid as number] : []));
}

test('its JVM starts at the first placeholder, and is replaced when it has ended; values are not shown', async () => {
  expect(jvms()).toEqual([]);
  const topic = await clients.topic();
  writeFileSync(join(folder, SECRET), 'one\n');
  const config = { 'connector.class': 'FileStreamSource', topic, file: '${vault:file}', header: '${vault:pid:x}' };
  await worker.register({ name: 'files', config });
  await worker.running('files');
  const [first] = jvms();
  expect(first).toBeDefined();
  await clients.end(topic, 1);
  expect(JSON.stringify((await worker.request('GET', '/connectors/files')).json)).not.toContain(SECRET);

  process.kill(first as number, 'SIGKILL');
  expect((await worker.request('POST', '/connectors/files/restart?includeTasks=true')).status).toBeLessThan(300);
  await waitFor('another JVM', () => jvms().some((pid) => pid !== first));
  await worker.running('files');
}, 120_000);

test('an exception of the provider is the answer, without a trace of values', async () => {
  const config = {
    name: 'x',
    'connector.class': 'FileStreamSource',
    topic: '${vault:denied:x}',
    file: '${vault:file}',
  };
  const { status, json } = await worker.request('PUT', '/connector-plugins/FileStreamSource/config/validate', config);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify(json)).toContain('access to denied is denied');
  expect(JSON.stringify(json)).not.toContain(SECRET);
}, 60_000);

test('a log line that quotes a value has the placeholder in its place', async () => {
  const topic = await clients.topic();
  const config = { 'connector.class': 'FileStreamSource', topic, file: '${vault:missing}' };
  await worker.register({ name: 'missing', config });
  await waitFor('the line', () => worker.process.log().includes('${vault:missing}'), {
    detail: () => worker.process.log().slice(-2000),
  });
  expect(worker.process.log()).not.toContain(SECRET);
}, 60_000);
