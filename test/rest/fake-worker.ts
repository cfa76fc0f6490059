/** A worker with a real HTTP layer and validation: the herder keeps everything in memory. */
import type {
  ConnectorConfig,
  ConverterPlugin,
  HeaderConverterPlugin,
  SinkConnector,
  SourceConnector,
  TaskSignal,
} from '@millrace/sdk';
import type { Express } from 'express';
import { changedMessage, type PartitionOffset } from '../../src/cluster/connector-offsets';
import { HerderError } from '../../src/cluster/errors';
import type { ForwardRequest } from '../../src/cluster/forwarding/forwarding';
import type {
  DeadLetterPage,
  RecordedChange,
  SignedBody,
  State,
  TargetState,
  WorkerFigures,
  WorkerHealth,
  WorkerMember,
} from '../../src/cluster/entities';
import type { Herder } from '../../src/cluster/herder';
import { validationFailure, type ConfigValidator } from '../../src/config/validation/config-infos';
import { createConfigValidator, type ConfigValidatorOptions } from '../../src/config/validation/connector-validator';
import type { WorkerConfig } from '../../src/config/worker-config';
import { CONVERTER_TYPE } from '../../src/converters/converter-type';
import { LogLevels } from '../../src/logging/log-levels';
import { silentLogger } from '../../src/logging/logger';
import { RecentLines } from '../../src/logging/recent-lines';
import { GroupMetrics } from '../../src/metrics/group-metrics';
import { RestMetrics } from '../../src/metrics/rest-metrics';
import { DEFAULT_SAMPLE_WINDOWS } from '../../src/metrics/task-metrics';
import { TimeInStates } from '../../src/metrics/time-in-states';
import { WorkMetrics } from '../../src/metrics/work-metrics';
import { createPluginRegistry } from '../../src/plugins/create-registry';
import type { BuiltInPlugin, PluginRegistry } from '../../src/plugins/registry';
import { connectRoutes, createApp } from '../../src/rest/app';
import type { RestContext } from '../../src/rest/routes/context';
import { OPEN_ACCESS, type Access } from '../../src/rest/auth/access';
import type { AuditLog } from '../../src/rest/auth/audit-log';
import { consoleFiles } from '../../src/rest/console/console-files';
import { consolePages } from '../../src/rest/console/console-pages';
import { createConsole } from '../../src/rest/console/console-routes';
import { HiddenSecrets } from '../../src/rest/auth/hidden-secrets';
import { BodyBudget, type BodyLimits } from '../../src/rest/http/body-budget';
import { createForwarder } from '../../src/rest/routes/forward';
import { loggerRoutes } from '../../src/rest/routes/loggers';
import { internalProof } from '../../src/rest/routes/worker-marks';
import { withOpenApi } from '../../src/rest/requests/openapi';
import { RestError } from '../../src/rest/http/rest-error';
import type { ConsoleRoute, Route } from '../../src/rest/requests/route';

const noTask = (): never => {
  throw new Error('no task is started here');
};

const fileSource: SourceConnector = {
  type: 'source',
  config: [
    { name: 'file', type: 'STRING', default: null, importance: 'HIGH', documentation: 'Source file.' },
    {
      name: 'topic',
      type: 'STRING',
      importance: 'HIGH',
      documentation: 'Topic.',
      validator: (value) => (value === '' ? 'String must be non-empty' : null),
    },
    { name: 'batch.size', type: 'INT', default: 2000, importance: 'LOW', documentation: 'Batch size.' },
  ],
  createTask: noTask,
};
const fileSink: SinkConnector = {
  type: 'sink',
  config: [{ name: 'file', type: 'STRING', default: null, importance: 'HIGH', documentation: 'Destination file.' }],
  createTask: noTask,
};
/** Follows its config: throws, hangs, or reports errors. */
const oddSource: SourceConnector = {
  type: 'source',
  config: [
    { name: 'tasks.max', type: 'INT', default: 0, importance: 'HIGH', documentation: 'Its own idea.', group: 'Odd' },
    { name: 'secret', type: 'PASSWORD', default: 'pw', importance: 'HIGH', documentation: 'A password.' },
    {
      name: 'pin',
      type: 'PASSWORD',
      default: null,
      importance: 'LOW',
      documentation: 'Never good.',
      validator: (value) => (value === null ? null : 'too short'),
    },
    { name: 'ratio', type: 'DOUBLE', default: 7, importance: 'LOW', documentation: 'A ratio.' },
    { name: 'behavior', type: 'STRING', default: '', importance: 'LOW', documentation: 'What validate does.' },
  ],
  validate: async (config) => {
    if (config.behavior === 'throw') throw new Error('x');
    if (config.behavior === 'hang') await new Promise(() => undefined);
    if (config.behavior === 'complain') {
      return [
        { key: 'ratio', message: 'The ratio is not to my liking' },
        { key: 'nowhere', message: 'This key is missing' },
      ];
    }
    return [];
  },
  createTask: noTask,
};
const jsonConverter: ConverterPlugin = {
  type: 'converter',
  config: [
    CONVERTER_TYPE,
    {
      name: 'schemas.enable',
      type: 'BOOLEAN',
      default: true,
      importance: 'HIGH',
      documentation: 'Schemas.',
      group: 'Schemas',
    },
    {
      name: 'decimal.format',
      type: 'STRING',
      default: 'BASE64',
      importance: 'LOW',
      documentation: 'Decimals.',
      group: 'Serialization',
    },
  ],
  create: noTask,
};
const headerConverter: HeaderConverterPlugin = { type: 'header_converter', config: [], create: noTask };

