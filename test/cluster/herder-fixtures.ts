/** Herders with trivial plugins and a simulated task host. */
import type { Connector, ConnectorConfig, SourceConnector, SourceConnectorContext, TaskSignal } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../src/connector-task-id';
import { createHerder } from '../../src/cluster/create-herder';
import type { ConnectorStateInfo } from '../../src/cluster/entities';
import type { Herder } from '../../src/cluster/herder';
import type { ConfigInfos, ConfigValidator } from '../../src/config/validation/config-infos';
import { ValidationError } from '../../src/config/validation/validation-error';
import type { WorkerConfig } from '../../src/config/worker-config';
import type { KafkaClients } from '../../packages/kafka-client/src/port';
import { silentLogger, type Logger } from '../../src/logging/logger';
import { DEFAULT_SAMPLE_WINDOWS } from '../../src/metrics/task-metrics';
import type { PluginDescription, PluginRegistry } from '../../src/plugins/registry';
import type { ExactlyOnceGate, OffsetStorage, TaskHost, TaskListener, TaskSpec, TaskWatch } from '../../src/tasks/host';
import { taskName } from '../../src/tasks/task-id';
import { TaskSignalError } from '../../src/tasks/task-signal-error';

export class FakeHost implements TaskHost {
  readonly running = new Map<string, TaskSpec>();
  /** Everything that was ever started. */
  readonly log: string[] = [];
  /** For each preparation: how many tasks were expected that did not run yet. */
  readonly prepared: number[] = [];
  /** Tasks whose start fails, by name. */
  readonly failing = new Set<string>();
  /** How long tasks take to stop, or to be cancelled. */
  beforeStop: () => Promise<void> = () => Promise.resolve();
  /** Whether those failures are retriable. */
  worthRestarting = false;
  constructor(
    readonly listener: TaskListener,
    readonly offsets: OffsetStorage,
  ) {}
  async start(spec: TaskSpec): Promise<void> {
    const name = taskName(spec.id);
    this.log.push(`start ${name}`);
    if (this.failing.has(name)) {
      this.listener.onFailed(spec.id, 'java.lang.Exception: told to fail\n', this.worthRestarting);
      return;
    }
    this.running.set(name, spec);
    if (spec.targetState === 'PAUSED') this.listener.onPaused(spec.id);
    else this.listener.onRunning(spec.id);
  }
  pause(id: ConnectorTaskId): void {
    if (this.running.has(taskName(id))) this.listener.onPaused(id);
  }
  resume(id: ConnectorTaskId): void {
    if (this.running.has(taskName(id))) this.listener.onResumed(id);
  }
  prepare(connectorConfigs: readonly ConnectorConfig[]): void {
    this.prepared.push(connectorConfigs.length - this.running.size);
  }
  retireThreads(): void {
    this.log.push('retire threads');
  }
  watch(): () => TaskWatch {
    return () => ({ stuck: [], restarts: 0 });
  }
  thread(): null {
    return null;
  }
  problems(): string[] {
    return [];
  }
  forgetTopic(id: ConnectorTaskId, topic: string): void {
    this.log.push(`forget ${topic} ${taskName(id)}`);
  }
  async signal(id: ConnectorTaskId, signal: TaskSignal): Promise<void> {
    if (!this.running.has(taskName(id))) throw TaskSignalError.notRunning(id);
    this.log.push(`signal ${signal.type} ${taskName(id)}`);
  }
  async stop(ids: readonly ConnectorTaskId[]): Promise<ConnectorTaskId[]> {
    await this.beforeStop();
    for (const id of ids) {
      this.log.push(`stop ${taskName(id)}`);
      if (this.running.delete(taskName(id))) this.listener.onStopped(id);
    }
    return [];
  }
  async cancel(ids: readonly ConnectorTaskId[]): Promise<ConnectorTaskId[]> {
    await this.beforeStop();
    for (const id of ids) {
      this.log.push(`cancel ${taskName(id)}`);
      this.running.delete(taskName(id));
    }
    return [];
  }
  has(id: ConnectorTaskId): boolean {
    return this.running.has(taskName(id));
  }
  fail(id: ConnectorTaskId, worthRestarting = false, stuckMs = 0): void {
    this.running.delete(taskName(id));
    this.listener.onFailed(id, 'java.lang.Exception: boom\n', worthRestarting, stuckMs);
  }
  async close(): Promise<void> {}
}

/** Behavior of the fixture plugin that a test may change. */
export interface FixtureBehavior {
  start(config: ConnectorConfig): Promise<void> | void;
  taskConfigs(config: ConnectorConfig, max: number): readonly ConnectorConfig[];
  onCreate?(context: SourceConnectorContext): void;
  /** (Default: the plugin has no such method) */
  alterOffsets?: SourceConnector['alterOffsets'];
}
export function defaultBehavior(): FixtureBehavior {
  return {
    start: () => undefined,
    taskConfigs: (config, max) =>
      Array.from({ length: Math.min(max, Number(config.tasks ?? max)) }, (_, part) => ({
        part: String(part),
        value: config.value ?? '',
      })),
  };
}

