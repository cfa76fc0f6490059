/**
 * Connectors' instances in threads. They share one; whoever holds it up, or ends it, fails and gets a thread of its own
 * from then on, and the others are made again elsewhere. So `create` and `start` of a plugin may be called again
 * without a `stop` before: what an instance holds has to end with its thread (docs/writing-a-connector.md says so).
 */
import { Quarantine } from '../../threads/quarantine';
import { ThreadTerminations } from '../../threads/thread-terminations';
import { errorFrom } from '../protocol/error-copy';
import type { HostedConnector, HostedInstance, InstanceEvents } from '../host';
import type { FromPluginThread, InstanceSpec, WorkerCalls } from '../protocol/messages';
import { RemoteInstance } from './remote-instance';
import type { PluginThread, PluginThreadOptions } from './plugin-thread';
import { ThreadExitError } from './thread-exit-error';

export interface InstanceThreadsOptions {
  readonly createThread: (events: Pick<PluginThreadOptions, 'onEnd' | 'onProgress'>) => PluginThread;
  /** A thread without instances ends after this. */
  readonly idleMs: number;
  readonly onRestart: (connectors: readonly string[], end: ThreadExitError) => void;
}

export class InstanceThreads {
  private readonly instances = new Map<number, RemoteInstance>();
  /** Those that others may join. */
  private readonly shared = new Set<PluginThread>();
  private readonly all = new Set<PluginThread>();
  /** Connectors that have ended a thread. */
  private readonly quarantine = new Quarantine();
  private readonly endings = new ThreadTerminations<PluginThread>();
  private last = 0;
  private closed = false;

  constructor(private readonly options: InstanceThreadsOptions) {}

  async create(connector: HostedConnector, events: InstanceEvents): Promise<HostedInstance> {
    if (this.closed) throw new ThreadExitError({ kind: 'closed' }, '', 0).explained('');
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

  private threadFor(spec: InstanceSpec): PluginThread {
    if (this.quarantine.has(spec.connector, settingsOf(spec))) return this.newThread(false);
    const thread = [...this.shared].find(({ gone }) => !gone) ?? this.newThread(true);
    this.endings.keep(thread);
    return thread;
  }

  private newThread(shared: boolean): PluginThread {
    const thread = this.options.createThread({ onEnd: (ended, end) => this.ended(ended, end) });
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

  private inThread(thread: PluginThread): RemoteInstance[] {
    return [...this.instances.values()].filter((remote) => remote.thread === thread);
  }

  private end(thread: PluginThread): void {
    this.forget(thread);
    void this.endings.now(thread);
  }

  private forget(thread: PluginThread): void {
    this.endings.keep(thread);
    this.all.delete(thread);
    this.shared.delete(thread);
  }

  // ------------------------------------------------------------ ends

  private ended(thread: PluginThread, end: ThreadExitError): void {
    this.forget(thread);
    const concerned = this.inThread(thread);
    // Where threads do not even start, the next try is for the restarts of connectors, which take their time.
    if (end.notCausedByPlugin) return concerned.forEach((remote) => remote.fail(end.explained('')));
    const cause = findCause(concerned, end);
    const others = concerned.filter((remote) => remote !== cause);
    // Those that have failed wait for a restart or a change; nobody has asked for another start of them.
    for (const remote of others)
      if (remote.hasFailed) remote.markFailed(end.explained('another connector of the thread'));
    const restarted = others.filter((remote) => !remote.hasFailed);
    if (cause) {
      this.quarantine.add(cause.spec.connector, settingsOf(cause.spec));
      cause.fail(end.explained(`the code of connector ${cause.spec.connector}`));
    }
    if (restarted.length === 0) return;
    this.options.onRestart(
      restarted.map(({ spec }) => spec.connector),
      end,
    );
    // Where nobody can tell who it was: in halves, until it is alone.
    const half = Math.ceil(restarted.length / 2);
    const groups = cause || end.owner !== 0 ? [restarted] : [restarted.slice(0, half), restarted.slice(half)];
    for (const group of groups.filter(({ length }) => length > 0)) {
      const other = this.newThread(true);
      for (const remote of group) void remote.moveTo(other);
    }
  }
}

/** Null: it may have been any of them or, where the end names an owner, one that is no longer there. */
function findCause(concerned: readonly RemoteInstance[], { owner }: ThreadExitError): RemoteInstance | null {
  if (owner !== 0) return concerned.find(({ spec }) => spec.instance === owner) ?? null;
  if (concerned.length === 1) return concerned[0] as RemoteInstance;
  const waiting = concerned.filter((remote) => remote.isWaiting);
  return waiting.length === 1 ? (waiting[0] as RemoteInstance) : null;
}

function settingsOf({ description, config }: InstanceSpec): Parameters<Quarantine['add']>[1] {
  return [{ class: description.class, version: description.version }, config];
}