export function builtIn(className: string, plugin: BuiltInPlugin['plugin'], version = '4.3.1'): BuiltInPlugin {
  return {
    description: {
      type: plugin.type,
      class: className,
      version,
      aliases: [],
      taskClass: plugin.type === 'source' || plugin.type === 'sink' ? className.replace(/Connector$/, 'Task') : null,
      location: 'built-in',
    },
    plugin,
  };
}

export function fakeRegistry(more: readonly BuiltInPlugin[] = []): PluginRegistry {
  return createPluginRegistry({
    pluginPath: [],
    catalog: { entries: [], problems: [] },
    logger: silentLogger,
    builtIns: [
      ...more,
      builtIn('org.apache.kafka.connect.file.FileStreamSourceConnector', fileSource),
      builtIn('org.apache.kafka.connect.file.FileStreamSinkConnector', fileSink),
      builtIn('org.example.OddConnector', oddSource, 'undefined'),
      builtIn('org.example.a.TwinConnector', fileSource),
      builtIn('org.example.b.TwinConnector', fileSource),
      builtIn('org.apache.kafka.connect.json.JsonConverter', jsonConverter),
      builtIn('org.apache.kafka.connect.storage.SimpleHeaderConverter', headerConverter),
    ],
  });
}

export function fakeWorkerConfig(raw: Record<string, string> = {}): WorkerConfig {
  return {
    raw,
    groupId: 'connect-cluster',
    offset: { topic: 'connect-offsets', partitions: 25, replicationFactor: 1, topicConfigs: {} },
    keyConverter: 'org.apache.kafka.connect.json.JsonConverter',
    valueConverter: 'org.apache.kafka.connect.json.JsonConverter',
    headerConverter: 'org.apache.kafka.connect.storage.SimpleHeaderConverter',
    clientOverridePolicy: 'All',
    listeners: [],
    ...raw,
  } as unknown as WorkerConfig;
}

interface Entry {
  config: ConnectorConfig;
  type: 'source' | 'sink';
  target: TargetState;
  tasks: number;
  state: State;
  taskStates: State[];
}

const done = async (): Promise<void> => await Promise.resolve();

function apply(entry: Entry, target: TargetState): void {
  entry.target = target;
  entry.tasks = target === 'STOPPED' ? 0 : 1;
  entry.state = target === 'STARTED' ? 'RUNNING' : target;
  entry.taskStates = entry.tasks === 0 ? [] : [entry.state];
}

/** Follows connect-rest §1 and §2.2; everything asynchronous is done at once. */
export class FakeHerder implements Herder {
  readonly workerId = '127.0.0.1:8083';
  readonly entries = new Map<string, Entry>();
  readonly storedOffsets = new Map<string, readonly PartitionOffset[]>();
  readonly activeTopics = new Map<string, readonly string[]>();
  readonly submitted: { name: string; configs: readonly ConnectorConfig[]; body: SignedBody }[] = [];
  readonly signals: [task: string, signal: TaskSignal][] = [];
  readonly loggerLevels: [namespace: string, level: string][] = [];
  readonly recorded: RecordedChange[] = [];
  letters: DeadLetterPage | null = null;
  /** Of FAILED tasks. */
  trace = 'org.apache.kafka.connect.errors.ConnectException: boom\n\tat here\n';
  requiresSignatures = true;
  leaderUrl: string | null = 'http://127.0.0.1:8083/';
  /** Null: unknown. */
  group: readonly WorkerMember[] | null = [{ url: 'http://127.0.0.1:8083/', id: '127.0.0.1:8083' }];
  healthAnswer: () => Promise<WorkerHealth> = async () =>
    await Promise.resolve({
      status: 'healthy',
      message: 'Worker has completed startup and is ready to handle requests.',
    });
  /** Done by the next read of the topics. */
  onReadBack: () => void = () => undefined;
  /** Thrown by the next leader-only call. */
  elsewhere: Error | null = null;

