/** Connectors of jars as connectors of the SDK. */
import {
  ConfigError,
  type Connector,
  type ConnectorConfig,
  type ConnectorContext,
  type ConnectorInstance,
  type ConnectorSupport,
  type SinkConnector,
  type SinkTask,
  type SourceConnector,
  type SourceConnectorContext,
  type SourceOffset,
  type SourcePartition,
  type SourceTask,
  type TopicPartition,
} from '@millrace/sdk';
import type { JavaPlugin } from '../java-plugin';
import type { HostSession, Jvms } from '../jvm/jvms';
import type { HostMap, HostValue } from '../wire/host-value';
import { javaError } from '../wire/java-error';
import { ProtocolError } from '../wire/protocol-error';
import type { JavaClass, JavaDescription } from './java-class';
import { jvmKey } from './jvm-key';
import { refusePreview } from './task-session';

export interface JavaTasks {
  source(taskClass: string): SourceTask;
  sink(taskClass: string): SinkTask;
}

export interface JavaConnectorOptions {
  readonly plugin: JavaPlugin;
  readonly description: JavaDescription;
  readonly javaClass: JavaClass;
  readonly jvms: Jvms;
  readonly tasks: JavaTasks;
}

export function javaConnector(options: JavaConnectorOptions): Connector {
  return options.plugin.type === 'source' ? source(options) : sink(options);
}

function common({ plugin, description, javaClass, jvms }: JavaConnectorOptions) {
  const { keys, taskClass } = description;
  return {
    config: keys,
    ...(taskClass !== null && { taskClass }),
    checkValues: (config: ConnectorConfig) => javaClass.validate(config),
    create: (config: ConnectorConfig, context: ConnectorContext) => new JavaInstance(plugin, jvms, config, context),
  };
}

function source(options: JavaConnectorOptions): SourceConnector {
  const { plugin, description, javaClass, tasks } = options;
  const { overrides } = description;
  const ask = async (method: string, config: ConnectorConfig): Promise<ConnectorSupport> => {
    const answer = await javaClass.askAbout(config, method, plugin.class, config);
    // Null as in Java: the validation has its words for it.
    return (typeof answer === 'string' ? answer.toLowerCase() : null) as ConnectorSupport;
  };
  return {
    ...common(options),
    type: 'source',
    // Maps keep Java's order on their way.
    partitionOrder: 'insertion',
    createTask: () => tasks.source(taskClassOf(options)),
    ...(overrides.has('exactlyOnceSupport') && { exactlyOnceSupport: (config) => ask('exactlyOnceSupport', config) }),
    ...(overrides.has('canDefineTransactionBoundaries') && {
      canDefineTransactionBoundaries: (config) => ask('canDefineTransactionBoundaries', config),
    }),
    ...(overrides.has('alterOffsets') && {
      alterOffsets: async (
        config: ConnectorConfig,
        offsets: readonly (readonly [SourcePartition | null, SourceOffset | null])[],
      ) => (await javaClass.askAbout(config, 'alterOffsets', plugin.class, config, offsets as HostValue)) === true,
    }),
  };
}

function sink(options: JavaConnectorOptions): SinkConnector {
  const { plugin, description, javaClass, tasks } = options;
  return {
    ...common(options),
    type: 'sink',
    createTask: () => tasks.sink(taskClassOf(options)),
    ...(description.overrides.has('alterOffsets') && {
      alterOffsets: async (config: ConnectorConfig, offsets: readonly (readonly [TopicPartition, number | null])[]) => {
        const given = offsets.map(([{ topic, partition }, offset]) => [topic, partition, offset]);
        return (await javaClass.askAbout(config, 'alterOffsets', plugin.class, config, given)) === true;
      },
    }),
  };
}

function taskClassOf({ plugin, description }: JavaConnectorOptions): string {
  if (description.taskClass !== null) return description.taskClass;
  throw new ConfigError(`${plugin.class} names no class for its tasks: use another version of the connector.`, {
    code: 'JAVA_TASK_CLASS',
  });
}

/** A connector in its JVM. `start` opens its session, which lasts until the instance is released. */
class JavaInstance implements ConnectorInstance {
  private session: HostSession | null = null;
  private readonly released = new AbortController();

  constructor(
    private readonly plugin: JavaPlugin,
    private readonly jvms: Jvms,
    private readonly config: ConnectorConfig,
    private readonly context: ConnectorContext,
  ) {}

  async start(): Promise<void> {
    refusePreview(this.context.preview, this.plugin);
    this.session ??= await this.open();
    await this.session.call('start');
  }

  async taskConfigs(maxTasks: number): Promise<readonly ConnectorConfig[]> {
    const configs = await this.session?.call('taskConfigs', maxTasks);
    if (!Array.isArray(configs)) throw new ProtocolError('it returned no list of task configs');
    return (configs as readonly HostValue[]).map(withoutNulls);
  }

  async stop(): Promise<void> {
    await this.session?.call('stop');
  }

  release(): void {
    this.released.abort();
    this.session?.close();
  }

  private async open(): Promise<HostSession> {
    const { plugin, jvms, config, context } = this;
    const session = await jvms.open(
      jvmKey(plugin, context.connector, config),
      { kind: 'connector', connector: context.connector, class: plugin.class, config },
      this.released.signal,
    );
    session.handle('requestTaskReconfiguration', () => context.requestTaskReconfiguration());
    session.handle('raiseError', (error = null) => context.raiseError(javaError(error)));
    session.handle('offsets', (partitions) => this.offsets(partitions));
    void session.ended.then((reason) => {
      if (reason !== null && !this.released.signal.aborted) context.raiseError(reason);
    });
    if (this.released.signal.aborted) session.close();
    return session;
  }

  private async offsets(partitions: HostValue | undefined): Promise<HostValue> {
    const { offsets } = this.context as Partial<SourceConnectorContext>;
    if (!offsets || !Array.isArray(partitions)) throw new ProtocolError('only sources have offsets');
    return await offsets.offsets(partitions as SourcePartition[]);
  }
}

/** A value that is null is absent, as stored configs cannot tell. */
function withoutNulls(config: HostValue): ConnectorConfig {
  return Object.fromEntries(Object.entries(config as HostMap).filter(([, value]) => value !== null)) as ConnectorConfig;
}
