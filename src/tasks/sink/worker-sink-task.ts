/** A sink task with its consumer, converters and dead letter topic. Source: connect-runtime §5. */
import { type SinkConnector, type SinkTask, type SinkTaskContext, Wakeup } from '@millrace/sdk';
import type { GroupConsumer } from '../../kafka/port';
import type { TransformationChain } from '../../transforms/chain';
import { deadLetterProducerConfig, sinkConsumerConfig, taskAdminConfig } from '../clients/client-configs';
import { connectClient, untilReachable, type Wait } from '../clients/connect-client';
import { ensureDeadLetterTopic } from '../errors/dead-letter-topic';
import { DeadLetters } from '../errors/dead-letters';
import { ErrantRecords } from './errant-records';
import { ErrorPolicy, LogReporter } from '../errors/error-policy';
import { errorSettings, type ErrorSettings } from '../errors/error-settings';
import type { FailureReporter } from '../errors/failed-record';
import { OffsetHolds } from '../errors/offset-holds';
import { SinkConversion } from './sink-conversion';
import { SinkLoop } from './sink-loop';
import { sinkTopics } from './sink-subscription';
import { taskConverters } from '../task-converters';
import { closeTransforms, taskTransforms } from '../task-transforms';
import type { WorkerTask, WorkerTaskOptions } from '../task-environment';
import { taskName } from '../task-id';
import { TaskProducers } from '../clients/task-producers';
import { messageOf } from '../trace';

/** For dead letters of a task that reports in `stop`: the others had their time before the last commit. */
const DEAD_LETTERS_MS = 1000;

export async function createWorkerSinkTask(options: WorkerTaskOptions<SinkConnector>): Promise<WorkerTask> {
  const { spec, environment, logger, metrics } = options;
  const { config, clients, registry } = environment;
  const settings = errorSettings(spec.connectorConfig);
  const topics = sinkTopics(spec.connectorConfig);
  const converters = await taskConverters(spec.connectorConfig, config, registry);
  const chain = await taskTransforms(spec.connectorConfig, registry);
  const task = options.connector.createTask();
  const consumer = clients.groupConsumer(sinkConsumerConfig(config, spec.id, spec.connectorConfig, spec.consumerGroup));
  const holds = new OffsetHolds();
  const reporters: FailureReporter[] = [];
  if (settings.log) reporters.push(new LogReporter(logger, taskName(spec.id), settings, metrics.errors));
  const deadLetters =
    settings.deadLetterTopic === null
      ? null
      : new DeadLetters({
          producer: clients.producer(deadLetterProducerConfig(config, spec.id, spec.connectorConfig), options.lease),
          topic: settings.deadLetterTopic,
          id: spec.id,
          settings,
          holds,
          metrics: metrics.errors,
          logger,
          onChange: () => loop.deadLettersMoved(),
        });
  if (deadLetters) reporters.push(deadLetters);
  const wakeup = new Wakeup();
  const policy: ErrorPolicy = new ErrorPolicy({
    settings,
    reporters,
    metrics: metrics.errors,
    sleep: (ms) => wakeup.wait(ms),
    stopping: () => loop.isStopping,
  });
  const errants = reporters.length > 0 ? new ErrantRecords(policy, converters, holds) : null;
  const loop: SinkLoop = new SinkLoop({
    task,
    calls: options.calls,
    lease: options.lease,
    sleep: (ms) => wakeup.wait(ms),
    consumer,
    errants,
    deadLetters,
    holds,
    metrics,
    logger,
    conversion: new SinkConversion(converters, chain, policy, errants ? errants.remember : null),
    flushIntervalMs: config.offsetFlushIntervalMs,
    flushTimeoutMs: config.offsetFlushTimeoutMs,
    onTopicActive: (topic) => options.hooks.onTopicActive(topic),
    onPaused: () => options.hooks.onPaused(),
    onResumed: () => options.hooks.onResumed(),
  });
  return new WorkerSinkTask(options, { settings, topics, task, chain, consumer, deadLetters, errants, loop, wakeup });
}