  constructor(
    private readonly validator: ConfigValidator,
    private readonly registry: PluginRegistry,
  ) {}

  readonly start = done;
  readonly stop = done;
  readonly reloadPlugins = done;
  readonly kafkaClusterId = (): string => 'I4ZmrWqfT2e-upky_4fdPA';
  groupSecret = (purpose: string): Buffer => Buffer.from(purpose);
  readonly members = async (): Promise<readonly WorkerMember[] | null> => await Promise.resolve(this.group);
  readonly health = async (): Promise<WorkerHealth> => await this.healthAnswer();
  readBack(): Promise<void> {
    this.onReadBack();
    return Promise.resolve();
  }
  figures(): WorkerFigures {
    const work = new WorkMetrics(DEFAULT_SAMPLE_WINDOWS);
    return {
      clientId: 'connect-1',
      connectors: [...this.entries.keys()].map((connector) => ({
        ...{ connector, type: 'sink', class: 'X', version: null },
        states: new TimeInStates(),
      })),
      tasks: [],
      taskStates: [],
      worker: {
        ...{ connectors: this.entries.size, tasks: 0 },
        ...{ connectorStarts: work.connectorStarts, taskStarts: work.taskStarts },
      },
      membership: {
        ...{ clientId: 'connect-1', protocol: null, leaderUrl: null, generation: -1 },
        ...{ assignedConnectors: 0, assignedTasks: 0, group: GroupMetrics.create(DEFAULT_SAMPLE_WINDOWS) },
      },
      clients: [],
    };
  }

  readonly reads: Herder['reads'] = {
    connectors: () => [...this.entries.keys()],
    records: () => this.reads.connectors().map((name) => this.reads.record(name)),
    record: (name) => {
      const { config, type, target, tasks } = this.entry(name);
      return { name, config, type, target, tasks, status: this.reads.statusOrNull(name) };
    },
    connectorInfo: (name) => {
      const { config, tasks, type } = this.entry(name);
      return { name, config, tasks: Array.from({ length: tasks }, (_, task) => ({ connector: name, task })), type };
    },
    statusOrNull: (name) => (this.entries.has(name) ? this.reads.connectorStatus(name) : null),
    connectorStatus: (name) => {
      const entry = this.entry(name, `No status found for connector ${name}`);
      return {
        name,
        connector: { state: entry.state, worker_id: this.workerId, version: '4.3.1' },
        tasks: entry.taskStates.map((_, id) => this.reads.taskStatus(name, id)),
        type: entry.type,
      };
    },
    taskStatus: (name, id) => {
      const state = this.entries.get(name)?.taskStates[id];
      if (!state) throw new HerderError(404, `No status found for task ${name}-${id}`);
      const trace = state === 'FAILED' ? this.trace : '';
      return { id, state, worker_id: this.workerId, version: '4.3.1', trace };
    },
    taskInfos: (name) => {
      const { config, tasks } = this.entry(name);
      return Array.from({ length: tasks }, (_, task) => ({
        id: { connector: name, task },
        config: { ...config, 'task.class': 'org.apache.kafka.connect.file.FileStreamSourceTask' },
      }));
    },
    lastRestart: (name) => this.history.list(name).find(({ kind }) => kind === 'restarted') ?? null,
  };

  readonly history: Herder['history'] = {
    list: (connector) => this.recorded.filter(({ subject }) => connector === undefined || subject === connector),
  };

