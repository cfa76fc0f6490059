/**
 * Attacks on a worker with exactly the settings of worker.properties and compose.yaml: by a web page in a browser on
 * its network, and by a file connector.
 */
import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '../../dev/services/free-port';
import { ROOT } from '../../dev/services/paths';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { parseProperties } from '../../packages/texts/src/properties';
import { httpCall, type HttpAnswer } from '../helpers/http-call';
import { uniqueName } from '../helpers/unique-name';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
/** They name the broker and the group, which are those of the test. */
const OWN = /^(BOOTSTRAP_SERVERS|GROUP_ID|\w+_STORAGE_TOPIC|CONNECT_REST_ADVERTISED_HOST_NAME)$/;
const SHARED = /^(bootstrap\.servers|group\.id|\w+\.storage\.topic)$/;

let worker: StartedWorker;
let port: number;
beforeAll(async () => {
  port = await freePort();
  const { environment } = parse(read('compose.yaml')).services.worker;
  const env = Object.fromEntries(Object.entries<string>(environment).filter(([name]) => !OWN.test(name)));
  const shipped = parseProperties(read('worker.properties'));
  const settings = {
    ...Object.fromEntries(Object.entries(shipped).filter(([name]) => !SHARED.test(name))),
    listeners: (shipped.listeners ?? '').replace(':8083', `:${port}`),
  };
  worker = await startWorker({ group: uniqueName('shipped'), settings, port, env });
  await mkdir(join(worker.folder, 'files'));
  await worker.ready();
});
afterAll(async () => await worker?.stop());

const call = async (method: string, path: string, headers: Record<string, string>, body = ''): Promise<HttpAnswer> =>
  await httpCall(worker.url + path, {
    method,
    headers: { 'Content-Length': String(Buffer.byteLength(body)), ...headers },
    body,
  });

test('a page that rebinds its name to the worker reads nothing and registers nothing', async () => {
  const rebound = { Host: `attacker.example:${port}`, Origin: `http://attacker.example:${port}` };
  const sink = { name: 'lured', config: { 'connector.class': 'FileStreamSink', topics: 't', file: 'files/x' } };
  const post = await call(
    'POST',
    '/connectors',
    { ...rebound, 'Content-Type': 'application/json' },
    JSON.stringify(sink),
  );
  expect(post.status).toBe(403);
  for (const path of ['/connectors?expand=info', '/metrics', '/ui'])
    expect([path, (await call('GET', path, rebound)).status]).toEqual([path, 403]);
  expect((await worker.request('GET', '/connectors')).json).toEqual([]);
  expect(worker.process.log()).not.toContain('REST_HOSTS_UNCHECKED');
});

test('clients, other workers, probes and scrapers are served by the names and addresses that they use', async () => {
  for (const host of [`localhost:${port}`, `worker:${port}`, `127.0.0.1:${port}`, '10.1.2.3:8083', '[fd00::1]:8083'])
    for (const path of ['/', '/health', '/connectors', '/metrics'])
      expect([host, path, (await call('GET', path, { Host: host })).status]).toEqual([host, path, 200]);
});

test('a file connector reads neither settings nor variables, by any path, and may use its folder', async () => {
  await symlink('..', join(worker.folder, 'files', 'out'));
  const outside = [
    'worker.properties',
    'files/../worker.properties',
    'files/out/worker.properties',
    join(worker.folder, 'worker.properties'),
    '/proc/self/environ',
  ];
  for (const file of outside) {
    const config = { 'connector.class': 'FileStreamSource', topic: 't', file };
    const answer = await worker.request('POST', '/connectors', { name: 'thief', config });
    expect([file, answer.status, answer.json.message]).toEqual([
      file,
      400,
      expect.stringContaining('is outside of files'),
    ]);
  }
  const config = { 'connector.class': 'FileStreamSink', topics: uniqueName('topic'), file: 'files/lines.txt' };
  await worker.register({ name: 'sink', config });
  await worker.running('sink');
});
