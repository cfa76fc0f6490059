/** A sink task with its consumer, converters and dead letter topic. Source: connect-runtime §5. */
import { checkTask, type SinkConnector, type SinkTask, type SinkTaskContext, Wakeup } from '@millrace/sdk';
import { MILLRACE_KEYS } from '../../config/millrace-keys';
import type { GroupConsumer } from '@millrace/kafka-client';
import { deadLetterProducerConfig, sinkConsumerConfig, taskAdminConfig } from '../clients/client-configs';
import { connectClient, retryUntilReachable, type RetryWait } from '../clients/connect-client';
import { ensureDeadLetterTopic } from '../errors/dead-letter-topic';
import { DeadLetters } from '../errors/dead-letters';
import { ErrantRecords } from './errant-records';
import { ConverterWait } from '../errors/converter-wait';
import { ErrorPolicy, LogReporter } from '../errors/error-policy';
import { errorSettings, type ErrorSettings } from '../errors/error-settings';
import type { FailureReporter } from '../errors/failed-record';
import { OffsetHolds } from '../errors/offset-holds';
import { RejectedRecords } from './rejected-records';
import { batchConversion } from './processed-conversion';
import { SinkLoop } from './sink-loop';
import { sinkTopics } from './sink-subscription';
import { type TaskProcessing, withProcessing } from '../task-processing';
import { WorkerTask, type WorkerTaskOptions, type TaskResources } from '../worker-task';
import { taskName } from '../task-id';

/** For records reported in `stop`; earlier dead letters were awaited before the last commit. */
const DEAD_LETTERS_MS = 1000;
/** Kafka's default. */
const MAX_POLL_INTERVAL_MS = 300_000;
const MAX_POLL_RECORDS = 500;

export async function createWorkerSinkTask(options: WorkerTaskOptions<SinkConnector>): Promise<WorkerTask> {
  const task = checkTask('sink', options.connector.createTask(), options.spec.connectorClass);
  return await withProcessing(task, options, (processing, release) =>
    workerSinkTask(options, task, release, processing),
  );
}

function workerSinkTask(
  options: WorkerTaskOptions<SinkConnector>,
  task: SinkTask,
  release: () => void,
  processing: TaskProcessing,
): WorkerTask {
  const { spec, environment, logger, metrics } = options;
  const { config, clients } = environment;
  const settings = errorSettings(spec.connectorConfig);
  const { name: bisect } = MILLRACE_KEYS.bisect;
  // Whoever sets it knows the plugin better.
  const bisects = settings.bisect && (options.putIsRepeatable || bisect in spec.connectorConfig);
  if (bisects && !options.putIsRepeatable)
    logger.warn(
      `With ${bisect}=true, a record may be written twice when put() rejects a batch: ${spec.connectorClass} does not state that its put() can be repeated`,
    );
  const topics = sinkTopics(spec.connectorConfig);
  const { converters } = processing;
  const { connectorConfig, consumerGroup } = spec;
  const consumerConfig = sinkConsumerConfig(config, spec.id, connectorConfig, consumerGroup, task.maxPollRecords);
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
          calls: options.calls,
          metrics: metrics.errors,
          logger,
          onChange: () => loop.onDeadLettersChange(),
        });
  if (deadLetters) reporters.push(deadLetters);
  const consumer = clients.groupConsumer(consumerConfig);
  const wakeup = new Wakeup();
  const policy: ErrorPolicy = new ErrorPolicy({
    connector: spec.id.connector,
    settings,
    reporters,
    metrics: metrics.errors,
    sleep: (ms) => wakeup.wait(ms),
    stopping: () => loop.isStopping,
  });
  const errants = new ErrantRecords(policy, converters, holds);
  const wait = new ConverterWait({
    condition: options.condition,
    calls: options.calls,
    logger,
    sleep: (ms) => wakeup.wait(ms),
    wake: () => wakeup.wake(),
    interrupted: () => loop.converterWaitMs <= 0,
    interruptedInMs: () => loop.converterWaitMs,
  });
  const remember = policy.reports ? errants.remember : null;
  const loop: SinkLoop = new SinkLoop({
    task,
    connectorClass: spec.connectorClass,
    calls: options.calls,
    lease: options.lease,
    sleep: (ms) => wakeup.wait(ms),
    wake: () => wakeup.wake(),
    consumer,
    maxPollIntervalMs: Number(consumerConfig['max.poll.interval.ms'] ?? MAX_POLL_INTERVAL_MS),
    maxPollRecords: Number(consumerConfig['max.poll.records'] ?? MAX_POLL_RECORDS),
    errants,
    rejected: bisects ? new RejectedRecords(errants, holds, deadLetters !== null, spec.id.connector) : null,
    deadLetters,
    holds,
    metrics,
    condition: options.condition,
    logger,
    conversion: batchConversion(processing, {
      task,
      owner: spec.connectorClass,
      calls: options.calls,
      policy,
      wait,
      remember,
    }),
    converterWait: wait,
    flushIntervalMs: config.offsetFlushIntervalMs,
    flushTimeoutMs: config.offsetFlushTimeoutMs,
    onTopicActive: (topic) => options.hooks.onTopicActive(topic),
    onPaused: () => options.hooks.onPaused(),
    onResumed: () => options.hooks.onResumed(),
    onFailing: (error) => options.hooks.onFailing(error),
  });
  const reporter = policy.reports ? errants : null;
  return new WorkerSinkTask(options, {
    settings,
    topics,
    task,
    release,
    processing,
    consumer,
    deadLetters,
    reporter,
    loop,
    wakeup,
  });
}

