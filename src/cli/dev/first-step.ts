/** A request that a newcomer can send to a worker of `millrace dev`, as it stands. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NextStep } from './ready-text';
import { shellQuote } from '../output/shell-quote';

const NAME = 'hello';

/** Registers a file source; for a connector that exists already, requests its status. Pure. */
export function firstStep(url: string, connectors: readonly string[], file: string | null): NextStep {
  const name = connectors.includes(NAME) || file === null ? connectors[0] : undefined;
  if (name !== undefined)
    return { purpose: 'Status', command: `curl ${url}/connectors/${encodeURIComponent(name)}/status` };
  if (file === null) return { purpose: 'Plugins', command: `curl ${url}/connector-plugins` };
  const config = { 'connector.class': 'FileStreamSource', file, topic: NAME };
  const body = shellQuote(JSON.stringify(config));
  const header = shellQuote('Content-Type: application/json');
  return { purpose: 'Try it', command: `curl -X PUT -H ${header} ${url}/connectors/${NAME}/config -d ${body}` };
}

/** The file that it reads, with two lines; created in the data folder if it does not exist. */
export function helloFile(dataDir: string): string {
  const file = join(dataDir, 'hello.txt');
  if (!existsSync(file)) writeFileSync(file, 'hello\nEach line of this file becomes a message.\n', { flag: 'wx' });
  return file;
}
