/** `millrace dev --registry`, in separate processes: schemas are kept, and a data folder has one registry. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../dev/services/free-port';
import type { StartedWorker } from '../../../dev/services/worker';
import { waitFor } from '../../helpers/wait-for';
import { asking } from '../../schema-registry/registry-client';
import { dev, millrace } from './dev-process';

let folder: string;
const running: StartedWorker[] = [];
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-dev-registry-'))));
afterEach(async () => {
  for (const worker of running.splice(0).reverse()) await worker.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function started(args: readonly string[]): Promise<StartedWorker> {
  const worker = await dev(['--data-dir', folder, '--broker-port', '0', ...args]);
  running.push(worker);
  await worker.ready();
  return worker;
}

const SCHEMA = '{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}';

test('subjects, versions, ids and settings are there after a stop and after a kill', async () => {
  const port = await freePort();
  const ask = asking(`http://127.0.0.1:${port}`);
  const first = await started(['--registry', String(port)]);
  expect(await ask('POST', '/subjects/s/versions', { schema: '"string"' })).toEqual({ status: 200, body: { id: 1 } });
  expect(await ask('POST', '/subjects/t/versions', { schema: SCHEMA })).toEqual({ status: 200, body: { id: 2 } });
  expect((await ask('PUT', '/config/t', { compatibility: 'FULL' })).status).toBe(200);
  process.kill(first.pid, 'SIGTERM');
  expect(await first.exited()).toBe(0);
  expect(first.process.log()).toContain(`value.converter.schema.registry.url=http://127.0.0.1:${port}`);
  expect(first.process.log()).toContain('Millrace has stopped');

  const second = await started(['--registry', String(port)]);
  expect((await ask('GET', '/subjects/t/versions/latest')).body).toEqual({
    subject: 't',
    version: 1,
    id: 2,
    schema: SCHEMA,
  });
  expect((await ask('POST', '/subjects/u/versions', { schema: '"long"' })).body).toEqual({ id: 3 });
  await second.crash();
  await started(['--registry', String(port)]);
  expect((await ask('GET', '/config/t')).body).toEqual({ compatibilityLevel: 'FULL' });
  expect((await ask('GET', '/subjects')).body).toEqual(['s', 't', 'u']);
  expect((await ask('POST', '/subjects/u/versions', { schema: '"long"' })).body).toEqual({ id: 3 });
  expect((await ask('POST', '/subjects/v/versions', { schema: '"int"' })).body).toEqual({ id: 4 });
});

test('a connector with the printed settings writes Avro, with its schema in the registry, and a sink reads it', async () => {
  const port = await freePort();
  const worker = await started(['--registry', String(port)]);
  await waitFor('the printed settings', () => worker.process.log().includes('value.converter.schema.registry.url='));
  const settings = Object.fromEntries(
    [...worker.process.log().matchAll(/Avro: +([\w.]+)=(\S+)/g)].map(([, key, value]) => [key, value]),
  ) as Record<string, string>;
  expect(Object.keys(settings)).toEqual(['value.converter', 'value.converter.schema.registry.url']);
  const lines = join(folder, 'lines.txt');
  const copy = join(folder, 'copy.txt');
  writeFileSync(lines, 'one\ntwo\n');
  const source = { 'connector.class': 'FileStreamSource', file: lines, topic: 'lines' };
  const sink = { 'connector.class': 'FileStreamSink', file: copy, topics: 'lines' };
  await worker.register({ name: 'source', config: { ...source, ...settings } });
  await worker.register({
    name: 'sink',
    config: { ...sink, ...settings, 'consumer.override.auto.offset.reset': 'earliest' },
  });
  await waitFor('both lines in the copy', () => existsSync(copy) && readFileSync(copy, 'utf8') === 'one\ntwo\n', {
    detail: () => worker.process.log().slice(-4000),
  });
  const { body } = await asking(`http://127.0.0.1:${port}`)('GET', '/subjects/lines-value/versions/latest');
  expect(body).toEqual({ subject: 'lines-value', version: 1, id: 1, schema: '"string"' });
});

test('a large schema is stored', async () => {
  const port = await freePort();
  const ask = asking(`http://127.0.0.1:${port}`);
  await started(['--registry', String(port)]);
  const schema = JSON.stringify({ type: 'string', doc2: '"'.repeat(240_000) });
  expect(await ask('POST', '/subjects/s/versions', { schema })).toEqual({ status: 200, body: { id: 1 } });
  expect((await ask('GET', '/schemas/ids/1')).body).toEqual({ schema });
});

test('another process on the same data folder does not run a second registry', async () => {
  await started(['--registry', '0']);
  const args = ['dev', '--port', '0', '--broker-port', '0', '--data-dir', folder, '--registry', '0'];
  const second = millrace(args);
  running.push(second);
  expect(await second.exited()).toBe(1);
  expect(second.process.log()).toContain('Start that one with --registry, or use another folder with --data-dir');
});