  readonly writes: Herder['writes'] = {
    createConnector: async (name, config, initial) => {
      const type = await this.check(config);
      if (this.entries.has(name)) throw new HerderError(409, `Connector ${name} already exists`);
      const entry: Entry = {
        config,
        type,
        target: initial ?? 'STARTED',
        tasks: 0,
        state: 'UNASSIGNED',
        taskStates: [],
      };
      this.entries.set(name, entry);
      apply(entry, entry.target);
      return { ...this.reads.connectorInfo(name), tasks: [] };
    },
    putConnectorConfig: async (name, config) => {
      const type = await this.check(config);
      const before = this.entries.get(name);
      if (!before) return { created: true, info: await this.writes.createConnector(name, config, null) };
      this.entries.set(name, { ...before, config, type });
      return { created: false, info: this.reads.connectorInfo(name) };
    },
    patchConnectorConfig: async (name, patch) => {
      this.leaderOnly();
      const merged = Object.entries({ ...this.entry(name).config, ...patch });
      const config = Object.fromEntries(merged.filter((kept): kept is [string, string] => kept[1] !== null));
      return (await this.writes.putConnectorConfig(name, config)).info;
    },
    deleteConnector: async (name) => {
      this.leaderOnly(name);
      this.entries.delete(name);
      await done();
    },
    setTargetState: async (name, state) => {
      apply(this.entry(name, `Unknown connector ${name}`), state);
      await done();
    },
    stopConnector: async (name) => {
      apply(this.leaderOnly(name, `Unknown connector ${name}`), 'STOPPED');
      await done();
    },
    setLoggerLevel: async (namespace, level) => {
      this.loggerLevels.push([namespace, level]);
      await done();
    },
    submitTaskConfigs: async (name, body, read) => {
      if (body.signature === null) throw new HerderError(400, 'Internal request missing required signature');
      this.submitted.push({ name, configs: read(true), body });
      await done();
    },
    fenceTasks: noTask,
  };

  readonly restarts: Herder['restarts'] = {
    restartConnector: async (name) => {
      this.leaderOnly(name, `Unknown connector: ${name}`);
      await done();
    },
    requestRestart: async (name, { onlyFailed, includeTasks }) => {
      const entry = this.leaderOnly(name, `Unknown connector: ${name}`);
      const status = this.reads.connectorStatus(name);
      const restarted = (state: State): State => (!onlyFailed || state === 'FAILED' ? 'RESTARTING' : state);
      return await Promise.resolve({
        ...status,
        connector: { ...status.connector, state: restarted(entry.state) },
        tasks: status.tasks.map((task) => ({ ...task, state: includeTasks ? restarted(task.state) : task.state })),
      });
    },
    restartTask: async (name, task) => {
      this.task(name, task);
      await done();
    },
    signalTask: async (name, task, signal) => {
      if (this.task(name, task).state !== 'RUNNING')
        throw new HerderError(409, `Task ${name}-${task} is not running, so it accepts no signals`);
      if (signal.type === 'refused') throw new HerderError(400, 'no such signal');
      this.signals.push([`${name}-${task}`, signal]);
      await done();
    },
  };

  readonly offsets: Herder['offsets'] = {
    list: async (name) => {
      this.entry(name);
      return await Promise.resolve(this.storedOffsets.get(name) ?? []);
    },
    /** Replaces the existing ones. */
    alter: async (name, offsets) => {
      this.leaderOnly(name);
      this.storedOffsets.set(name, offsets);
      return await Promise.resolve(changedMessage('altered', true));
    },
    reset: async (name) => {
      this.leaderOnly(name);
      this.storedOffsets.delete(name);
      return await Promise.resolve(changedMessage('reset', true));
    },
  };

  readonly deadLetters: Herder['deadLetters'] = {
    list: async (name, limit) => {
      this.entry(name);
      if (!this.letters) throw new HerderError(404, `DLQ_NONE: Connector ${name} has no dead letter topic`);
      return await Promise.resolve({ ...this.letters, letters: this.letters.letters.slice(0, limit) });
    },
    replay: async (name, letters) => {
      this.entry(name);
      return await Promise.resolve(letters.map(({ offset }) => (offset === 0 ? 'DLQ_LETTER_GONE: gone' : null)));
    },
  };

  readonly topics: Herder['topics'] = {
    list: (name) => this.activeTopics.get(name) ?? [],
    reset: (name) => void this.activeTopics.delete(name),
  };