interface SinkTaskResources extends TaskResources {
  readonly settings: ErrorSettings;
  readonly topics: readonly string[] | RegExp;
  readonly task: SinkTask;
  readonly consumer: GroupConsumer;
  readonly deadLetters: DeadLetters | null;
  /** Null: there is nowhere to report to. */
  readonly reporter: ErrantRecords | null;
  readonly loop: SinkLoop;
  readonly wakeup: Wakeup;
}

class WorkerSinkTask extends WorkerTask<SinkConnector, SinkTaskResources> {
  override stop(): void {
    super.stop();
    this.parts.wakeup.wake();
  }

  override cancel(): void {
    this.parts.loop.cancel();
    super.cancel();
  }

  protected override async connect(): Promise<void> {
    const { consumer, loop, topics, wakeup } = this.parts;
    const wait: RetryWait = { sleep: (ms: number) => wakeup.wait(ms), stopping: () => loop.isStopping };
    await this.connectDeadLetters(wait);
    await connectClient(consumer, wait, this.options.logger);
    if (!loop.isStopping) consumer.subscribe(topics, loop);
  }

  protected override async startTask(): Promise<void> {
    await this.parts.task.start(this.options.spec.taskConfig, this.sinkContext());
  }

  /** The loop has committed when it closed the partitions. */
  protected override async beforeTaskStop(): Promise<void> {}

  protected override async closeClients(): Promise<void> {
    const { consumer, deadLetters } = this.parts;
    await this.logErrors('closing the consumer', () => consumer.close(this.cancelled ? { timeoutMs: 0 } : {}));
    if (deadLetters)
      await this.logErrors('closing the dead letter producer', () =>
        deadLetters.close(this.cancelled ? 0 : DEAD_LETTERS_MS),
      );
  }

  protected override abandonClients(): void {
    void this.parts.consumer.close({ timeoutMs: 0 }).catch(() => undefined);
    // A pending `put` may wait for a report.
    void this.parts.deadLetters?.close(0).catch(() => undefined);
  }

  private async connectDeadLetters(wait: RetryWait): Promise<void> {
    const { deadLetters, settings } = this.parts;
    const { deadLetterTopic: topic, deadLetterReplication } = settings;
    if (!deadLetters || topic === null) return;
    const { spec, environment, logger } = this.options;
    const admin = environment.clients.admin({
      ...taskAdminConfig(environment.config, spec.id, spec.connectorConfig),
      'client.id': 'connector-dlq-adminclient-',
    });
    // Stopping the task does not wait for a response.
    const close = (): void => void admin.close().catch(() => undefined);
    this.signal.addEventListener('abort', close);
    try {
      await retryUntilReachable(() => ensureDeadLetterTopic(admin, topic, deadLetterReplication), wait, logger);
    } finally {
      this.signal.removeEventListener('abort', close);
      await admin.close();
    }
    await connectClient(deadLetters, wait, logger);
  }

  private sinkContext(): SinkTaskContext {
    const { loop, consumer, reporter } = this.parts;
    return {
      ...this.context(),
      assignment: () => consumer.assignment(),
      topicId: (partition) => loop.topicId(partition),
      seek: (offset) => loop.seek(offset),
      timeout: (ms) => loop.limitNextPoll(ms),
      pause: (partitions) => loop.pausePartitions(partitions),
      resume: (partitions) => loop.resumePartitions(partitions),
      requestCommit: () => loop.requestCommit(),
      errantRecordReporter: reporter,
    };
  }
}
