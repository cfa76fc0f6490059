/** `millrace dev` as a user starts it: in a separate folder, with nothing else on the machine. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../dev/services/free-port';
import { KeptProcess } from '../../../dev/services/kept-process';
import { ROOT } from '../../../dev/services/paths';
import { startedWorker, type StartedWorker } from '../../../dev/services/worker';

export const PLUGINS = join(ROOT, 'examples', 'plugins');

/** @param args after `millrace`; without `--port`, nothing listens for REST at `url` */
export function millrace(args: readonly string[], env: Readonly<Record<string, string>> = {}, port = 0): StartedWorker {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-dev-'));
  const worker = new KeptProcess({
    command: process.execPath,
    args: [join(ROOT, 'dist', 'main.js'), ...args],
    folder,
    signal: 'TERM',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, CONNECT_PLUGIN_PATH: PLUGINS, ...env },
  });
  return startedWorker(`http://127.0.0.1:${port}`, folder, worker);
}

export async function dev(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<StartedWorker> {
  const port = await freePort();
  return millrace(['dev', '--port', String(port), ...args], env, port);
}
