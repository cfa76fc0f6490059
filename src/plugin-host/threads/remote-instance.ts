/**
 * The worker's side of a connector instance in a plugin thread. It outlives the thread: when another instance ends the
 * thread, this one is created again in another thread.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import type { HostedInstance, InstanceEvents } from '../host';
import type { InstanceSpec, PluginCalls } from '../protocol/messages';
import type { OpenCall, PluginThread } from './plugin-thread-handle';
import { ThreadExitError } from './thread-exit-error';

type InstanceCall = 'create' | 'start' | 'taskConfigs' | 'stop';

interface Open {
  readonly call: OpenCall<unknown>;
  readonly name: InstanceCall;
}

export class RemoteInstance implements HostedInstance {
  thread: PluginThread | null = null;
  /** Calls in progress in its thread. */
  private readonly open = new Set<Open>();
  /** True between a successful `start` and the next `stop`. */
  private started = false;
  /** The thread in which it was started last. */
  private startedIn: PluginThread | null = null;
  /** Resolves when the instance has been created again, after its thread had ended. */
  private moved: Promise<void> = Promise.resolve();
  /** Set when the instance is unusable. */
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
    // The thread of a failed instance has ended, so there is nothing to stop.
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

  /** The plugin reported a failure. */
  raise(error: unknown): void {
    this.raised = true;
    this.events.raiseError(error);
  }

  /** Its thread has ended after the instance had failed. */
  markFailed(error: unknown): void {
    this.failure ??= error;
  }

  /** The instance caused the end of its thread, or could not be created in another. */
  fail(error: unknown): void {
    this.failure = error;
    // The caller of these methods fails the connector.
    if (this.isInProgress('create') || this.isInProgress('start')) return;
    if (!this.released) this.events.raiseError(error);
  }

  /** Another instance has ended the thread. Calls in progress are repeated in the new thread. */
  async moveTo(thread: PluginThread): Promise<void> {
    this.thread = thread;
    const { started } = this;
    const isNew = this.isInProgress('create');
    this.moved = (async () => {
      // The `create` call in progress is repeated and creates the instance.
      if (isNew) return;
      await thread.call('create', this.spec).answer;
      if (!started) return;
      await thread.call('start', this.spec.instance).answer;
      this.startedIn = thread;
    })();
    try {
      await this.moved;
    } catch (error) {
      // InstanceThreads handles the end of a thread.
      if (!(error instanceof ThreadExitError)) this.fail(error);
    }
  }

  private isInProgress(name: InstanceCall): boolean {
    return [...this.open].some((open) => open.name === name);
  }

  private async call<N extends InstanceCall>(
    name: N,
    ...args: Parameters<PluginCalls[N]>
  ): Promise<ReturnType<PluginCalls[N]>> {
    for (;;) {
      const { moved } = this;
      await moved.catch(() => undefined);
      // The instance may have moved again meanwhile.
      if (moved !== this.moved) continue;
      if (this.failure !== null) throw this.failure;
      const thread = this.thread as PluginThread;
      // The instance to stop has ended with the thread it was started in; the new one was not started.
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
          throw error.toConnectError(`the code of connector ${this.spec.connector}`);
      } finally {
        this.open.delete(open);
      }
    }
  }
}
