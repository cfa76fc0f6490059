/** Waits until connectors and their tasks run, or fail. */
import { sleep } from '@millrace/sdk';
import { redactText } from '../../logging/redact';
import { printable } from '../output/printable';
import type { ConnectClient } from '../rest/connect-client';

export interface Status {
  readonly connector: State;
  readonly tasks: readonly (State & { readonly id: number })[];
}
interface State {
  readonly state: string;
  readonly worker_id: string;
  readonly trace?: string;
}
export type Statuses = Readonly<Record<string, { readonly status?: Status } | undefined>>;

/** A name, and undefined if it runs, otherwise the reason why it does not. */
export type OnSettled = (name: string, reason: string | undefined) => void;

const POLL_MS = 500;
/** After a change, a worker may return the former status for this time. */
const FORMER_MS = 10_000;
const SETTLED = new Set(['RUNNING', 'PAUSED', 'STOPPED']);

export async function statusesOf(client: ConnectClient): Promise<Statuses> {
  return await client.request<Statuses>('/connectors?expand=status');
}

/** @param before statuses before the change */
export async function waitUntilRunning(
  client: ConnectClient,
  names: readonly string[],
  { before, timeoutMs, onSettled }: { before: Statuses; timeoutMs: number; onSettled: OnSettled },
): Promise<void> {
  const start = Date.now();
  const waiting = new Set(names);
  const seen = new Map<string, string>();
  while (waiting.size > 0) {
    const statuses = await statusesOf(client);
    const passed = Date.now() - start;
    for (const name of waiting) {
      const status = statuses[name]?.status;
      const former = before[name]?.status;
      const text = JSON.stringify(status);
      // A change restarts the connector: what was read once may be the status before.
      const isStable = former === undefined || seen.get(name) === text;
      const isFormer = former !== undefined && isFailed(former) && JSON.stringify(former) === text;
      seen.set(name, text);
      const reason = whyNot(status);
      const isDone = status && (isFailed(status) ? !isFormer || passed > FORMER_MS : reason === undefined);
      if (!(isDone && isStable) && passed < timeoutMs) continue;
      waiting.delete(name);
      onSettled(name, reason);
    }
    if (waiting.size > 0) await sleep(POLL_MS);
  }
}

function isFailed({ connector, tasks }: Status): boolean {
  return [connector, ...tasks].some(({ state }) => state === 'FAILED');
}

/** Undefined if nothing is missing. */
export function whyNot(status: Status | undefined): string | undefined {
  if (!status) return 'no worker has reported a status yet; check that the workers of the group are up';
  const { connector, tasks } = status;
  if (connector.state === 'FAILED') return `the connector is FAILED: ${firstLine(connector)}`;
  const failed = tasks.find(({ state }) => state === 'FAILED');
  if (failed) return `task ${failed.id} is FAILED: ${firstLine(failed)}`;
  if (!SETTLED.has(connector.state)) return `the connector is ${connector.state}`;
  if (connector.state === 'STOPPED') return undefined;
  if (tasks.length === 0) return `the connector is ${connector.state}, but has no tasks`;
  const other = tasks.find(({ state }) => !SETTLED.has(state));
  return other && `task ${other.id} is ${other.state}`;
}

function firstLine({ trace = '', worker_id: worker }: State): string {
  const line = printable(redactText(trace.split('\n')[0] as string, 500));
  return `${line || 'it has no trace'} (on ${printable(worker)})`;
}
