/** `millrace patch`: changes some keys of a connector's config, and waits until it runs again. */
import { changeLines, changesOf, type Config } from '../connectors/config-changes';
import { readStatuses, type Status } from '../connectors/connectors';
import { waitUntilRunning, type Outcome } from '../apply/wait-until-running';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import { paintOf } from '../output/colours';
import { indentedLines } from '../output/printable';
import { withProgress, type ShowProgress } from '../output/progress-line';
import type { Invocation } from '../program/command-spec';
import { type ConnectClient, path, RestError } from '../rest/connect-client';
import { withClient } from '../rest/clients';
import { readPatch, type ConfigPatch } from './read-patch';

interface PatchOptions {
  readonly patch?: string;
  readonly dryRun?: boolean;
  readonly timeout: number;
  /** False with `--no-wait`. */
  readonly wait?: boolean;
}

export async function run(invocation: Invocation): Promise<number> {
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

/** Older versions of Kafka Connect have no PATCH: there a change by somebody else in the same moment is lost. */
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
