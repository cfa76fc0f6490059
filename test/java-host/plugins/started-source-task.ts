/** A Java source task whose host does what a test says. */
import type { SourceTaskContext } from '../../../packages/sdk/src';
import { javaSourceTask } from '../../../packages/java-host/src/plugins/java-source-task';
import type { HostValue } from '../../../packages/java-host/src/wire/host-value';
import { type Peer, ScriptedHost } from '../scripted-host';
import { batchBytes, type BatchOf } from './batch-bytes';
import { contextOf, jvmsOf, of, plugin, processing } from './task-parts';

export const error = (kind: string) => ({ class: 'a.B', message: 'no', kind, trace: '', cause: null });
export const NEVER = new Promise<never>(() => undefined);

export interface Setup {
  readonly answers?: Readonly<Record<string, (...args: HostValue[]) => HostValue | Promise<HostValue>>>;
  /** Then `poll` is not answered any more. */
  readonly batches?: readonly (BatchOf | null | Error)[];
  readonly overrides?: readonly string[];
  readonly taken?: { readonly steps: number; readonly converters: boolean };
  readonly context?: Partial<SourceTaskContext>;
}

/** @param keep gets the host, also if the task does not start */
export async function startSourceTask(setup: Setup, keep: (host: ScriptedHost) => void) {
  const { answers = {}, batches = [], overrides = [], taken, context = {} } = setup;
  const left = [...batches];
  const host = await ScriptedHost.start({
    open: () => ({ overrides }),
    process: () => taken ?? { steps: 1, converters: true },
    start: () => null,
    stop: () => null,
    commit: () => null,
    poll: () => {
      const next = left.shift();
      if (next === undefined) return NEVER;
      if (next instanceof Error) return Promise.reject(error('retriable') as never);
      return next && batchBytes(next);
    },
    ...answers,
  });
  keep(host);
  const { jvms, opened } = jvmsOf(host);
  const task = javaSourceTask(plugin, 'my.Task', jvms);
  const result = await task.takeProcessing?.(processing, of);
  const given = contextOf<SourceTaskContext>(context);
  await task.start({ t: '1' }, given.context);
  return { task, peer: host.peer(0), opened, result, ...given };
}

export const polls = (peer: Peer): number => peer.requests('poll').length;
