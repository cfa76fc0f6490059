/** A request that a newcomer can send to a worker of `millrace dev`, as it stands. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NextStep } from './ready-text';
import { isRunnable, shellQuote } from '../output/shell-quote';

const NAME = 'hello';

/**
 * Registers a file source; for a connector that exists already, requests its status. Lists the plugins where the shells
 * take no JSON. Pure.
 */
export function firstStep(
  url: string,
  connectors: readonly string[],
  file: string | null,
  platform: NodeJS.Platform = process.platform,
): NextStep {
  const name = connectors.includes(NAME) || file === null ? connectors[0] : undefined;
  const plugins = { purpose: 'Plugins', command: `curl ${url}/connector-plugins` };
  if (name !== undefined) {
    const status = `curl ${shellQuote(`${url}/connectors/${encodeURIComponent(name)}/status`, platform)}`;
    return isRunnable(status) ? { purpose: 'Status', command: status } : plugins;
  }
  if (file === null) return plugins;
  const config = { 'connector.class': 'FileStreamSource', file, topic: NAME };
  const body = shellQuote(JSON.stringify(config), platform);
  const header = shellQuote('Content-Type: application/json', platform);
  const command = `curl -X PUT -H ${header} ${url}/connectors/${NAME}/config -d ${body}`;
  return isRunnable(command) ? { purpose: 'Try it', command } : plugins;
}

/** The file that it reads, with two lines; created in the data folder if it does not exist. */
export function helloFile(dataDir: string): string {
  const file = join(dataDir, 'hello.txt');
  if (!existsSync(file)) writeFileSync(file, 'hello\nEach line of this file becomes a message.\n', { flag: 'wx' });
  return file;
}
