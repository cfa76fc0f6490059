/** Stops a connector, changes its offsets, and resumes it if that was asked for. */
import { ConnectError, sleep, monotonicNow } from '@millrace/sdk';
import { readStatus } from '../connectors/connectors';
import { EXIT } from '../exit-codes';
import { confirm } from '../output/confirm';
import { indentedLines, printable, printableLines } from '../output/printable';
import { withProgress, type ShowProgress } from '../output/progress-line';
import { isRunnable, shellQuote } from '../output/shell-quote';
import type { Invocation } from '../program/command-spec';
import { type ConnectClient, path, RestError, type RestRequest } from '../rest/connect-client';
import { withClient } from '../rest/clients';

const PAUSE_MS = 250;

export interface OffsetChange {
  readonly name: string;
  /** What happens, for the question: `Delete all offsets of orders`. */
  readonly change: string;
  readonly request: RestRequest;
}

/** Resolves to the exit code. */
export async function changeOffsets(invocation: Invocation, change: OffsetChange): Promise<number> {
  return await withProgress(invocation, async (shown, show) => {
    return await withClient(shown, (client) => carryOut(client, shown, change, show));
  });
}

async function carryOut(
  client: ConnectClient,
  invocation: Invocation,
  { name, change, request }: OffsetChange,
  show: ShowProgress,
): Promise<number> {
  const { io, options } = invocation;
  if (!(await stopFirst(client, invocation, { name, change, show }))) return EXIT.failed;
  const resume = `millrace resume ${shellQuote(name)}`;
  const staysStopped = `${name} stays stopped: ${isRunnable(resume) ? `"${resume}"` : '"millrace resume"'} starts it.\n`;
  let message: string;
  try {
    ({ message } = await repeatWhileLeaving(invocation, () =>
      client.request<{ message: string }>(path`/connectors/${name}/offsets`, request),
    ));
  } catch (error) {
    io.stderr.write(printableLines(staysStopped));
    throw error;
  }
  io.stdout.write(`${indentedLines(message)}\n`);
  if ((options as { resume?: boolean }).resume !== true) {
    io.stderr.write(printableLines(staysStopped));
    return EXIT.success;
  }
  await client.request(path`/connectors/${name}/resume`, { method: 'PUT' });
  io.stderr.write(`${printable(name)} is resumed.\n`);
  return EXIT.success;
}

/**
 * True if the connector is stopped: it was before, or the user agreed to stop it.
 */
async function stopFirst(
  client: ConnectClient,
  invocation: Invocation,
  { name, change, show }: Pick<OffsetChange, 'name' | 'change'> & { readonly show: ShowProgress },
): Promise<boolean> {
  const { io } = invocation;
  const isStopped = async (): Promise<boolean> => {
    const status = await readStatus(client, name);
    if (!status) throw new ConnectError(`There is no connector "${name}".`, { code: 'REST_NOT_FOUND' });
    return status.state === 'STOPPED' && status.tasks.length === 0;
  };
  const wasStopped = await isStopped();
  if (
    !(await confirm(
      invocation,
      wasStopped ? `${change}?` : `Stop ${name} and ${change.charAt(0).toLowerCase()}${change.slice(1)}?`,
    ))
  )
    return false;
  if (wasStopped) return true;
  await client.request(path`/connectors/${name}/stop`, { method: 'PUT' });
  const deadline = monotonicNow() + timeoutMs(invocation);
  while (!(await isStopped())) {
    if (monotonicNow() > deadline) {
      throw new ConnectError(`${name} has not stopped in time; its offsets are unchanged.`, {
        code: 'OFFSETS_NOT_STOPPED',
      });
    }
    show(() => `Waiting for ${name} to stop`);
    await sleep(PAUSE_MS);
  }
  io.stderr.write(`${printable(name)} is stopped.\n`);
  return true;
}

/** Tasks of a sink may still be leaving their group; workers say that the request can be repeated then. */
async function repeatWhileLeaving<T>(invocation: Invocation, request: () => Promise<T>): Promise<T> {
  const deadline = monotonicNow() + timeoutMs(invocation);
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const passes = error instanceof RestError && /can be safely retried/.test(error.message);
      if (!passes || monotonicNow() > deadline) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

function timeoutMs({ options }: Invocation): number {
  return ((options as { requestTimeout?: number }).requestTimeout ?? 90) * 1000;
}