export function fixtureRegistry(behavior: FixtureBehavior): PluginRegistry {
  const description = (type: 'source' | 'sink', name: string): PluginDescription => ({
    type,
    class: `org.example.${name}Connector`,
    version: '1.2.3',
    aliases: [],
    taskClass: `org.example.${name}Task`,
    location: 'built-in',
  });
  const all = [description('source', 'Tick'), description('sink', 'Drain')];
  return {
    list: () => all,
    find: (name) => all.find((plugin) => plugin.class === name || plugin.class.includes(`.${name}Connector`)) ?? null,
    load: async ({ type }) =>
      ({
        type,
        config: [],
        create: (config: ConnectorConfig, context: SourceConnectorContext) => {
          behavior.onCreate?.(context);
          return {
            start: () => behavior.start(config),
            taskConfigs: (max: number) => behavior.taskConfigs(config, max),
          };
        },
        createTask: () => ({}) as never,
        ...(behavior.alterOffsets ? { alterOffsets: behavior.alterOffsets } : {}),
      }) as unknown as Connector,
    problems: () => [],
  };
}

/** Rejects only `fault=...`, and warns of as many keys as `warnings=...` says. */
export const fixtureValidator: ConfigValidator = {
  validate: async (config): Promise<ConfigInfos> => {
    if (!config['connector.class']) throw new ValidationError(400, 'Connector config contains no connector type');
    const errors = config.fault ? [config.fault] : [];
    const warnings = Array.from({ length: Number(config.warnings ?? 0) }, (_, i) => `warning ${i}`);
    return {
      name: '',
      error_count: errors.length,
      groups: [],
      configs: [
        { definition: null, value: { name: 'fault', value: null, recommended_values: [], errors, visible: true } },
      ],
      warnings: warnings.map((message) => ({ key: 'k', meant: null, message })),
    };
  },
  definitions: async () => [],
  schema: async () => ({}),
};

export function fixtureConfig(group: string, overrides: Partial<WorkerConfig> = {}): WorkerConfig {
  const topic = (suffix: string, partitions: number): WorkerConfig['config'] => ({
    topic: `${group}-${suffix}`,
    partitions,
    replicationFactor: 1,
    topicConfigs: {},
  });
  return {
    raw: {},
    bootstrapServers: process.env.BOOTSTRAP_SERVERS ?? '',
    groupId: group,
    clientId: '',
    config: topic('configs', 1),
    offset: topic('offsets', 25),
    status: topic('status', 5),
    sessionTimeoutMs: 10_000,
    heartbeatIntervalMs: 3_000,
    rebalanceTimeoutMs: 60_000,
    scheduledRebalanceMaxDelayMs: 0,
    metricsWindows: DEFAULT_SAMPLE_WINDOWS,
    workerSyncTimeoutMs: 3_000,
    workerUnsyncBackoffMs: 300_000,
    connectProtocol: 'sessioned',
    exactlyOnceSourceSupport: 'disabled',
    clientOverridePolicy: 'All',
    clientOverrideAllowlist: [],
    interWorkerKeyTtlMs: 3_600_000,
    interWorkerKeySize: null,
    interWorkerKeyGenerationAlgorithm: 'HmacSHA256',
    interWorkerSignatureAlgorithm: 'HmacSHA256',
    interWorkerVerificationAlgorithms: ['HmacSHA256'],
    taskShutdownGracefulTimeoutMs: 1_000,
    topicTrackingEnable: true,
    topicTrackingAllowReset: true,
    restart: { max: 0, backoffMs: 1, maxBackoffMs: 1 },
    watchdog: { taskMs: 0, tickMs: 0 },
    client: () => ({ 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '' }),
    withPrefix: () => ({}),
    ...overrides,
  } as WorkerConfig;
}

export interface TestWorker {
  readonly herder: Herder;
  readonly host: FakeHost;
  readonly gate: ExactlyOnceGate;
  readonly behavior: FixtureBehavior;
  readonly url: string;
  fatal: unknown;
}

export function createWorker(
  clients: KafkaClients,
  group: string,
  options: { url?: string; config?: Partial<WorkerConfig>; behavior?: FixtureBehavior; logger?: Logger } = {},
): TestWorker {
  const behavior = options.behavior ?? defaultBehavior();
  const url = options.url ?? 'http://w1:8083/';
  let host: FakeHost | undefined;
  let gate: ExactlyOnceGate | undefined;
  const worker = {
    behavior,
    url,
    fatal: undefined as unknown,
    herder: createHerder({
      config: fixtureConfig(group, options.config),
      clients,
      registry: fixtureRegistry(behavior),
      validator: fixtureValidator,
      taskHost: ({ listener, offsets, gate: created }) => {
        gate = created;
        return (host = new FakeHost(listener, offsets));
      },
      logger: options.logger ?? silentLogger,
      restUrl: url,
      onFatal: (error) => (worker.fatal = error),
    }),
    get host(): FakeHost {
      return host as FakeHost;
    },
    get gate(): ExactlyOnceGate {
      return gate as ExactlyOnceGate;
    },
  };
  return worker;
}

/** `RUNNING RUNNING,FAILED`: connector, then its tasks; empty without a status. */
export function states(herder: Herder, name: string): string {
  let status: ConnectorStateInfo;
  try {
    status = herder.reads.connectorStatus(name);
  } catch {
    return '';
  }
  return `${status.connector.state} ${status.tasks.map(({ state }) => state).join()}`.trim();
}
