/** The output of a command whose reader takes it later than the command has written it. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';
import { whilePending } from '../../helpers/while-pending';

const COUNT = 5_000;
const nameOf = (i: number): string => `connector-${i}`;
const running = { state: 'RUNNING', worker_id: 'w:8083' };
const LIST = JSON.stringify(
  Object.fromEntries(
    Array.from({ length: COUNT }, (_, i) => [
      nameOf(i),
      {
        status: { name: nameOf(i), connector: running, tasks: [{ id: 0, ...running }], type: 'sink' },
        info: { name: nameOf(i), config: { 'connector.class': 'Sink' }, tasks: [], type: 'sink' },
      },
    ]),
  ),
);

let server: Server;
let child: ChildProcessByStdio<null, Readable, null> | null = null;
beforeEach(async () => {
  server = createServer((_, response) => response.end(LIST));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  child?.kill('SIGKILL');
  server.close();
});

/** Resolves when the command has closed its connection, which is when it has written its answer. */
async function getConnectors(): Promise<ChildProcessByStdio<null, Readable, null>> {
  const { port } = server.address() as AddressInfo;
  child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'get', 'connectors', '-o', 'json'], {
    env: { PATH: process.env.PATH, MILLRACE_URL: `http://127.0.0.1:${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const disconnected = once(server, 'connection').then(async ([socket]) => await once(socket as Socket, 'close'));
  await whilePending(once(child, 'exit'), disconnected);
  return child;
}

test('all of it arrives', async () => {
  const command = await getConnectors();
  let text = '';
  command.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  expect(await once(command, 'close')).toEqual([0, null]);
  expect(text.length).toBeGreaterThan(500_000);
  expect(JSON.parse(text)).toHaveLength(COUNT);
});

test('Ctrl-C ends a command that waits for its reader', async () => {
  const command = await getConnectors();
  const ended = once(command, 'exit');
  command.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
});