  private entry(name: string, message = `Connector ${name} not found`): Entry {
    const entry = this.entries.get(name);
    if (!entry) throw new HerderError(404, message);
    return entry;
  }
  private leaderOnly(): void;
  private leaderOnly(name: string, message?: string): Entry;
  private leaderOnly(name?: string, message?: string): Entry | undefined {
    const error = this.elsewhere;
    this.elsewhere = null;
    if (error) throw error;
    return name === undefined ? undefined : this.entry(name, message);
  }
  private task(name: string, task: number): Entry {
    const entry = this.leaderOnly(name, `Unknown connector: ${name}`);
    if (!entry.taskStates[task]) throw new HerderError(404, `Unknown task: ${name}-${task}`);
    return entry;
  }
  private async check(config: ConnectorConfig): Promise<'source' | 'sink'> {
    const failure = validationFailure(await this.validator.validate(config));
    if (failure !== null) throw new HerderError(400, failure);
    this.leaderOnly();
    return this.registry.find(config['connector.class'] ?? '')?.type === 'sink' ? 'sink' : 'source';
  }
}

export interface FakeWorker {
  readonly app: Express;
  readonly herder: FakeHerder;
  readonly levels: LogLevels;
  readonly recent: RecentLines;
  readonly routes: readonly Route[];
  readonly consoleRoutes: readonly ConsoleRoute[];
}

export interface FakeWorkerOptions {
  readonly settings?: Record<string, string>;
  readonly forward?: ForwardRequest;
  readonly requestLimitMs?: number;
  readonly healthLimitMs?: number;
  readonly pluginLimitMs?: number;
  readonly bodies?: BodyLimits;
  readonly access?: Access;
  readonly audit?: AuditLog;
  /** With files of the console. Absent: only its API is served. */
  readonly consoleFolder?: string;
  readonly plugins?: readonly BuiltInPlugin[];
  readonly resolver?: ConfigValidatorOptions['resolver'];
  /** No herder yet. */
  readonly starting?: boolean;
}

export function fakeWorker(options: FakeWorkerOptions = {}): FakeWorker {
  const registry = fakeRegistry(options.plugins);
  const validator = createConfigValidator({
    registry,
    config: fakeWorkerConfig(options.settings),
    ...(options.resolver ? { resolver: options.resolver } : {}),
    ...(options.pluginLimitMs === undefined ? {} : { pluginLimitMs: options.pluginLimitMs }),
  });
  const herder = new FakeHerder(validator, registry);
  const levels = new LogLevels();
  const send = options.forward ?? (() => Promise.reject(new Error('nobody to forward to')));
  const context: RestContext = {
    herderIfReady: () => (options.starting ? null : herder),
    herder: () => {
      if (options.starting) throw new RestError(404, 'Worker is still starting up.');
      return herder;
    },
    registry,
    validator,
    levels,
    logger: silentLogger,
    forward: createForwarder(send, undefined, undefined, async () => await herder.readBack()),
    secrets: new HiddenSecrets(options.access?.hasRoles === true, validator, registry),
    metrics: new RestMetrics(),
    version: '4.3.1',
    commit: '0123456789abcdef',
    startedAt: 1_700_000_000_000,
    healthLimitMs: options.healthLimitMs ?? 10_000,
  };
  const recent = new RecentLines();
  const routes = withOpenApi([...connectRoutes(context), ...loggerRoutes(context)], context.version);
  const consoleRoutes = createConsole({
    ...context,
    send,
    accepts: options.access?.accepts ?? [],
    millraceVersion: '0.0.0',
    groupId: 'connect-cluster',
    tracksTopics: true,
    recent,
  })(true);
  const limits = options.bodies ?? { maxBytes: 1024 * 1024, inFlightBytes: 16 * 1024 * 1024 };
  const app = createApp([...routes, ...consoleRoutes], {
    logger: silentLogger,
    access: options.access ?? OPEN_ACCESS,
    ...(options.audit ? { audit: options.audit } : {}),
    requestLimitMs: options.requestLimitMs ?? 90_000,
    bodies: new BodyBudget(limits),
    ...(options.access ? { internalBodies: new BodyBudget(limits) } : {}),
    workerBodies: { budget: new BodyBudget(limits), isProven: internalProof(() => herder) },
    ...(options.consoleFolder === undefined ? {} : { pages: consolePages(consoleFiles(options.consoleFolder)) }),
  });
  return { app, herder, levels, recent, routes, consoleRoutes };
}

export const SRC = { 'connector.class': 'FileStreamSource', topic: 't' };
export const SNK = { 'connector.class': 'FileStreamSink', topics: 't' };
