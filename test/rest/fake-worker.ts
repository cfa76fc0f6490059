/** The REST layer and validation of a worker, with a scripted herder. */
import type { ConnectorConfig } from '@millrace/sdk';
import { changedMessage } from '../../src/cluster/connector-offsets';
import type { RecordedChange, State, TargetState, WorkerFigures, WorkerHealth } from '../../src/cluster/entities';
import type { WorkerMember } from '../../src/cluster/entities';
import { HerderError } from '../../src/cluster/errors';
import type { ForwardRequest } from '../../src/cluster/forwarding/forwarding';
import type { Herder } from '../../src/cluster/herder';
import { validationFailure, type ConfigValidator } from '../../src/config/validation/config-infos';
import { createConfigValidator, type ConfigValidatorOptions } from '../../src/config/validation/connector-validator';
import { LogLevels } from '../../src/logging/log-levels';
import { silentLogger } from '../../src/logging/logger';
import { RecentLines } from '../../src/logging/recent-lines';
import { GroupMetrics } from '../../src/metrics/group-metrics';
import type { JvmState } from '../../src/metrics/jvm-groups';
import { RestMetrics } from '../../src/metrics/rest-metrics';
import { DEFAULT_SAMPLE_WINDOWS } from '../../src/metrics/task-metrics';
import { WorkMetrics } from '../../src/metrics/work-metrics';
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
import { GroupHealth } from '../../src/rest/health/group-health';
import { reportRoute } from '../../src/rest/reports/report-route';
import { quickHealth } from '../../src/rest/routes/worker';
import { GroupLogs } from '../../src/rest/routes/group-logs';
import { createForwarder } from '../../src/rest/routes/forward';
import { loggerRoutes } from '../../src/rest/routes/loggers';
import { internalProof } from '../../src/rest/routes/worker-marks';
import { withOpenApi } from '../../src/rest/requests/openapi';
import { RestError } from '../../src/rest/http/rest-error';
import { fakeRegistry, fakeWorkerConfig } from '../helpers/fake-plugins';

interface Entry {
  config: ConnectorConfig;
  type: 'source' | 'sink';
  target: TargetState;
  state: State;
  taskStates: State[];
}

const done = async (): Promise<void> => await Promise.resolve();
const inState = (target: TargetState): Pick<Entry, 'target' | 'state' | 'taskStates'> => {
  const state = target === 'STARTED' ? 'RUNNING' : target;
  return { target, state, taskStates: target === 'STOPPED' ? [] : [state] };
};

/**
 * Connectors are in memory, and each change is done at once. For faults and for the answers of a real herder that a
 * test cannot cause, a test replaces a method.
 */
export class FakeHerder implements Herder {
  readonly workerId = '127.0.0.1:8083';
  readonly leaderUrl = 'http://127.0.0.1:8083/';
  absence: Herder['absence'] = null;
  readonly entries = new Map<string, Entry>();
  readonly recorded: RecordedChange[] = [];
  /** Of FAILED tasks. */
  trace = 'org.apache.kafka.connect.errors.ConnectException: boom\n\tat here\n';
  requiresSignatures = true;
  /** Null: unknown. */
  group: readonly WorkerMember[] | null = [{ url: this.leaderUrl, id: this.workerId }];
  /** Thrown by the next leader-only call. */
  elsewhere: Error | null = null;

  constructor(
    private readonly validator: ConfigValidator,
    private readonly registry: PluginRegistry,
  ) {}

  readonly start = done;
  readonly stop = done;
  readonly reloadPlugins = done;
  readBack = done;
  readonly kafkaClusterId = (): string => 'I4ZmrWqfT2e-upky_4fdPA';
  groupSecret = (purpose: string): Buffer => Buffer.from(purpose);
  readonly members = async (): Promise<readonly WorkerMember[] | null> => await Promise.resolve(this.group);
  health = async (): Promise<WorkerHealth> => {
    const message = 'Worker has completed startup and is ready to handle requests.';
    return await Promise.resolve({ status: 'healthy', message });
  };
  figures(): WorkerFigures {
    const { connectorStarts, taskStarts } = new WorkMetrics(DEFAULT_SAMPLE_WINDOWS);
    const group = GroupMetrics.create(DEFAULT_SAMPLE_WINDOWS);
    const membership = {
      protocol: null,
      leaderUrl: null,
      generation: -1,
      isMember: true,
      assignedConnectors: 0,
      assignedTasks: 0,
    };
    return {
      ...{ clientId: 'connect-1', connectors: [], tasks: [], taskStates: [], clients: [] },
      worker: { connectors: this.entries.size, tasks: 0, connectorStarts, taskStarts },
      membership: { clientId: 'connect-1', ...membership, group },
    };
  }

