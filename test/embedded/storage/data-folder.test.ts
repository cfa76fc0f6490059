/** A data folder has one broker at a time, and one that cannot be used is refused in one sentence. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokerStartError, readRunningBroker } from '../../../packages/embedded/src';
import { linesOf } from '../../helpers/lines-of';
import { brokers } from '../broker-harness';

const ROOT = join(__dirname, '..', '..', '..');
const PROGRAM = `
  const { startEmbeddedBroker } = require('./packages/embedded/src');
  startEmbeddedBroker({ dataDir: process.argv[1] }).then((broker) => console.log(broker.port));
`;
const start = brokers();
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'embedded-folder-'))));
const children: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  rmSync(folder, { recursive: true });
});

async function refusal(options: Parameters<typeof start>[0]): Promise<BrokerStartError> {
  const error: unknown = await start(options).then(
    () => new Error('it started'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BrokerStartError);
  return error as BrokerStartError;
}

test('lock: a second broker is refused with the address of the first; after its end the folder is free', async () => {
  const dataDir = join(folder, 'data');
  const first = await start({ dataDir });
  expect(await refusal({ dataDir })).toMatchObject({
    code: 'DATA_FOLDER_IN_USE',
    message: `The data folder ${dataDir} is in use by another broker.`,
  });
  const { bootstrapServers, clusterId } = first;
  expect(readRunningBroker(dataDir)).toEqual({ pid: process.pid, bootstrapServers, clusterId });
  // Other users cannot read records.
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  await first.stop();
  expect(readRunningBroker(dataDir)).toBeNull();
  expect((await start({ dataDir })).clusterId).toBe(clusterId);
});

/** @returns the first line of its output: the port, or why it could not start */
async function startProcess(program: string, env = process.env): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, ['-r', './dev/register.js', '-e', program, folder], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return { child, line: await linesOf(child.stdout)() };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

test('lock: a killed broker releases it, and its address is removed by the next owner', async () => {
  const { child, line: port } = await startProcess(PROGRAM);
  expect(readRunningBroker(folder)).toMatchObject({ pid: child.pid, bootstrapServers: `127.0.0.1:${port}` });
  expect((await refusal({ dataDir: folder })).code).toBe('DATA_FOLDER_IN_USE');
  await kill(child);
  expect(readRunningBroker(folder)?.pid).toBe(child.pid);
  await start({ dataDir: folder });
  expect(readRunningBroker(folder)?.pid).toBe(process.pid);
});

test('lock: of brokers that start at the same time, one gets the folder', async () => {
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => start({ dataDir: folder })));
  const refused = results.flatMap((result) =>
    result.status === 'rejected' ? [(result.reason as BrokerStartError).code] : [],
  );
  expect(refused).toEqual(Array(7).fill('DATA_FOLDER_IN_USE'));
});

test('lock: a suspended process keeps it', async () => {
  const { child } = await startProcess(PROGRAM);
  child.kill('SIGSTOP');
  expect((await refusal({ dataDir: folder })).code).toBe('DATA_FOLDER_IN_USE');
  await kill(child);
  await start({ dataDir: folder });
});

test('lock: a child process of the owner does not keep it', async () => {
  const { child, line: pid } = await startProcess(`
    const { startEmbeddedBroker } = require('./packages/embedded/src');
    const { spawn } = require('node:child_process');
    startEmbeddedBroker({ dataDir: process.argv[1] }).then(() => {
      console.log(spawn('sleep', ['600'], { stdio: 'ignore', detached: true }).pid);
    });
  `);
  await kill(child);
  try {
    await start({ dataDir: folder });
  } finally {
    process.kill(Number(pid));
  }
});

test('without the program flock, the folder cannot be locked', async () => {
  const program = PROGRAM.replace('.then(', '.catch((error) => ({ port: `${error.code} ${error.message}` })).then(');
  const { line } = await startProcess(program, { ...process.env, PATH: folder });
  const reason = 'the program flock is not installed (package util-linux or BusyBox)';
  expect(line).toBe(`DATA_FOLDER_UNUSABLE The data folder ${folder} cannot be used: ${reason}.`);
});

test('port in use: the error names it, and the folder is free again', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  expect(await refusal({ dataDir: folder, port })).toMatchObject({
    code: 'PORT_UNAVAILABLE',
    message: `Port ${port} of 127.0.0.1 is already in use.`,
    cause: { code: 'EADDRINUSE' },
  });
  other.close();
  await start({ dataDir: folder });
});

test.each([
  ['a newer format', 'topics.json', '{"version":2}', /cannot be read: .*topics\.json was written by another version/],
  ['a torn index', 'topics.json', '{"version":1,"top', /cannot be read: .*JSON/],
  [
    'logs of another program',
    'logs/web/access.log',
    'GET /',
    /contains files that no broker has written; choose an empty or new folder/,
  ],
  ['another program’s file of that name', 'groups.log', 'x', /contains files that no broker has written/],
])('a folder with %s is refused and left as it is', async (_, file, content, reason) => {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), content);
  expect(await refusal({ dataDir: folder })).toMatchObject({
    code: 'DATA_FOLDER_UNUSABLE',
    message: expect.stringMatching(reason),
  });
  expect(existsSync(join(folder, file))).toBe(true);
});

test('a folder that cannot be created or written', async () => {
  writeFileSync(join(folder, 'file'), '');
  const error = await refusal({ dataDir: join(folder, 'file', 'data') });
  expect(error.code).toBe('DATA_FOLDER_UNUSABLE');
  expect(error.message).toMatch(/^The data folder .*\/file\/data cannot be used: ENOTDIR/);
  // Root may write anywhere.
  if (process.getuid?.() === 0) return;
  chmodSync(folder, 0o500);
  expect((await refusal({ dataDir: folder })).message).toMatch(/cannot be used: EACCES/);
  chmodSync(folder, 0o700);
});

test('a folder that was refused for its files is not locked', async () => {
  mkdirSync(join(folder, 'broker.json'));
  expect((await refusal({ dataDir: folder })).code).toBe('DATA_FOLDER_UNUSABLE');
  rmdirSync(join(folder, 'broker.json'));
  await start({ dataDir: folder });
});

test('a broker in memory creates no folder', async () => {
  await start({ memory: true, dataDir: join(folder, 'data') });
  expect(readdirSync(folder)).toEqual([]);
});
