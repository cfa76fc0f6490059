import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { opener } from '../../../packages/cli/src/verbs/ui';
import { runCli } from '../../../src/cli/cli';
import { waitFor } from '../../helpers/wait-for';
import { FakeIo } from '../fake-io';
import { cli, serve } from '../scripted-rest';

const PAGE = (request: string): unknown => (request === 'GET /ui/' ? '<!doctype html>' : undefined);
const onLinux = process.platform === 'linux' ? test : test.skip;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-ui-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A desktop whose browser writes the address into a file. */
async function ui(url: string, isTTY: boolean, ...args: string[]): Promise<FakeIo & { code?: number }> {
  const program = join(folder, 'xdg-open');
  writeFileSync(program, `#!/bin/sh\nprintf %s "$1" > ${folder}/tmp && mv ${folder}/tmp ${folder}/opened\n`);
  chmodSync(program, 0o755);
  const path = `${folder}:${process.env.PATH}`;
  const io: FakeIo & { code?: number } = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', DISPLAY: ':0', PATH: path });
  Object.assign(io.stdout, { isTTY });
  io.code = await runCli(['ui', '--url', url, ...args], io);
  return io;
}

onLinux('the address of the console is printed, and opened on a desktop', async () => {
  const url = await serve(PAGE);
  const { code, out, err } = await ui(url, true);
  expect({ code, out, err }).toEqual({ code: 0, out: `${url}/ui/\n`, err: '' });
  await waitFor('the browser', async () => await Promise.resolve(existsSync(join(folder, 'opened'))));
  expect(readFileSync(join(folder, 'opened'), 'utf8')).toBe(`${url}/ui/`);
});

test('nothing is opened without a terminal or a desktop', () => {
  const desktop = { DISPLAY: ':0' };
  const io = (isTTY: boolean, env: Record<string, string>) => ({ stdout: { write: () => true, isTTY }, env });
  expect(opener(io(false, desktop), 'linux')).toBeNull();
  expect(opener(io(false, {}), 'darwin')).toBeNull();
  expect(opener(io(false, {}), 'win32')).toBeNull();
  expect(opener(io(true, {}), 'linux')).toBeNull();
  expect(opener(io(true, desktop), 'linux')).toEqual(['xdg-open']);
  expect(opener(io(true, { WAYLAND_DISPLAY: 'w' }), 'linux')).toEqual(['xdg-open']);
  expect(opener(io(true, {}), 'darwin')).toEqual(['open']);
});

onLinux('a browser that cannot be started is no failure', async () => {
  const url = await serve(PAGE);
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', DISPLAY: ':0', PATH: folder });
  Object.assign(io.stdout, { isTTY: true });
  expect(await runCli(['ui', '--url', url], io)).toBe(0);
  expect(io.err).toMatch(/^No browser was opened: spawn xdg-open ENOENT\n$/);
});

test('-o json, and a worker without a console', async () => {
  const url = await serve(PAGE);
  expect(JSON.parse((await cli(url, 'ui', '-o', 'json')).out)).toEqual({ url: `${url}/ui/` });
  const java = await serve(() => undefined);
  expect(await cli(java, 'ui')).toEqual({
    ...{ code: 4, out: '' },
    err: `millrace: ${java} has no console: it is a worker of Java's Kafka Connect, or console.enabled is false. (REST_NO_ROUTE)\n`,
  });
});
