/** `millrace doctor --deadline` with servers that accept connections and never answer. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../dev/services/paths';
import { writeProperties } from '../../../dev/services/worker';
import { runCli } from '../../../src/cli/cli';
import type { Report } from '../../../src/cli/verbs/doctor/report';
import { FakeIo } from '../../cli/fake-io';
import { uniqueName } from '../../helpers/unique-name';

let folder: string;
let silent: Server;
let port: number;
const sockets = new Set<Socket>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-deadline-'));
  silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  ({ port } = silent.address() as AddressInfo);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await rm(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number;
  readonly report: Report;
}

/** Repeats with a longer deadline until Kafka, which answers, is checked in time: a busy machine takes longer. */
async function withKafkaInTime(run: (seconds: number) => Promise<Outcome>): Promise<Outcome & { seconds: number }> {
  for (const seconds of [2, 16, 64]) {
    const outcome = await run(seconds);
    if (outcome.report.checked.some(({ subject }) => subject === 'Kafka')) return { ...outcome, seconds };
  }
  throw new Error('Kafka was not checked within 64 s');
}

async function doctor(seconds: number, settings: Record<string, string> = {}): Promise<Outcome> {
  const config = await writeProperties(await mkdtemp(join(folder, 'w-')), 1, { group: uniqueName('doctor'), settings });
  const io = new FakeIo(folder, { HOME: folder });
  const args = [
    'doctor',
    '--config',
    config,
    '--url',
    `http://127.0.0.1:${port}`,
    '--deadline',
    String(seconds),
    '-o',
    'json',
  ];
  const code = await runCli(args, io);
  expect(io.err).toBe('');
  return { code, report: JSON.parse(io.out) as Report };
}

const NO_WORKER = 'http://127.0.0.1:1';

/** The installed command: a plugin thread needs compiled files, and a thread that reads must not keep its process. */
async function installed(...args: string[]): Promise<Outcome> {
  const command = [join(ROOT, 'dist', 'main.js'), 'doctor', ...args, '-o', 'json'];
  const env = { PATH: process.env.PATH, HOME: folder };
  const { stdout, code } = await promisify(execFile)(process.execPath, command, { env, cwd: folder }).then(
    (answer) => ({ ...answer, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );
  return { code, report: JSON.parse(stdout) as Report };
}

/** Nothing is ever written to it. */
async function pipe(name: string): Promise<string> {
  await promisify(execFile)('mkfifo', [join(folder, name)]);
  return join(folder, name);
}

const late = ({ findings }: Report): string[] =>
  findings.filter(({ code }) => code === 'DOCTOR_DEADLINE').map(({ severity, message }) => `${severity} ${message}`);

test('a REST API that never answers is named in one finding', async () => {
  const { code, report, seconds } = await withKafkaInTime(doctor);
  expect(late(report)).toEqual([
    `unchecked Not checked within the ${seconds} s of --deadline: REST API http://127.0.0.1:${port}.`,
  ]);
  expect(report.findings.map(({ code: of }) => of)).not.toContain('REST_UNREACHABLE');
  expect(report.checked.map(({ subject }) => subject)).toEqual(['Kafka']);
  expect(code).toBe(0);
});

test('Kafka that never answers leaves no time for the rest: one finding names both, exit code 3', async () => {
  const { code, report } = await doctor(1, { 'bootstrap.servers': `127.0.0.1:${port}` });
  expect(report.findings.map(({ code: of }) => of)).toEqual(['DOCTOR_DEADLINE']);
  expect(late(report)).toEqual([
    `unchecked Not checked within the 1 s of --deadline: Kafka, REST API http://127.0.0.1:${port}.`,
  ]);
  expect(code).toBe(3);
});

test('a database that never answers: its connector is named, also with a short deadline', async () => {
  const document = join(folder, 'orders.json');
  const database = { hostname: '127.0.0.1', port: String(port), user: 'u', password: 'p', dbname: 'd' };
  const keys = Object.entries(database).map(([key, value]) => [`database.${key}`, value] as const);
  const config = {
    'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
    'topic.prefix': 'shop',
    ...Object.fromEntries(keys),
  };
  await writeFile(document, JSON.stringify({ name: 'orders', config }));
  const properties = await writeProperties(await mkdtemp(join(folder, 'w-')), 1, { group: uniqueName('doctor') });
  const args = [document, '--config', properties, '--url', NO_WORKER, '--deadline'];
  const { report, seconds } = await withKafkaInTime(async (given) => await installed(...args, String(given)));
  expect(late(report)).toEqual([`unchecked Not checked within the ${seconds} s of --deadline: connector orders.`]);
  expect(report.findings.filter(({ subject }) => subject === 'connector orders')).toEqual([]);
});

test('worker settings in a pipe that no process writes to', async () => {
  const { code, report } = await installed('--config', await pipe('settings'), '--url', NO_WORKER, '--deadline', '1');
  expect(report.findings).toHaveLength(1);
  expect(late(report)).toEqual([
    `unchecked Not checked within the 1 s of --deadline: worker settings, Kafka, REST API ${NO_WORKER}.`,
  ]);
  expect(code).toBe(3);
});

test('a config provider reads no pipe, so nothing is late', async () => {
  const settings = {
    'config.providers': 'file',
    'config.providers.file.class': 'FileConfigProvider',
    'client.id': `\${file:${await pipe('secrets')}:id}`,
  };
  const file = await writeProperties(await mkdtemp(join(folder, 'w-')), 1, { group: uniqueName('doctor'), settings });
  const { report } = await installed('--config', file, '--url', NO_WORKER, '--deadline', '60');
  expect(late(report)).toEqual([]);
  expect(JSON.stringify(report.findings)).toContain('is not a regular file');
});

test('a document in such a pipe', async () => {
  const { code, report } = await installed(await pipe('document.json'), '--url', NO_WORKER, '--deadline', '1');
  expect(late(report)).toEqual([expect.stringContaining('of --deadline: connector documents, Kafka')]);
  expect(code).toBe(3);
});