interface Parts {
  readonly settings: ErrorSettings;
  readonly topics: readonly string[] | RegExp;
  readonly task: SinkTask;
  readonly chain: TransformationChain | null;
  readonly consumer: GroupConsumer;
  readonly deadLetters: DeadLetters | null;
  readonly errants: ErrantRecords | null;
  readonly loop: SinkLoop;
  readonly wakeup: Wakeup;
}

class WorkerSinkTask implements WorkerTask {
  private readonly aborter = new AbortController();
  private readonly producers: TaskProducers;
  private cancelled = false;
  /** `stop` of the task belongs to `start`, also to one that threw. */
  private started = false;

  constructor(
    private readonly options: WorkerTaskOptions<SinkConnector>,
    private readonly parts: Parts,
  ) {
    this.producers = new TaskProducers(options.environment.clients, options.spec.id);
  }

  async run(): Promise<void> {
    const { task, consumer, loop, topics, wakeup } = this.parts;
    const { spec, hooks, calls, logger } = this.options;
    const wait: Wait = { sleep: (ms: number) => wakeup.wait(ms), stopping: () => loop.isStopping };
    try {
      await this.openDeadLetters(wait);
      await connectClient(consumer, wait, logger);
      if (loop.isStopping) return;
      consumer.subscribe(topics, loop);
      this.started = true;
      await calls.during('start', () => task.start(spec.taskConfig, this.context()));
      hooks.onRunning();
      await loop.run();
    } finally {
      await this.finish();
    }
  }

  stop(): void {
    this.parts.loop.stop();
    this.parts.wakeup.wake();
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
    this.parts.loop.cancel();
    this.stop();
    void this.parts.consumer.close({ timeoutMs: 0 }).catch(() => undefined);
    // A put may wait for a report.
    void this.parts.deadLetters?.close(0).catch(() => undefined);
    void this.producers.close().catch(() => undefined);
  }

  private async openDeadLetters(wait: Wait): Promise<void> {
    const { deadLetters, settings } = this.parts;
    const { deadLetterTopic: topic, deadLetterReplication } = settings;
    if (!deadLetters || topic === null) return;
    const { spec, environment, logger } = this.options;
    const admin = environment.clients.admin({
      ...taskAdminConfig(environment.config, spec.id, spec.connectorConfig),
      'client.id': 'connector-dlq-adminclient-',
    });
    // A stop does not wait for an answer.
    const close = (): void => void admin.close().catch(() => undefined);
    this.aborter.signal.addEventListener('abort', close);
    try {
      await untilReachable(() => ensureDeadLetterTopic(admin, topic, deadLetterReplication), wait, logger);
    } finally {
      this.aborter.signal.removeEventListener('abort', close);
      await admin.close();
    }
    await connectClient(deadLetters, wait, logger);
  }

  private async finish(): Promise<void> {
    const { task, chain, consumer, deadLetters } = this.parts;
    this.aborter.abort();
    if (this.started) await this.quietly('stop() of the task', async () => task.stop());
    await this.quietly('closing producers of the task', () => this.producers.close());
    if (chain) closeTransforms(chain, this.options.logger);
    await this.quietly('closing the consumer', () => consumer.close(this.cancelled ? { timeoutMs: 0 } : {}));
    if (deadLetters)
      await this.quietly('closing the dead letter producer', () =>
        deadLetters.close(this.cancelled ? 0 : DEAD_LETTERS_MS),
      );
  }

  private async quietly(what: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.options.logger.warn(`An error while ${what} is ignored: ${messageOf(error)}`, { error });
    }
  }

  private context(): SinkTaskContext {
    const { loop, consumer, errants } = this.parts;
    const { spec, logger, workerSettings } = this.options;
    return {
      connector: spec.id.connector,
      task: spec.id.task,
      logger,
      signal: this.aborter.signal,
      workerSettings,
      configs: () => spec.taskConfig,
      createProducer: this.producers.create,
      assignment: () => consumer.assignment(),
      seek: (offset) => loop.seek(offset),
      timeout: (ms) => loop.limitNextPoll(ms),
      pause: (partitions) => loop.pausePartitions(partitions),
      resume: (partitions) => loop.resumePartitions(partitions),
      requestCommit: () => loop.requestCommit(),
      errantRecordReporter: errants,
    };
  }
}
