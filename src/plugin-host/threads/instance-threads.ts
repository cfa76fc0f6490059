/**
 * Connectors' instances in threads. They share one; whoever holds it up, or ends it, fails and gets a thread of its own
 * from then on, and the others are made again elsewhere. So `create` and `start` of a plug-in may be called again
 * without a `stop` before: what an instance holds has to end with its thread (docs/writing-a-connector.md says so).
 */
import { Quarantine } from '../../threads/quarantine';
import { ThreadEndings } from '../../threads/thread-terminations';
import { errorFrom } from '../protocol/error-copy';
import type { HostedConnector, HostedInstance, InstanceEvents } from '../host';
import type { FromPluginThread, InstanceSpec, WorkerCalls } from '../protocol/messages';
import { RemoteInstance } from './remote-instance';
import type { RunningThread, RunningThreadOptions } from './plugin-thread';
import { ThreadEnd } from './thread-exit-error';

export interface InstanceThreadsOptions {
  readonly makeThread: (events: Pick<RunningThreadOptions, 'onEnd' | 'onProgress'>) => RunningThread;
  /** A thread without instances ends after this. */
  readonly idleMs: number;
  readonly onRestart: (connectors: readonly string[], end: ThreadEnd) => void;
}

export class InstanceThreads {
  private readonly instances = new Map<number, RemoteInstance>();
  /** Those that others may join. */
  private readonly shared = new Set<RunningThread>();
  private readonly all = new Set<RunningThread>();
  /** Connectors that have ended a thread. */
  private readonly quarantine = new Quarantine();
  private readonly endings = new ThreadEndings<RunningThread>();
  private last = 0;
  private closed = false;

  constructor(private readonly options: InstanceThreadsOptions) {}

  async create(connector: HostedConnector, events: InstanceEvents): Promise<HostedInstance> {
    if (this.closed) throw new ThreadEnd({ kind: 'closed' }, '', 0).explained('');
    const instance = ++this.last;
    const { description, config, workerSettings } = connector;
    const spec = { instance, connector: connector.connector, description, config, workerSettings };
    const remote = new RemoteInstance(spec, events, (released) => this.release(released));
    this.instances.set(instance, remote);
    try {
      await remote.createIn(this.threadFor(spec));
    } catch (error) {
      remote.release();
      throw error;
    }
    return remote;
  }

  received(message: Extract<FromPluginThread, { type: 'reconfigure' | 'raise' }>): void {
    const remote = this.instances.get(message.instance);
    if (message.type === 'reconfigure') remote?.events.requestTaskReconfiguration();
    else remote?.raise(errorFrom(message.error));
  }

  async readOffsets(...[instance, partitions]: Parameters<WorkerCalls['readOffsets']>): Promise<unknown> {
    return (await this.instances.get(instance)?.events.offsets.offsets(partitions)) ?? partitions.map(() => null);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const thread of this.all) this.end(thread);
    await this.endings.close();
  }

  // ------------------------------------------------------------ threads

  private threadFor(spec: InstanceSpec): RunningThread {
    if (this.quarantine.has(spec.connector, settingsOf(spec))) return this.newThread(false);
    const thread = [...this.shared].find(({ gone }) => !gone) ?? this.newThread(true);
    this.endings.keep(thread);
    return thread;
  }

  private newThread(shared: boolean): RunningThread {
    const thread = this.options.makeThread({ onEnd: (ended, end) => this.ended(ended, end) });
    this.all.add(thread);
    if (shared) this.shared.add(thread);
    return thread;
  }

  private release(remote: RemoteInstance): void {
    this.instances.delete(remote.spec.instance);
    const { thread } = remote;
    if (!thread || thread.gone || this.inThread(thread).length > 0) return;
    const ms = this.shared.has(thread) ? this.options.idleMs : 0;
    this.endings.later(thread, ms, () => this.end(thread));
  }

  private inThread(thread: RunningThread): RemoteInstance[] {
    return [...this.instances.values()].filter((remote) => remote.thread === thread);
  }

  private end(thread: RunningThread): void {
    this.forget(thread);
    void this.endings.now(thread);
  }

  private forget(thread: RunningThread): void {
    this.endings.keep(thread);
    this.all.delete(thread);
    this.shared.delete(thread);
  }

  // ------------------------------------------------------------ ends

  private ended(thread: RunningThread, end: ThreadEnd): void {
    this.forget(thread);
    const concerned = this.inThread(thread);
    // Where threads do not even start, the next try is for the restarts of connectors, which take their time.
    if (end.blamesNobody) return concerned.forEach((remote) => remote.fail(end.explained('')));
    const culprit = culpritOf(concerned, end);
    const others = concerned.filter((remote) => remote !== culprit);
    // Those that have failed wait for a restart or a change; nobody has asked for another start of them.
    for (const remote of others) if (remote.hasFailed) remote.giveUp(end.explained('another connector of the thread'));
    const innocent = others.filter((remote) => !remote.hasFailed);
    if (culprit) {
      this.quarantine.add(culprit.spec.connector, settingsOf(culprit.spec));
      culprit.fail(end.explained(`the code of connector ${culprit.spec.connector}`));
    }
    if (innocent.length === 0) return;
    this.options.onRestart(
      innocent.map(({ spec }) => spec.connector),
      end,
    );
    // Where nobody can tell who it was: in halves, until it is alone.
    const half = Math.ceil(innocent.length / 2);
    const groups = culprit || end.owner !== 0 ? [innocent] : [innocent.slice(0, half), innocent.slice(half)];
    for (const group of groups.filter(({ length }) => length > 0)) {
      const other = this.newThread(true);
      for (const remote of group) void remote.moveTo(other);
    }
  }
}

/** Null: it may have been any of them or, where the end names an owner, one that is no longer there. */
function culpritOf(concerned: readonly RemoteInstance[], { owner }: ThreadEnd): RemoteInstance | null {
  if (owner !== 0) return concerned.find(({ spec }) => spec.instance === owner) ?? null;
  if (concerned.length === 1) return concerned[0] as RemoteInstance;
  const waiting = concerned.filter((remote) => remote.isWaiting);
  return waiting.length === 1 ? (waiting[0] as RemoteInstance) : null;
}

function settingsOf({ description, config }: InstanceSpec): Parameters<Quarantine['add']>[1] {
  return [{ class: description.class, version: description.version }, config];
}