  readonly reads: Herder['reads'] = {
    connectors: () => [...this.entries.keys()],
    records: () => this.reads.connectors().map((name) => this.reads.record(name)),
    record: (name) => {
      const { config, type, target, taskStates } = this.entry(name);
      return { name, config, type, target, tasks: taskStates.length, status: this.reads.statusOrNull(name) };
    },
    connectorInfo: (name) => {
      const { config, type } = this.entry(name);
      return { name, config, tasks: this.reads.taskInfos(name).map(({ id }) => id), type };
    },
    statusOrNull: (name) => (this.entries.has(name) ? this.reads.connectorStatus(name) : null),
    connectorStatus: (name) => {
      const { state, type, taskStates } = this.entry(name);
      const tasks = taskStates.map((_, id) => this.reads.taskStatus(name, id));
      return { name, connector: { state, worker_id: this.workerId, version: '4.3.1' }, tasks, type };
    },
    taskStatus: (name, id) => {
      const state = this.task(name, id);
      return { id, state, worker_id: this.workerId, version: '4.3.1', trace: state === 'FAILED' ? this.trace : '' };
    },
    taskInfos: (name) => {
      const { config, taskStates } = this.entry(name);
      return taskStates.map((_, task) => ({ id: { connector: name, task }, config }));
    },
    lastRestart: (name) => this.history.list(name).find(({ kind }) => kind === 'restarted') ?? null,
  };

  readonly history: Herder['history'] = {
    list: (connector) => this.recorded.filter(({ subject }) => connector === undefined || subject === connector),
  };

  readonly writes: Herder['writes'] = {
    createConnector: async (name, config, initial) => {
      const type = await this.check(config);
      this.entries.set(name, { config, type, ...inState(initial ?? 'STARTED') });
      return { ...this.reads.connectorInfo(name), tasks: [] };
    },
    putConnectorConfig: async (name, config) => {
      const before = this.entries.get(name);
      if (!before) return { created: true, info: await this.writes.createConnector(name, config, null) };
      this.entries.set(name, { ...before, config, type: await this.check(config) });
      return { created: false, info: this.reads.connectorInfo(name) };
    },
    patchConnectorConfig: async (name, patch) => {
      this.leaderOnly();
      const merged = Object.entries({ ...this.entry(name).config, ...patch });
      const config = Object.fromEntries(merged.filter((kept): kept is [string, string] => kept[1] !== null));
      return (await this.writes.putConnectorConfig(name, config)).info;
    },
    deleteConnector: async (name) => {
      this.entries.delete(await this.existing(name));
    },
    setTargetState: async (name, state) => {
      Object.assign(this.entry(name), inState(state));
      await done();
    },
    stopConnector: async (name) => void Object.assign(this.entry(await this.existing(name)), inState('STOPPED')),
    setLoggerLevel: done,
    submitTaskConfigs: async (_name, { signature }, read) => {
      if (signature === null) throw new HerderError(400, 'Internal request missing required signature');
      read(true);
      await done();
    },
    fenceTasks: () => {
      throw new Error('no producer is fenced here');
    },
  };

  readonly restarts: Herder['restarts'] = {
    restartConnector: async (name) => void (await this.existing(name)),
    requestRestart: async (name) => this.reads.connectorStatus(await this.existing(name)),
    restartTask: async (name, task) => void this.task(await this.existing(name), task),
    signalTask: async (name, task) => void this.task(await this.existing(name), task),
  };

