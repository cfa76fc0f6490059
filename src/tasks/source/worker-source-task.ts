/** A source task with its producer, converters, offset tracker and committer. Source: connect-runtime §4. */
import {
  ConnectError,
  type SourceConnector,
  type SourceTask,
  type SourceTaskContext,
  settledWithin,
} from '@millrace/sdk';
import type { Admin, Producer } from '../../kafka/port';
import type { TransformationChain } from '../../transforms/chain';
import { sourceProducerConfig, taskAdminConfig } from '../clients/client-configs';
import { connectClient } from '../clients/connect-client';
import { ErrorPolicy, LogReporter } from '../errors/error-policy';
import { errorSettings } from '../errors/error-settings';
import { OffsetTracker } from './offset-tracker';
import { OffsetCommitter } from './offset-committer';
import { SourceLoop } from './source-loop';
import { SourceConversion } from './source-conversion';
import { storeOffset } from './stored-offset';
import { taskConverters } from '../task-converters';
import { closeTransforms, taskTransforms } from '../task-transforms';
import type { WorkerTask, WorkerTaskOptions } from '../task-environment';
import { taskName } from '../task-id';
import { TaskProducers } from '../clients/task-producers';
import { TopicCreator } from './topic-creator';
import { topicGroups } from './topic-creation-config';
import { messageOf } from '../trace';

const CLOSE_MS = 30_000;

export async function createWorkerSourceTask(options: WorkerTaskOptions<SourceConnector>): Promise<WorkerTask> {
  const { spec, environment, logger, metrics } = options;
  const { config, clients, registry } = environment;
  const converters = await taskConverters(spec.connectorConfig, config, registry);
  const chain = await taskTransforms(spec.connectorConfig, registry);
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

interface Parts {
  readonly task: SourceTask;
  readonly chain: TransformationChain | null;
  readonly producer: Producer;
  readonly admin: Admin | null;
  readonly tracker: OffsetTracker;
  readonly loop: SourceLoop;
}

class WorkerSourceTask implements WorkerTask {
  private readonly aborter = new AbortController();
  private readonly producers: TaskProducers;
  private readonly committer: OffsetCommitter;
  private cancelled = false;
  /** `stop` of the task belongs to `start`, also to one that threw. */
  private started = false;

  constructor(
    private readonly options: WorkerTaskOptions<SourceConnector>,
    private readonly parts: Parts,
  ) {
    const { clients, config, offsets } = options.environment;
    this.producers = new TaskProducers(clients, options.spec.id);
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
        read: (connector, partitions) => offsets.read(connector, partitions),
        write: async (connector, entries) => {
          this.refuseWhenCancelled();
          await offsets.write(connector, entries);
        },
      },
    });
  }

  async run(): Promise<void> {
    const { task, producer, loop } = this.parts;
    const { spec, hooks, calls, logger } = this.options;
    try {
      await connectClient(producer, { sleep: (ms) => loop.sleep(ms), stopping: () => loop.isStopping }, logger);
      if (loop.isStopping) return;
      this.started = true;
      await calls.during('start', () => task.start(spec.taskConfig, this.context()));
      hooks.onRunning();
      this.committer.start();
      await loop.run();
    } finally {
      await this.finish();
    }
  }

  stop(): void {
    this.parts.loop.stop();
    this.aborter.abort();
  }
  pause(): void {
    this.parts.loop.pause();
  }
  resume(): void {
    this.parts.loop.resume();
  }
  forgetTopic(topic: string): void {
    this.parts.loop.forgetTopic(topic);
  }
  cancel(): void {
    this.cancelled = true;
    this.stop();
    // A task that hangs never gets to the end, where its commits stop otherwise.
    void this.committer.stop();
    void this.parts.producer.close(0).catch(() => undefined);
    void this.producers.close().catch(() => undefined);
  }

  /**
   * Whatever was acknowledged is stored before the task is told to stop, so that it can still confirm it to its source.
   */
  private async finish(): Promise<void> {
    const { task, chain, producer, admin } = this.parts;
    this.aborter.abort();
    await this.committer.stop();
    if (!this.cancelled) {
      const limit = this.options.environment.config.offsetFlushTimeoutMs;
      await settledWithin(producer.flush(), limit, undefined).catch(() => undefined);
      await this.committer.commit(limit);
    }
    if (this.started) await this.quietly('stop() of the task', async () => task.stop());
    await this.quietly('closing producers of the task', () => this.producers.close());
    if (chain) closeTransforms(chain, this.options.logger);
    await this.quietly('closing the producer', () => producer.close(this.cancelled ? 0 : CLOSE_MS));
    if (admin) await this.quietly('closing the admin client', () => admin.close());
  }

  private async quietly(what: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.options.logger.warn(`An error while ${what} is ignored: ${messageOf(error)}`, { error });
    }
  }

  private refuseWhenCancelled(): void {
    if (this.cancelled)
      throw new ConnectError('The task was cancelled and may no longer store offsets.', { code: 'TASK_CANCELLED' });
  }

  private context(): SourceTaskContext {
    const { spec, environment, logger, workerSettings } = this.options;
    const { committer } = this;
    const { signal } = this.aborter;
    const read = async (partitions: Parameters<SourceTaskContext['offsets']['offsets']>[0]) => {
      this.refuseWhenCancelled();
      return await environment.offsets.read(spec.id.connector, partitions);
    };
    return {
      connector: spec.id.connector,
      task: spec.id.task,
      logger,
      signal,
      workerSettings,
      configs: () => spec.taskConfig,
      createProducer: this.producers.create,
      offsets: {
        offset: async (partition) => (await read([partition]))[0] ?? null,
        offsets: read,
      },
      storeOffset: (partition, offset) => storeOffset({ ...this.parts, committer, signal, partition, offset }),
    };
  }
}
