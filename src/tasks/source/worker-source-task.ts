/** A source task with its producer, converters and delivery. Source: connect-runtime §4. */
import {
  checkStoredOffset,
  checkTask,
  ConnectError,
  SourceBatchCheck,
  type SourceConnector,
  type SourceTask,
  type SourceTaskContext,
  type TransactionContext,
} from '@millrace/sdk';
import type { Admin, Producer } from '@millrace/kafka-client';
import { taskAdminConfig } from '../clients/client-configs';
import { connectClient } from '../clients/connect-client';
import { ConverterWait } from '../errors/converter-wait';
import { ErrorPolicy, LogReporter } from '../errors/error-policy';
import { errorSettings } from '../errors/error-settings';
import type { FailedRecord } from '../errors/failed-record';
import { ConvertedRecords } from './converted-records';
import { createDelivery, sourceProducer } from './create-delivery';
import { PreviewDelivery } from './preview-delivery';
import type { SourceDelivery } from './source-delivery';
import { SourceLoop } from './source-loop';
import { SourceConversion } from './source-conversion';
import { SourceOutcomes } from './source-outcomes';
import { columnConverter } from '../task-converters';
import { type TaskProcessing, withProcessing } from '../task-processing';
import { WorkerTask, type WorkerTaskOptions, type TaskResources } from '../worker-task';
import { taskName } from '../task-id';
import { taskOffsets } from '../task-offsets';
import { TopicCreator } from './topic-creator';
import { topicGroups } from './topic-creation-config';

const CLOSE_MS = 30_000;

export async function createWorkerSourceTask(options: WorkerTaskOptions<SourceConnector>): Promise<WorkerTask> {
  const task = checkTask('source', options.connector.createTask(), options.spec.connectorClass);
  return await withProcessing(task, options, (processing, release) =>
    workerSourceTask(options, task, release, processing),
  );
}

function workerSourceTask(
  options: WorkerTaskOptions<SourceConnector>,
  task: SourceTask,
  release: () => void,
  processing: TaskProcessing,
): WorkerTask {
  const { spec, environment, logger, metrics } = options;
  const { config, clients, preview } = environment;
  const { taken, converters, chain } = processing;
  const groups = config.topicCreationEnable && !preview ? topicGroups(spec.connectorConfig) : null;
  const previewed = preview ? new PreviewDelivery(preview, spec.id.connector, environment.offsets) : null;
  const producer = previewed?.producer ?? sourceProducer(options);
  const admin = groups ? clients.admin(taskAdminConfig(config, spec.id, spec.connectorConfig)) : null;
  const settings = errorSettings(spec.connectorConfig);
  const policy: ErrorPolicy = new ErrorPolicy({
    connector: spec.id.connector,
    settings,
    reporters: [
      ...(settings.log ? [new LogReporter(logger, taskName(spec.id), settings, metrics.errors)] : []),
      ...(preview ? [{ report: (failure: FailedRecord) => preview.onFailure(failure) }] : []),
    ],
    metrics: metrics.errors,
    sleep: (ms) => loop.sleep(ms),
    stopping: () => loop.isStopping,
  });
  const logsRecords = settings.log && settings.logMessages;
  const delivery =
    previewed ??
    createDelivery(options, {
      task,
      producer,
      policy,
      keepRecords: logsRecords,
      stopping: () => loop.isStopping,
      onFailure: () => loop.wake(),
    });
  const wait = new ConverterWait({
    condition: options.condition,
    calls: options.calls,
    logger,
    sleep: (ms) => loop.sleep(ms),
    wake: () => loop.wake(),
    interrupted: () => loop.endsConverterWait,
  });
  const check = new SourceBatchCheck(spec.connectorClass);
  const loop: SourceLoop = new SourceLoop({
    task,
    check,
    outcomes: taken.steps > 0 || taken.converters ? new SourceOutcomes(policy, check, spec.connectorClass) : null,
    calls: options.calls,
    lease: options.lease,
    producer,
    policy,
    delivery,
    chain,
    metrics,
    condition: options.condition,
    logger,
    conversion:
      converters === null ? new ConvertedRecords(spec.connectorClass) : new SourceConversion(converters, policy, wait),
    converterWait: wait,
    topics: admin && groups ? new TopicCreator(admin, groups, logger) : null,
    onPaused: () => options.hooks.onPaused(),
    onResumed: () => options.hooks.onResumed(),
  });
  const rowsEndAtPoll = !preview && !logsRecords && task.commitRecord === undefined;
  return new WorkerSourceTask(options, {
    task,
    release,
    processing,
    producer,
    admin,
    delivery,
    loop,
    rowsEndAtPoll,
  });
}

interface SourceTaskResources extends TaskResources {
  readonly task: SourceTask;
  readonly producer: Producer;
  readonly admin: Admin | null;
  readonly delivery: SourceDelivery;
  readonly loop: SourceLoop;
  /** Records are converted before the next poll, and not kept afterwards. */
  readonly rowsEndAtPoll: boolean;
}

class WorkerSourceTask extends WorkerTask<SourceConnector, SourceTaskResources> {
  protected override async connect(): Promise<void> {
    const { producer, delivery, loop } = this.parts;
    const wait = { sleep: (ms: number) => loop.sleep(ms), stopping: () => loop.isStopping };
    await connectClient(producer, wait, this.options.logger);
    if (!loop.isStopping) await this.unlessStopped(delivery.open());
  }

  protected override async startTask(): Promise<void> {
    await this.parts.task.start(this.options.spec.taskConfig, this.sourceContext());
    this.parts.delivery.started();
  }

  protected override async beforeTaskStop(): Promise<void> {
    await this.parts.delivery.finish(this.parts.loop.end);
  }

  protected override async closeClients(): Promise<void> {
    const { producer, admin } = this.parts;
    await this.logErrors('closing the producer', () => producer.close(this.cancelled ? 0 : CLOSE_MS));
    if (admin) await this.logErrors('closing the admin client', () => admin.close());
  }

  protected override abandonClients(): void {
    this.parts.delivery.cancel();
    void this.parts.producer.close(0).catch(() => undefined);
  }

  /** Resolves when the task is stopped meanwhile: Kafka or the leader may not respond. */
  private async unlessStopped(opening: Promise<void>): Promise<void> {
    const { signal } = this;
    let stop: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    signal.addEventListener('abort', stop, { once: true });
    opening.catch(() => undefined);
    try {
      await Promise.race([opening, stopped]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private refuseWhenCancelled(): void {
    if (this.cancelled)
      throw new ConnectError('The task was cancelled and may no longer read offsets.', { code: 'TASK_CANCELLED' });
  }

  private sourceContext(): SourceTaskContext {
    const { spec, environment, calls } = this.options;
    const { delivery, rowsEndAtPoll } = this.parts;
    const offsets = taskOffsets(spec, environment.offsets);
    const read = async (partitions: Parameters<SourceTaskContext['offsets']['offsets']>[0]) => {
      this.refuseWhenCancelled();
      return await calls.duringWait('offset-read', () => offsets.read(partitions));
    };
    return {
      ...this.context(),
      offsets: {
        offset: async (partition) => (await read([partition]))[0] ?? null,
        offsets: read,
      },
      exactlyOnce: delivery.exactlyOnce,
      rowsEndAtPoll,
      transactionContext: delivery.requests as TransactionContext | null,
      columnConverter: (name) => columnConverter(name, environment.registry),
      storeOffset: async (partition, offset) => {
        checkStoredOffset(partition, offset, spec.connectorClass);
        await calls.duringWait('offset-write', () => delivery.storeOffset(partition, offset, this.signal));
      },
    };
  }
}
