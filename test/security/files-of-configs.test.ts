/** Paths in a config that name a pipe or a device: each would block a thread forever, or fill the memory. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type Answer, type StartedWorker } from '../../dev/services/worker';
import { uniqueName } from '../helpers/unique-name';

const folder = mkdtempSync(join(tmpdir(), 'millrace-paths-'));
const pipe = join(folder, 'pipe');
/** More than the threads that read files. */
const TIMES = 6;
let worker: StartedWorker;

beforeAll(async () => {
  execFileSync('mkfifo', [pipe]);
  worker = await startWorker({
    group: uniqueName('files-of-configs'),
    settings: { 'config.providers': 'file', 'config.providers.file.class': 'FileConfigProvider' },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker.stop();
  rmSync(folder, { recursive: true, force: true });
});

const PLACES = [pipe, '/dev/ptmx', '/dev/zero', '/proc/self/fd/1', '/proc/self/environ', join(folder, 'missing')];
const validate = async (plugin: string, config: Record<string, string>): Promise<Answer> =>
  await worker.request('PUT', `/connector-plugins/${plugin}/config/validate`, {
    name: uniqueName('files'),
    'connector.class': plugin,
    ...config,
  });
async function often(send: () => Promise<Answer>): Promise<Set<string>> {
  const answers = await Promise.all(Array.from({ length: TIMES }, send));
  return new Set(answers.map(({ status, body }) => `${status} ${body}`));
}

test.each(PLACES)('TLS files of the PostgreSQL source: %s is not read', async (place) => {
  const database = {
    'topic.prefix': 't',
    'database.hostname': '127.0.0.1',
    'database.port': '1',
    'database.user': 'u',
  };
  const files = { 'database.sslmode': 'verify-ca', 'database.sslrootcert': place };
  for (const answer of await often(() =>
    validate('PostgresConnector', { ...database, 'database.password': 'p', 'database.dbname': 'd', ...files }),
  ))
    expect(answer).toContain(`Could not open SSL root certificate file ${place}. It must be a regular file`);
});

test.each(PLACES.slice(0, 3))('config providers: %s is not read', async (place) => {
  for (const answer of await often(() =>
    validate('FileStreamSinkConnector', { topics: 't', file: `\${file:${place}:key}` }),
  ))
    expect(answer).toContain(`Could not read properties from file ${place}: it is not a regular file`);
});

test('afterwards, files are read, and SIGTERM ends the worker', async () => {
  const answer = await validate('FileStreamSinkConnector', {
    topics: 't',
    file: `\${file:${join(worker.folder, 'worker.properties')}:group.id}`,
  });
  expect(answer.json).toMatchObject({ error_count: 0 });
  expect(await worker.stop()).toBe(0);
});
