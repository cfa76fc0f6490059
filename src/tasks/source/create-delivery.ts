/** The delivery of a source task: exactly-once if the worker requests it, otherwise at-least-once. */
import { ConnectError, type SourceConnector, type SourceTask } from '@millrace/sdk';
import type { Producer } from '@millrace/kafka-client';
import { exactlyOnceProducerConfig, sourceProducerConfig } from '../clients/client-configs';
import type { ErrorPolicy } from '../errors/error-policy';
import type { OffsetStorage } from '../host';
import { requiredGate } from '../exactly-once-support';
import { taskOffsets } from '../task-offsets';
import type { WorkerTaskOptions } from '../worker-task';
import { AtLeastOnceDelivery } from './at-least-once-delivery';
import { DeliveredRecords } from './delivered-records';
import { ExactlyOnceDelivery } from './exactly-once-delivery';
import { OffsetCommitter } from './offset-committer';
import { OffsetTracker } from './offset-tracker';
import type { SourceDelivery } from './source-delivery';
import { transactionBoundary } from './transaction-boundary';

type Options = WorkerTaskOptions<SourceConnector>;

interface DeliveryDependencies {
  readonly task: SourceTask;
  readonly producer: Producer;
  readonly policy: ErrorPolicy;
  /** Failed records are logged with their contents. */
  readonly keepRecords: boolean;
  stopping(): boolean;
  onFailure(): void;
}

/** What a user says about idempotence, or about requests in flight, applies. */
export function mayBeIdempotent({ spec, environment }: Pick<Options, 'spec' | 'environment'>): boolean {
  if (spec.exactlyOnce) return false;
  const keys = ['enable.idempotence', 'max.in.flight.requests.per.connection'];
  return !keys.some((key) => isSet(key, spec, environment.config));
}

function isSet(key: string, { connectorConfig }: Options['spec'], worker: Options['environment']['config']): boolean {
  return `producer.override.${key}` in connectorConfig || key in worker.client('producer');
}

export function sourceProducer(options: Options): Producer {
  const { spec, environment, lease } = options;
  const config = producerConfig(spec, environment.config);
  return environment.clients.producer(config, lease, undefined, {
    idempotentIfAllowed: mayBeIdempotent(options),
    mayConnectLater: true,
  });
}

export function createDelivery(options: Options, parts: DeliveryDependencies): SourceDelivery {
  const { spec, environment, lease, metrics, logger, hooks } = options;
  const { config, offsets } = environment;
  const delivered = new DeliveredRecords({
    task: parts.task,
    metrics,
    logger,
    onTopicActive: (topic) => hooks.onTopicActive(topic),
  });
  const flushTimeoutMs = config.offsetFlushTimeoutMs;
  if (spec.exactlyOnce) {
    warnOfForcedSettings(options, spec.exactlyOnce.transactionalId);
    const timeoutMs = Number(producerConfig(spec, config)['transaction.timeout.ms'] ?? 60_000);
    return new ExactlyOnceDelivery({
      ...parts,
      id: spec.id,
      calls: options.calls,
      spec: spec.exactlyOnce,
      lease,
      gate: requiredGate(environment.gate),
      boundary: transactionBoundary(spec.connectorConfig, config, timeoutMs),
      transactionTimeoutMs: timeoutMs,
      storage: taskOffsets(spec, offsets),
      delivered,
      metrics,
      logger,
      flushTimeoutMs,
    });
  }
  const tracker = new OffsetTracker();
  const write: OffsetStorage['write'] = async (connector, entries) => {
    if (delivery.isCancelled)
      throw new ConnectError('The task was cancelled and may no longer store offsets.', { code: 'TASK_CANCELLED' });
    await offsets.write(connector, entries);
  };
  const committer = new OffsetCommitter({
    connector: spec.id.connector,
    tracker,
    lease,
    task: parts.task,
    calls: options.calls,
    metrics,
    logger,
    intervalMs: config.offsetFlushIntervalMs,
    timeoutMs: flushTimeoutMs,
    storage: { write },
  });
  const keepRecords = parts.keepRecords || parts.task.commitRecord !== undefined;
  const delivery = new AtLeastOnceDelivery({ ...parts, keepRecords, tracker, committer, delivered, flushTimeoutMs });
  return delivery;
}

function producerConfig(
  { id, connectorConfig, exactlyOnce }: Options['spec'],
  worker: Options['environment']['config'],
) {
  return exactlyOnce
    ? exactlyOnceProducerConfig(worker, id, connectorConfig, exactlyOnce.transactionalId)
    : sourceProducerConfig(worker, id, connectorConfig);
}

/** As in Java, a user's value of these is replaced. */
function warnOfForcedSettings({ spec, environment, logger }: Options, transactionalId: string): void {
  const given = sourceProducerConfig(environment.config, spec.id, spec.connectorConfig);
  const forced = [['transactional.id', transactionalId]];
  if (isSet('enable.idempotence', spec, environment.config)) forced.push(['enable.idempotence', 'true']);
  for (const [key, value] of forced as [string, string][]) {
    const ignored = given[key];
    if (ignored !== undefined && ignored.toLowerCase() !== value.toLowerCase())
      logger.warn(`Ignoring ${key}=${ignored} of the producer: exactly-once delivery requires ${value}`);
  }
}
