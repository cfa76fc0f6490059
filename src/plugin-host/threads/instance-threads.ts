/**
 * Runs connector instances in threads. They share one. An instance that blocks or ends it fails and gets a dedicated
 * thread from then on; the others are created again in another thread. So `create` and `start` of a plugin may be
 * called again without a `stop`: what an instance holds must end with its thread (docs/writing-a-connector.md).
 */
import { Quarantine } from '../../threads/quarantine';
import { ThreadTerminations } from '../../threads/thread-terminations';
import { errorFrom } from '../protocol/error-copy';
import type { HostedConnector, HostedInstance, InstanceEvents } from '../host';
import type { FromPluginThread, InstanceSpec, WorkerCalls } from '../protocol/messages';
import { RemoteInstance } from './remote-instance';
import type { PluginThread, PluginThreadOptions } from './plugin-thread-handle';
import { ThreadExitError } from './thread-exit-error';

export interface InstanceThreadsOptions {
  readonly createThread: (events: Pick<PluginThreadOptions, 'onEnd' | 'onProgress'>) => PluginThread;
  /** A thread without instances is terminated after this time. */
  readonly idleMs: number;
  readonly onRestart: (connectors: readonly string[], end: ThreadExitError) => void;
}

export class InstanceThreads {
  private readonly instances = new Map<number, RemoteInstance>();
  /** Threads that accept more instances. */
  private readonly shared = new Set<PluginThread>();
  private readonly all = new Set<PluginThread>();
  /** Connectors that have ended a thread. */
  private readonly quarantine = new Quarantine();
  private readonly terminations = new ThreadTerminations<PluginThread>();
  private last = 0;
  private closed = false;

  constructor(private readonly options: InstanceThreadsOptions) {}

  async create(connector: HostedConnector, events: InstanceEvents): Promise<HostedInstance> {
    if (this.closed) throw new ThreadExitError({ kind: 'closed' }, '', 0).toConnectError('');
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

  onMessage(message: Extract<FromPluginThread, { type: 'reconfigure' | 'raise' }>): void {
    const remote = this.instances.get(message.instance);
    if (message.type === 'reconfigure') remote?.events.requestTaskReconfiguration();
    else remote?.raise(errorFrom(message.error));
  }

  async readOffsets(...[instance, partitions]: Parameters<WorkerCalls['readOffsets']>): Promise<unknown> {
    return (await this.instances.get(instance)?.events.offsets.offsets(partitions)) ?? partitions.map(() => null);
  }

  /** Instances created from now on get another thread. */
  retireThreads(): void {
    for (const thread of [...this.shared]) {
      this.shared.delete(thread);
      if (this.inThread(thread).length === 0) this.end(thread);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const thread of this.all) this.end(thread);
    await this.terminations.close();
  }

  // ------------------------------------------------------------ threads

  private threadFor(spec: InstanceSpec): PluginThread {
    if (this.quarantine.has(spec.connector, settingsOf(spec))) return this.addThread(false);
    const thread = [...this.shared].find(({ gone }) => !gone) ?? this.addThread(true);
    this.terminations.keep(thread);
    return thread;
  }

  private addThread(shared: boolean): PluginThread {
    const thread = this.options.createThread({ onEnd: (ended, end) => this.onEnd(ended, end) });
    this.all.add(thread);
    if (shared) this.shared.add(thread);
    return thread;
  }

  private release(remote: RemoteInstance): void {
    this.instances.delete(remote.spec.instance);
    const { thread } = remote;
    if (!thread || thread.gone || this.inThread(thread).length > 0) return;
    const ms = this.shared.has(thread) ? this.options.idleMs : 0;
    this.terminations.later(thread, ms, () => this.end(thread));
  }

  private inThread(thread: PluginThread): RemoteInstance[] {
    return [...this.instances.values()].filter((remote) => remote.thread === thread);
  }

  private end(thread: PluginThread): void {
    this.forget(thread);
    void this.terminations.now(thread);
  }

  private forget(thread: PluginThread): void {
    this.terminations.keep(thread);
    this.all.delete(thread);
    this.shared.delete(thread);
  }

  // ------------------------------------------------------------ ends

  private onEnd(thread: PluginThread, end: ThreadExitError): void {
    this.forget(thread);
    const affected = this.inThread(thread);
    // When threads cannot start, the restarts of the connectors retry, with their backoff.
    if (end.notCausedByPlugin) return affected.forEach((remote) => remote.fail(end.toConnectError('')));
    const cause = findCause(affected, end);
    const others = affected.filter((remote) => remote !== cause);
    // Failed connectors are not created again: they wait for a restart or a new config.
    for (const remote of others)
      if (remote.hasFailed) remote.markFailed(end.toConnectError('another connector of the thread'));
    const restarted = others.filter((remote) => !remote.hasFailed);
    if (cause) {
      this.quarantine.add(cause.spec.connector, settingsOf(cause.spec));
      cause.fail(end.toConnectError(`the code of connector ${cause.spec.connector}`));
    }
    if (restarted.length === 0) return;
    this.options.onRestart(
      restarted.map(({ spec }) => spec.connector),
      end,
    );
    // If the cause is unknown, the instances are split in halves until it is alone.
    const half = Math.ceil(restarted.length / 2);
    const groups = cause || end.owner !== 0 ? [restarted] : [restarted.slice(0, half), restarted.slice(half)];
    for (const group of groups.filter(({ length }) => length > 0)) {
      const other = this.addThread(true);
      for (const remote of group) void remote.moveTo(other);
    }
  }
}

/** Null: unknown, or an instance that has been released (then `owner` is not 0). */
function findCause(affected: readonly RemoteInstance[], { owner }: ThreadExitError): RemoteInstance | null {
  if (owner !== 0) return affected.find(({ spec }) => spec.instance === owner) ?? null;
  if (affected.length === 1) return affected[0] as RemoteInstance;
  const waiting = affected.filter((remote) => remote.isWaiting);
  return waiting.length === 1 ? (waiting[0] as RemoteInstance) : null;
}

function settingsOf({ description, config }: InstanceSpec): Parameters<Quarantine['add']>[1] {
  return [{ class: description.class, version: description.version }, config];
}
