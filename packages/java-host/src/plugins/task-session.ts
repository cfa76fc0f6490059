import {
  ConnectError,
  type ProcessingTask,
  type RecordProcessing,
  type TakenProcessing,
  type TaskContext,
} from '@millrace/sdk';
import type { HostSession } from '../connection/host-session';
import type { JavaPlugin } from '../java-plugin';
import type { Jvms } from '../jvm/jvms';
import type { HostMap } from '../wire/host-value';
import { processingMap, takenOf } from './host-maps';
import { jvmKey } from './jvm-key';

/** The session of one task: from `takeProcessing` to `release`, which may come at any time. */
export class TaskSession<C extends TaskContext> {
  private session: HostSession | null = null;
  /** Null: the task is not started. */
  private context: C | null = null;
  private readonly released = new AbortController();
  private ended = false;

  constructor(
    private readonly kind: 'source-task' | 'sink-task',
    private readonly plugin: JavaPlugin,
    private readonly taskClass: string,
    private readonly jvms: Jvms,
  ) {}

  /** Throws what `open` of the JVMs and the task's class throw. */
  async open({ connector, task, config, connectorConfig }: ProcessingTask): Promise<HostSession> {
    const { kind } = this;
    const session = await this.jvms.open(
      jvmKey(this.plugin, connector, connectorConfig),
      { kind, connector, task, class: config['task.class'] ?? this.taskClass, config },
      this.released.signal,
    );
    if (this.released.signal.aborted) {
      session.close();
      throw this.closed();
    }
    this.session = session;
    session.handle('configs', () => this.started().configs() as HostMap);
    void session.ended.then(() => (this.ended = true));
    return session;
  }

  /** Throws ConfigError for settings that a converter or transformation rejects. */
  async take(processing: RecordProcessing): Promise<TakenProcessing> {
    return takenOf(await this.get().call('process', processingMap(processing)));
  }

  /** @param options that the host does not know yet */
  async start(context: C, options: HostMap): Promise<void> {
    this.context = context;
    await this.get().call('start', options);
  }

  /** Of a task that is started; the host may ask earlier than that. */
  started(): C {
    if (this.context !== null) return this.context;
    throw new ConnectError('The task is not started.', { code: 'JVM_SESSION_CLOSED' });
  }

  get(): HostSession {
    if (this.session === null) throw this.closed();
    return this.session;
  }

  /** Nothing runs in the JVM any more, so there is nothing to commit or to stop. */
  get hasEnded(): boolean {
    return this.ended;
  }

  release(): void {
    this.released.abort();
    this.session?.close();
  }

  private closed(): ConnectError {
    return new ConnectError(`The task of ${this.plugin.class} has no session in its JVM.`, {
      code: 'JVM_SESSION_CLOSED',
    });
  }
}

/** Connectors of jars know nothing of previews: they may change the other system, for example create a slot. */
export function refusePreview(preview: boolean | undefined, { class: name }: JavaPlugin): void {
  if (preview === true)
    throw new ConnectError(
      `A preview of ${name} is not possible: it is a Java plugin, which would change the system that it reads. Start the connector with a topic of its own instead.`,
      { code: 'JAVA_PREVIEW' },
    );
}
