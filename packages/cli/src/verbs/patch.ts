/** `millrace patch`: changes some keys of a connector's config, and waits until it runs again. */
import { ConnectError } from '@millrace/sdk';
import { type Outcome, waitUntilRunning } from '../connectors/await-state';
import { changeLines, changesOf, type Config } from '../connectors/config-changes';
import { readStatuses, type Status } from '../connectors/connectors';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import { paintOf } from '../output/colours';
import { indentedLines } from '../output/printable';
import { type ShowProgress, withProgress } from '../output/progress-line';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';
import { withClient } from '../rest/clients';
import type { ConnectClient } from '../rest/connect-client';
import { path, RestError } from '../rest/reply';

export const command: VerbSpec = {
  name: 'patch',
  description: `Change some keys of a connector's config. It shows the difference, and waits until connector and tasks run again.

key=value sets a key, key- removes one. Values of secrets are better kept in files: see config providers.`,
  arguments: [
    { name: '<connector>', description: 'name of the connector', completes: 'connectors' },
    { name: '[changes...]', description: 'key=value or key-' },
  ],
  options: [
    { flags: '-p, --patch <mapping>', description: 'the changes in JSON or YAML; null removes a key' },
    { flags: '--dry-run', description: 'show the difference, change nothing' },
    { flags: '--no-wait', description: 'do not wait until connector and tasks run' },
    { flags: '--timeout <seconds>', description: 'time to wait', default: 120, parse: wholeNumber(1, 86_400) },
  ],
  shared: ['server', 'output'],
  examples: [
    { command: 'patch orders-sink tasks.max=4', explanation: 'More tasks' },
    { command: 'patch orders-sink errors.tolerance=all topics.regex-', explanation: 'Set a key and remove another' },
    { command: `patch orders-sink -p '{"tasks.max": "4"}' --dry-run`, explanation: 'Only show what would change' },
  ],
  run,
};

interface PatchOptions {
  readonly patch?: string;
  readonly dryRun?: boolean;
  readonly timeout: number;
  /** False with `--no-wait`. */
  readonly wait?: boolean;
}

async function run(invocation: Invocation): Promise<number> {
  return await withProgress(invocation, patchConnector);
}

async function patchConnector(invocation: Invocation, show: ShowProgress): Promise<number> {
  const [name, ...words] = invocation.args as readonly [string, ...string[]];
  const { patch: mapping, dryRun, timeout, wait } = invocation.options as unknown as PatchOptions;
  const patch = readPatch(words, mapping);
  const { io } = invocation;
  return await withClient(invocation, async (client) => {
    const present = await client.request<Config>(path`/connectors/${name}/config`);
    const changes = changesOf(present, { ...present, ...patch });
    writeAnswer(invocation, { name, changes }, () =>
      changes.length === 0 ? `${name}: unchanged\n` : `${name}:\n${changeLines(changes, paintOf(io))}`,
    );
    if (dryRun === true || changes.length === 0) return EXIT.success;
    const before = wait === false ? new Map<string, Status>() : await readStatuses(client);
    await patchConfig(client, name, patch);
    if (wait === false) return EXIT.success;
    let code: number = EXIT.failed;
    const onSettled = (_: string, { isReached, text }: Outcome): void => {
      if (isReached) code = EXIT.success;
      io.stderr.write(`${indentedLines(`${name}: ${text}`)}\n`);
    };
    await waitUntilRunning(client, [name], { before, timeoutMs: timeout * 1000, onSettled, show });
    return code;
  });
}

/** Older versions of Kafka Connect have no PATCH: there a concurrent change by another client is lost. */
async function patchConfig(client: ConnectClient, name: string, patch: ConfigPatch): Promise<void> {
  const at = path`/connectors/${name}/config`;
  try {
    await client.request(at, { method: 'PATCH', body: patch });
  } catch (error) {
    if (!(error instanceof RestError) || error.status !== 405) throw error;
    const merged = { ...(await client.request<Config>(at)), ...patch };
    const config = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
    await client.request(at, { method: 'PUT', body: config });
  }
}

/** Null removes the key. */
type ConfigPatch = Readonly<Record<string, string | null>>;

/** @param mapping of `--patch` @throws ConnectError `CLI_USAGE` */
export function readPatch(words: readonly string[], mapping: string | undefined): ConfigPatch {
  const patch = new Map<string, string | null>(mapping === undefined ? [] : entriesOf(mapping));
  for (const word of words) {
    const equals = word.indexOf('=');
    if (equals > 0) patch.set(word.slice(0, equals), word.slice(equals + 1));
    else if (equals === -1 && word.endsWith('-') && word.length > 1) patch.set(word.slice(0, -1), null);
    else throw usage(`"${word}" is neither key=value nor key-.`);
  }
  if (patch.size === 0) throw usage('Specify what to change: key=value, key- or --patch.');
  return Object.fromEntries(patch);
}

function entriesOf(text: string): [string, string | null][] {
  let value: unknown;
  try {
    const { parseYaml } = require('../documents/parse-yaml') as typeof import('../documents/parse-yaml');
    [value] = parseYaml(text);
  } catch (error) {
    throw usage(`--patch is not valid: ${(error as Error).message}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage('--patch must be a mapping, such as {"tasks.max": "2", "topic": null}.');
  return Object.entries(value).map(([key, member]) => {
    if (typeof member !== 'string' && member !== null) throw usage(`"${key}" of --patch must be a text or null.`);
    return [key, member];
  });
}

function usage(message: string): ConnectError {
  return new ConnectError(message, { code: 'CLI_USAGE' });
}
