/** The stopwatch of a stranger: from an empty folder to the first event, with the commands of the README. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packPackages } from '../../../dev/packages/pack-packages';
import { freePort } from '../../../dev/services/free-port';
import { waitFor } from '../../helpers/wait-for';
import { ForegroundCommand, processesOf } from './foreground';
import { execute, Installation, textOf } from './installation';

const installation = new Installation();
const started: ForegroundCommand[] = [];
afterAll(async () => {
  for (const command of started) command.kill();
  await installation.remove();
});

/** As written. Only the ports are chosen, by the environment, because other tests run at the same time. */
async function seeded(): Promise<ForegroundCommand> {
  const ports = { CONNECT_LISTENERS: `http://127.0.0.1:${await freePort()}`, CONNECT_EMBEDDED_PORT: '0' };
  const { place, env, folder } = installation;
  const command = new ForegroundCommand({ place, env: { ...env, ...ports } }, folder, [
    'npx',
    ...['millrace', 'dev', '--seed'],
  ]);
  started.push(command);
  return command;
}

/** The command that the ready text shows, character for character. */
const shown = async (dev: ForegroundCommand, purpose: string) =>
  (await dev.prints(new RegExp(`^ {2}${purpose}: +(.+)$`, 'm')))[1]!;
const inShell = async (command: string) => await execute('/bin/sh', ['-c', command], installation.folder);

interface Event {
  readonly op: string;
  readonly after: { readonly id: number; readonly description: string };
}
const eventsIn = (file: string): string[] =>
  textOf(file)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event)
    .map(({ op, after }) => `${op} ${after.id} ${after.description}`);

async function statusIsRunning(command: string): Promise<void> {
  await waitFor('the connector and its task to run', async () => {
    const { connector, tasks } = JSON.parse((await inShell(command)).stdout);
    return connector.state === 'RUNNING' && tasks[0]?.state === 'RUNNING';
  });
}

async function ctrlC(dev: ForegroundCommand): Promise<void> {
  dev.pressCtrlC();
  // npm repeats the signal that ended its shell; if the shell has replaced itself by the worker, npm has its 0.
  expect([0, 130]).toContain(await dev.exitStatus());
  expect(dev.log()).toMatch(/Millrace has stopped\n$/);
  // At the prompt of the shell, nothing is left: neither npm, the worker with its broker, nor PostgreSQL.
  expect(processesOf(installation.folder)).toEqual([]);
}

test('npm install, npx millrace dev --seed, the printed commands, Ctrl-C, and the same again', async () => {
  const { place, folder } = installation;
  // Root's PostgreSQL runs as another user, who must reach the folder.
  chmodSync(place, 0o755);
  mkdirSync(folder);
  await installation.install(folder, await packPackages(join(place, 'tarballs')));

  const begun = Date.now();
  const dev = await seeded();
  const status = await shown(dev, 'Status');
  const ready = Date.now();
  expect(status).toMatch(/^curl http:/);
  expect(JSON.parse((await inShell(status)).stdout)).toMatchObject({ name: 'todos-source', type: 'source' });
  const [, topic, file, event] = await dev.prints(/^First event of topic (\S+) in (.*?): (\{.*\})$/m);
  const seconds = (until: number) => ((until - begun) / 1000).toFixed(1);
  process.stdout.write(
    `npx millrace dev --seed: ready after ${seconds(ready)} s, first event ${seconds(Date.now())} s\n`,
  );
  expect(topic).toBe('fulfillment.public.todos');
  expect(file).toBe(join(folder, '.millrace', 'todos.txt'));
  expect(textOf(file!).split('\n')[0]).toBe(event);
  expect(await shown(dev, 'See its event')).toContain(file);

  const insert = await shown(dev, 'Insert a row');
  expect(insert).toMatch(/^npx millrace dev --sql "INSERT /);
  expect((await inShell(insert)).stderr).toBe('INSERT 1\n');
  const arrived = () => eventsIn(file!).filter((line) => line.startsWith('c ')).length;
  await waitFor('the event of the inserted row', () => arrived() === 1);
  expect((await inShell(await shown(dev, 'See its event'))).stdout).toContain('show Millrace to a friend');
  const read = await inShell(`${await shown(dev, 'Read the topic')} --exit`);
  expect(read.stdout.trim().split('\n')).toHaveLength(3);
  expect(read.stderr).toBe('');
  await statusIsRunning(status);
  const before = eventsIn(file!);
  await ctrlC(dev);

  const again = await seeded();
  await statusIsRunning(await shown(again, 'Status'));
  expect((await inShell(await shown(again, 'Insert a row'))).stderr).toBe('INSERT 1\n');
  await waitFor('the event of the second inserted row', () => arrived() === 2);
  // The database kept its rows, and none is reported again.
  const [last, ...more] = eventsIn(file!).slice(before.length);
  expect(eventsIn(file!).slice(0, before.length)).toEqual(before);
  expect(more).toEqual([]);
  expect(last).toMatch(/^c \d+ show Millrace to a friend$/);
  expect(Number(last!.split(' ')[1])).toBeGreaterThan(Number(before.at(-1)!.split(' ')[1]));
  await ctrlC(again);
});
