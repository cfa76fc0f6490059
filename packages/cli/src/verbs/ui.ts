/** `millrace ui`: the address of the console, opened in a browser where there is a desktop. */
import { spawn } from 'node:child_process';
import { ConnectError } from '@millrace/sdk';
import { EXIT } from '../exit-codes';
import type { CliIo } from '../io';
import { writeAnswer } from '../output/answer';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { withClient } from '../rest/clients';
import type { ConnectClient } from '../rest/connect-client';

export const command: VerbSpec = {
  name: 'ui',
  description: `Print the address of the console, and open it in a browser. Without a terminal or a desktop it is only printed.`,
  options: [{ flags: '--no-open', description: 'only print the address' }],
  shared: ['output', 'server'],
  examples: [
    { command: 'ui', explanation: "The console of the current context's cluster" },
    { command: 'ui --no-open', explanation: 'Only its address' },
  ],
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { io, options } = invocation;
  return await withClient(invocation, async (client) => {
    const url = await consoleUrl(client);
    writeAnswer(invocation, { url }, () => `${url}\n`);
    const program = options.open === false || options.output !== 'table' ? null : opener(io, process.platform);
    if (program !== null) await open(io, program, url);
    return EXIT.success;
  });
}

/** @throws ConnectError `REST_NO_ROUTE` */
async function consoleUrl(client: ConnectClient): Promise<string> {
  const page = await client.requestText('/ui/', { mediaTypes: 'text/html', accept: [404, 405] });
  if (page !== '') return `${client.address}/ui/`;
  throw new ConnectError(
    `${client.address} has no console: it is a worker of Java's Kafka Connect, or console.enabled is false.`,
    { code: 'REST_NO_ROUTE' },
  );
}

type Opener = readonly [command: string, ...args: string[]];

/** Null: without a terminal, or without a desktop. */
export function opener({ stdout, env }: Pick<CliIo, 'stdout' | 'env'>, platform: NodeJS.Platform): Opener | null {
  if (stdout.isTTY !== true) return null;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null;
}

/** The address is printed: that no browser opens is no failure. */
async function open(
  { env, stderr }: Pick<CliIo, 'env' | 'stderr'>,
  [program, ...args]: Opener,
  url: string,
): Promise<void> {
  const child = spawn(program, [...args, url], { env, stdio: 'ignore', detached: true });
  const error = await new Promise<Error | null>((resolve) => {
    child.once('spawn', () => resolve(null));
    child.once('error', resolve);
  });
  child.unref();
  if (error) stderr.write(`No browser was opened: ${error.message}\n`);
}
