/** `millrace dev --seed`: a database and the demo's connectors, from nothing, and after a kill. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StartedWorker } from '../../../dev/services/worker';
import { isRunning } from '../../helpers/is-running';
import { waitFor } from '../../helpers/wait-for';
import { dev, millrace } from './dev-process';

let folder: string;
let data: string;
const running: StartedWorker[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-seed-'));
  // PostgreSQL does not run as root, so another user must reach it.
  chmodSync(folder, 0o755);
  data = join(folder, 'data');
});
afterEach(async () => {
  for (const worker of running.splice(0).reverse()) await worker.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function seeded(env: Readonly<Record<string, string>> = {}): Promise<StartedWorker> {
  const quick = { CONNECT_OFFSET_FLUSH_INTERVAL_MS: '200', CONNECT_SESSION_TIMEOUT_MS: '6000' };
  const worker = await dev(['--seed', '--data-dir', data, '--broker-port', '0'], { ...quick, ...env });
  running.push(worker);
  await worker.ready();
  return worker;
}
const logs = async (worker: StartedWorker, what: string): Promise<unknown> =>
  await waitFor(`${what} in the log`, () => worker.process.log().includes(what), {
    detail: () => worker.process.log().slice(-4000),
  });
const events = (): string[] =>
  readFileSync(join(data, 'todos.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { op, after } = JSON.parse(line) as { op: string; after: { description: string } };
      return `${op} ${after.description}`;
    });
const postgresPid = (): number =>
  Number(readFileSync(join(data, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
const shown = (worker: StartedWorker, purpose: string): string =>
  new RegExp(`^ {2}${purpose}: +(.*)$`, 'm').exec(worker.process.log())?.[1] as string;
const inShell = (command: string): string =>
  execFileSync('/bin/sh', ['-c', command], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  }).toString();

test('from nothing to the first event; the shown commands work; killed, all of it ends, and another start resumes', async () => {
  const first = await seeded();
  await logs(first, 'First event of topic fulfillment.public.todos');
  inShell(shown(first, 'Insert a row'));
  await waitFor('its event', () => events().includes('c show Millrace to a friend'));
  expect(events().slice(0, 2)).toEqual(['r water the plants', 'r read the manual']);
  expect(inShell(shown(first, 'See its event'))).toContain('show Millrace to a friend');
  expect(JSON.parse(inShell(shown(first, 'Status')))).toMatchObject({ connector: { state: 'RUNNING' } });
  const { config } = (await first.request('GET', '/connectors/todos-source')).json as { config: unknown };
  expect(first.process.log()).not.toContain((config as Record<string, string>)['database.password']);
  // Our own samples cause none.
  const warnings = first.process.log().match(/^.* (?:WARN|ERROR) .*$/gm);
  expect(warnings).toEqual([expect.stringContaining('use Apache Kafka in production')]);
  expect(first.process.log()).toContain(`Millrace is ready: console ${first.url}/ui, REST ${first.url}, Kafka 127`);

  const pid = postgresPid();
  await first.crash();
  await waitFor('PostgreSQL to end with its worker', () => !isRunning(pid));

  await first.process.stop();
  const again = await seeded();
  await logs(again, 'Millrace is ready');
  expect((await again.request('GET', '/connectors/todos-source')).json).toMatchObject({ config });
  await again.running('todos-source');
  await again.running('todos-file-sink');
  inShell(shown(again, 'Insert a row').replace('show Millrace', 'return'));
  await waitFor('its event', () => events().includes('c return to a friend'));
  // The table was not created again, and the snapshot was not repeated.
  expect(events().filter((event) => event === 'r water the plants')).toHaveLength(1);
});

test('a second worker uses the same database, and its end leaves it running', async () => {
  const first = await seeded();
  // Before that, the second worker may be the one that starts the database.
  await logs(first, 'Millrace is ready');
  const second = await seeded();
  await logs(second, 'Millrace is ready');
  const pid = postgresPid();
  expect(await second.stop()).toBe(0);
  running.pop();
  expect(isRunning(pid)).toBe(true);
  await first.running('todos-source');
  expect(await first.stop()).toBe(0);
  running.pop();
  expect(isRunning(pid)).toBe(false);
});

test('a port that another program has taken is named with a cure, and that program is left alone', async () => {
  const other = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  execFileSync('mkdir', ['-p', join(data, 'postgres')]);
  writeFileSync(join(data, 'postgres', 'server.json'), JSON.stringify({ port, password: 'p' }));
  const worker = millrace(['dev', '--seed', '--port', '0', '--broker-port', '0', '--data-dir', data]);
  running.push(worker);
  expect(await worker.exited()).toBe(1);
  expect(worker.process.log()).toMatch(
    new RegExp(
      `^millrace: PostgreSQL cannot start: port ${port} of 127\\.0\\.0\\.1, .*start over\\. \\(DEV_POSTGRES\\)$`,
      'm',
    ),
  );
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here');
  other.close();
});

test('--sql without a database says how to get one', async () => {
  const worker = millrace(['dev', '--sql', 'SELECT 1', '--data-dir', data]);
  running.push(worker);
  expect(await worker.exited()).toBe(3);
  expect(worker.process.log()).toBe(
    `millrace: There is no database in ${data}/postgres: start one with millrace dev --seed. (DEV_POSTGRES_ABSENT)\n`,
  );
});