  readonly offsets: Herder['offsets'] = {
    list: async (name) => {
      this.entry(name);
      return await Promise.resolve([]);
    },
    partitions: async (name) => {
      this.entry(name);
      return await Promise.resolve([]);
    },
    alter: async (name) => {
      await this.existing(name);
      return changedMessage('altered', true);
    },
    reset: async (name) => {
      await this.existing(name);
      return changedMessage('reset', true);
    },
  };

  readonly deadLetters: Herder['deadLetters'] = {
    list: async (name) => {
      this.entry(name);
      return await Promise.resolve({ topic: 'dlq', total: 0, letters: [] });
    },
    groups: async (name) => {
      this.entry(name);
      return await Promise.resolve({ topic: 'dlq', total: 0, read: 0, groups: [] });
    },
    replay: async (name, letters) => {
      this.entry(name);
      return await Promise.resolve(letters.map(() => ({ error: null, failedAgain: null })));
    },
  };

  readonly records: Herder['records'] = {
    topics: () => ['orders'],
    newest: async (name, topic) => {
      this.entry(name);
      return await Promise.resolve({ topic, total: 0, records: [] });
    },
  };

  readonly topics: Herder['topics'] = { list: () => [], reset: () => undefined };

  private entry(name: string): Entry {
    const entry = this.entries.get(name);
    if (!entry) throw new HerderError(404, `Connector ${name} not found`);
    return entry;
  }
  private task(name: string, task: number): State {
    const state = this.entry(name).taskStates[task];
    if (!state) throw new HerderError(404, `Unknown task: ${name}-${task}`);
    return state;
  }
  private leaderOnly(): void {
    const error = this.elsewhere;
    this.elsewhere = null;
    if (error) throw error;
  }
  /** For the leader: the name of a connector that exists. */
  private async existing(name: string): Promise<string> {
    this.leaderOnly();
    this.entry(name);
    return await Promise.resolve(name);
  }
  private async check(config: ConnectorConfig): Promise<'source' | 'sink'> {
    const failure = validationFailure(await this.validator.validate(config));
    if (failure !== null) throw new HerderError(400, failure);
    this.leaderOnly();
    return this.registry.find(config['connector.class'] ?? '')?.type === 'sink' ? 'sink' : 'source';
  }
}

export type FakeWorker = ReturnType<typeof fakeWorker>;

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
  readonly jvms?: () => readonly JvmState[];
  readonly resolver?: ConfigValidatorOptions['resolver'];
  /** No herder yet. */
  readonly starting?: boolean;
}

export function fakeWorker(options: FakeWorkerOptions = {}) {
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
  const recent = new RecentLines();
  const herderIfReady = (): FakeHerder | null => (options.starting ? null : herder);
  const readyHerder = (): FakeHerder => {
    if (options.starting) throw new RestError(404, 'Worker is still starting up.');
    return herder;
  };
  const secrets = new HiddenSecrets(options.access?.hasRoles === true, validator, registry);
  const healthLimitMs = options.healthLimitMs ?? 10_000;
  const context: RestContext = {
    ...{ herderIfReady, herder: readyHerder, secrets, healthLimitMs, registry },
    logs: new GroupLogs({ herder: readyHerder, secrets, logger: silentLogger, recent, send }),
    health: new GroupHealth({
      ...{ herder: readyHerder, registry, secrets, send, millraceVersion: '0.0.0' },
      worker: quickHealth({ herderIfReady, healthLimitMs }, 1_000),
      ...(options.jvms && { jvms: options.jvms }),
    }),
    validator,
    levels,
    logger: silentLogger,
    forward: createForwarder(send, undefined, undefined, async () => await herder.readBack()),
    metrics: new RestMetrics(),
    version: '4.3.1',
    commit: '0123456789abcdef',
    startedAt: 1_700_000_000_000,
  };
  const routes = withOpenApi([...connectRoutes(context), ...loggerRoutes(context)], context.version);
  const ui = createConsole({
    ...context,
    send,
    accepts: options.access?.accepts ?? [],
    millraceVersion: '0.0.0',
    groupId: 'connect-cluster',
    tracksTopics: true,
    docsUrl: null,
  });
  const consoleRoutes = [reportRoute(async () => await context.health.ownReport()), ...ui.routes(true)];
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
  return { app, herder, levels, recent, routes, consoleRoutes, history: ui.history };
}
