/** A source task with its producer, converters, offset tracker and committer. Source: connect-runtime §4. */
import {
  ConnectError,
  type SourceConnector,
  type SourceTask,
  type SourceTaskContext,
  settledWithin,
} from '@millrace/sdk';
import type { Admin, Producer } from '../../kafka/port';
import { sourceProducerConfig, taskAdminConfig } from '../clients/client-configs';
import { connectClient } from '../clients/connect-client';
import { ErrorPolicy, LogReporter } from '../errors/error-policy';
import { errorSettings } from '../errors/error-settings';
import { OffsetTracker } from './offset-tracker';
import { OffsetCommitter } from './offset-committer';
import { SourceLoop } from './source-loop';
import { SourceConversion } from './source-conversion';
import { columnConverter } from './column-converter';
import { storeOffset } from './stored-offset';
import { taskConverters } from '../task-converters';
import { taskTransforms } from '../task-transforms';
import { WorkerTask, type WorkerTaskOptions, type WorkerTaskParts } from '../worker-task';
import { taskName } from '../task-id';
import { TopicCreator } from './topic-creator';
import { topicGroups } from './topic-creation-config';

const CLOSE_MS = 30_000;

export async function createWorkerSourceTask(options: WorkerTaskOptions<SourceConnector>): Promise<WorkerTask> {
  const { spec, environment, logger, metrics } = options;
  const { config, clients, registry } = environment;
  const converters = await taskConverters(spec.connectorConfig, config, registry);
  const chain = await taskTransforms(spec.connectorConfig, registry, logger);
  const groups = config.topicCreationEnable ? topicGroups(spec.connectorConfig) : null;
  const task = options.connector.createTask();
  const producer = clients.producer(sourceProducerConfig(config, spec.id, spec.connectorConfig), options.lease);
  const admin = groups ? clients.admin(taskAdminConfig(config, spec.id, spec.connectorConfig)) : null;
  const settings = errorSettings(spec.connectorConfig);
  const tracker = new OffsetTracker();
  const policy: ErrorPolicy = new ErrorPolicy({
    settings,
    reporters: settings.log ? [new LogReporter(logger, taskName(spec.id), settings, metrics.errors)] : [],
    metrics: metrics.errors,
    sleep: (ms) => loop.sleep(ms),
    stopping: () => loop.isStopping,
  });
  const loop: SourceLoop = new SourceLoop({
    task,
    calls: options.calls,
    lease: options.lease,
    producer,
    policy,
    tracker,
    chain,
    metrics,
    logger,
    conversion: new SourceConversion(converters, policy),
    topics: admin && groups ? new TopicCreator(admin, groups, logger) : null,
    keepRecords: settings.log && settings.logMessages,
    onTopicActive: (topic) => options.hooks.onTopicActive(topic),
    onPaused: () => options.hooks.onPaused(),
    onResumed: () => options.hooks.onResumed(),
  });
  return new WorkerSourceTask(options, { task, chain, producer, admin, tracker, loop });
}

interface Parts extends WorkerTaskParts {
  readonly task: SourceTask;
  readonly producer: Producer;
  readonly admin: Admin | null;
  readonly tracker: OffsetTracker;
  readonly loop: SourceLoop;
}

class WorkerSourceTask extends WorkerTask<SourceConnector, Parts> {
  private readonly committer: OffsetCommitter;

  constructor(options: WorkerTaskOptions<SourceConnector>, parts: Parts) {
    super(options, parts);
    const { config, offsets } = options.environment;
    this.committer = new OffsetCommitter({
      connector: options.spec.id.connector,
      tracker: parts.tracker,
      lease: options.lease,
      task: parts.task,
      metrics: options.metrics,
      logger: options.logger,
      intervalMs: config.offsetFlushIntervalMs,
      timeoutMs: config.offsetFlushTimeoutMs,
      storage: {
        write: async (connector, entries) => {
          this.refuseWhenCancelled();
          await offsets.write(connector, entries);
        },
      },
    });
  }

  protected override async connect(): Promise<void> {
    const { producer, loop } = this.parts;
    const wait = { sleep: (ms: number) => loop.sleep(ms), stopping: () => loop.isStopping };
    await connectClient(producer, wait, this.options.logger);
  }

  protected override async startTask(): Promise<void> {
    await this.parts.task.start(this.options.spec.taskConfig, this.sourceContext());
    this.committer.start();
  }

  /** Acknowledged offsets are stored while the task can still confirm them to its source. */
  protected override async beforeTaskStop(): Promise<void> {
    await this.committer.stop();
    if (this.cancelled) return;
    const limit = this.options.environment.config.offsetFlushTimeoutMs;
    await settledWithin(this.parts.producer.flush(), limit, undefined).catch(() => undefined);
    await this.committer.commit(limit);
  }

  protected override async closeClients(): Promise<void> {
    const { producer, admin } = this.parts;
    await this.logErrors('closing the producer', () => producer.close(this.cancelled ? 0 : CLOSE_MS));
    if (admin) await this.logErrors('closing the admin client', () => admin.close());
  }

  protected override abandonClients(): void {
    void this.committer.stop();
    void this.parts.producer.close(0).catch(() => undefined);
  }

  private refuseWhenCancelled(): void {
    if (this.cancelled)
      throw new ConnectError('The task was cancelled and may no longer store offsets.', { code: 'TASK_CANCELLED' });
  }

  private sourceContext(): SourceTaskContext {
    const { spec, environment } = this.options;
    const { committer, signal } = this;
    const read = async (partitions: Parameters<SourceTaskContext['offsets']['offsets']>[0]) => {
      this.refuseWhenCancelled();
      return await environment.offsets.read(spec.id.connector, partitions);
    };
    return {
      ...this.context(),
      offsets: {
        offset: async (partition) => (await read([partition]))[0] ?? null,
        offsets: read,
      },
      exactlyOnce: false,
      transactionContext: null,
      columnConverter: (name) => columnConverter(name, environment.registry),
      storeOffset: (partition, offset) => storeOffset({ ...this.parts, committer, signal, partition, offset }),
    };
  }
}
