/**
 * A connector's instance in a plugin thread, as the worker sees it. It outlives the thread: what held none up is made
 * again in another.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import type { HostedInstance, InstanceEvents } from '../host';
import type { InstanceSpec, PluginCalls } from '../protocol/messages';
import type { OpenCall, PluginThread } from './plugin-thread';
import { ThreadExitError } from './thread-exit-error';

type InstanceCall = 'create' | 'start' | 'taskConfigs' | 'stop';

interface Open {
  readonly call: OpenCall<unknown>;
  readonly name: InstanceCall;
}

export class RemoteInstance implements HostedInstance {
  thread: PluginThread | null = null;
  /** What its thread is asked for at this moment. */
  private readonly open = new Set<Open>();
  /** Between a successful `start` and the `stop` that belongs to it. */
  private started = false;
  /** The thread in which it was started last. */
  private startedIn: PluginThread | null = null;
  /** Resolves when it is there again, after its thread had ended. */
  private moved: Promise<void> = Promise.resolve();
  /** It is of no use any more. */
  private failure: unknown = null;
  private raised = false;
  private released = false;

  constructor(
    readonly spec: InstanceSpec,
    readonly events: InstanceEvents,
    private readonly onRelease: (remote: RemoteInstance) => void,
  ) {}

  get isWaiting(): boolean {
    return [...this.open].some(({ call }) => call.begun);
  }

  async createIn(thread: PluginThread): Promise<void> {
    this.thread = thread;
    await this.call('create', this.spec);
  }

  async start(): Promise<void> {
    await this.call('start', this.spec.instance);
    this.started = true;
    this.startedIn = this.thread;
  }

  async taskConfigs(maxTasks: number): Promise<readonly ConnectorConfig[]> {
    return await this.call('taskConfigs', this.spec.instance, maxTasks);
  }

  async stop(): Promise<void> {
    this.started = false;
    // What ended its thread ended with it.
    if (this.failure !== null) return;
    await this.call('stop', this.spec.instance);
    this.startedIn = null;
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.thread?.post({ type: 'release', instance: this.spec.instance });
    this.onRelease(this);
  }

  /** The connector is FAILED, and stays so until it is restarted, changed or stopped. */
  get hasFailed(): boolean {
    return this.raised || this.failure !== null;
  }

  /** The plugin says so. */
  raise(error: unknown): void {
    this.raised = true;
    this.events.raiseError(error);
  }

  /** Its thread has ended when it had failed already. */
  markFailed(error: unknown): void {
    this.failure ??= error;
  }

  /** It has ended its thread. */
  fail(error: unknown): void {
    this.failure = error;
    // Who waits for these fails the connector.
    if (this.isAt('create') || this.isAt('start')) return;
    if (!this.released) this.events.raiseError(error);
  }

  /** Its thread has ended by the fault of another. What was asked of it is asked again when it is there. */
  async moveTo(thread: PluginThread): Promise<void> {
    this.thread = thread;
    const { started } = this;
    const isNew = this.isAt('create');
    this.moved = (async () => {
      // One that is being created is made by that call itself.
      if (isNew) return;
      await thread.call('create', this.spec).answer;
      if (!started) return;
      await thread.call('start', this.spec.instance).answer;
      this.startedIn = thread;
    })();
    try {
      await this.moved;
    } catch (error) {
      // The thread's end is dealt with where it is heard of.
      if (!(error instanceof ThreadExitError)) this.fail(error);
    }
  }

  private isAt(name: InstanceCall): boolean {
    return [...this.open].some((open) => open.name === name);
  }

  private async call<N extends InstanceCall>(
    name: N,
    ...args: Parameters<PluginCalls[N]>
  ): Promise<ReturnType<PluginCalls[N]>> {
    for (;;) {
      const { moved } = this;
      await moved.catch(() => undefined);
      // It may have had to move again meanwhile.
      if (moved !== this.moved) continue;
      if (this.failure !== null) throw this.failure;
      const thread = this.thread as PluginThread;
      // What is to be stopped has ended with the thread that it was started in; the new one knows nothing of it.
      if (name === 'stop' && this.startedIn !== thread) return undefined as ReturnType<PluginCalls[N]>;
      const call = thread.call(name, ...args);
      const open = { call, name };
      this.open.add(open);
      try {
        return await call.answer;
      } catch (error) {
        if (!(error instanceof ThreadExitError)) throw error;
        if (this.failure !== null) throw this.failure;
        if (error.end.kind === 'closed' || this.released)
          throw error.explained(`the code of connector ${this.spec.connector}`);
      } finally {
        this.open.delete(open);
      }
    }
  }
}
