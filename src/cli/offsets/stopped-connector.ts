/** Stops a connector before its offsets are changed, and resumes it afterwards if that was asked for. */
import { ConnectError, sleep } from '@millrace/sdk';
import { readStatus } from '../connectors/connectors';
import type { Invocation } from '../program/command-spec';
import { confirm } from '../output/confirm';
import { RestError, type ConnectClient } from '../rest/connect-client';
import { path } from '../rest/path';

const PAUSE_MS = 250;

/**
 * True if the connector is stopped: it was before, or the user agreed to stop it.
 * @param change what happens next, for the question
 */
export async function stopFirst(
  client: ConnectClient,
  invocation: Invocation,
  name: string,
  change: string,
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
  const deadline = Date.now() + timeoutMs(invocation);
  while (!(await isStopped())) {
    if (Date.now() > deadline) {
      throw new ConnectError(`${name} has not stopped in time; its offsets are unchanged.`, {
        code: 'OFFSETS_NOT_STOPPED',
      });
    }
    await sleep(PAUSE_MS);
  }
  io.stderr.write(`${name} is stopped.\n`);
  return true;
}

/** Tasks of a sink may still be leaving their group; workers say that the request can be repeated then. */
export async function repeatWhileLeaving<T>(invocation: Invocation, request: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + timeoutMs(invocation);
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const passes = error instanceof RestError && /can be safely retried/.test(error.message);
      if (!passes || Date.now() > deadline) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

export async function resumeIfAsked(client: ConnectClient, { options, io }: Invocation, name: string): Promise<void> {
  if ((options as { resume?: boolean }).resume !== true) {
    io.stderr.write(`${name} stays stopped: "millrace resume ${name}" starts it.\n`);
    return;
  }
  await client.request(path`/connectors/${name}/resume`, { method: 'PUT' });
  io.stderr.write(`${name} is resumed.\n`);
}

function timeoutMs({ options }: Invocation): number {
  return ((options as { requestTimeout?: number }).requestTimeout ?? 90) * 1000;
}
