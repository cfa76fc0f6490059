/** Produce: validates, appends and acknowledges one batch per partition. */
import { UnavailableCodecError } from '@millrace/record-codecs';
import { batchBytes, hasValidChecksum, HEADER_BYTES, readHeader, type BatchHeader } from '../log/batch';
import type { LogSettings } from '../log/log-settings';
import type { PartitionLog } from '../log/partition-log';
import { everyRecordHasKey } from '../log/records';
import type { TopicPartition } from '../partitions';
import { PRODUCE, type ElementOf, type RequestOf, type ResponseOf } from '@millrace/kafka-protocol';
import { ErrorCode, type ErrorName } from '../protocol/errors';
import { handles, type Handler } from '../requests/handler';
import type { TopicRegistry } from '../topics/registry';

export interface ProduceDeps {
  readonly topics: TopicRegistry;
  /** Checks that the partition is part of the producer's transaction. */
  readonly transactions: {
    /** Returns an error code. */
    checkAppend(producer: { readonly producerId: number; readonly epoch: number }, at: TopicPartition): number;
  };
  readonly now: () => number;
  /** Resolves when a partition paused by a test is resumed; null if it is not paused. */
  readonly whenResumed: (topic: string, partition: number) => Promise<void> | null;
  readonly log: (line: string) => void;
}

type PartitionResponse = ElementOf<ElementOf<ResponseOf<typeof PRODUCE>['responses']>['partitionResponses']>;

class Rejected extends Error {
  constructor(
    readonly error: ErrorName,
    message: string,
  ) {
    super(message);
  }
}

export function produceHandlers(deps: ProduceDeps): ReadonlyMap<number, Handler> {
  return new Map([
    handles(PRODUCE, async (request) => {
      const responses = await Promise.all(
        request.topicData.map(async ({ name, partitionData }) => ({
          name,
          partitionResponses: await Promise.all(
            partitionData.map((partition) => produce(deps, request, name, partition.index, partition.records)),
          ),
        })),
      );
      return request.acks === 0 ? null : { responses };
    }),
  ]);
}

async function produce(
  deps: ProduceDeps,
  { acks }: RequestOf<typeof PRODUCE>,
  name: string,
  index: number,
  records: Buffer | null,
): Promise<PartitionResponse> {
  const reject = (error: ErrorName, message: string): PartitionResponse => ({
    index,
    errorCode: ErrorCode[error],
    errorMessage: message,
  });
  try {
    await deps.whenResumed(name, index);
    const topic = deps.topics.get(name);
    const log = topic?.partitions[index];
    if (!topic || !log)
      return reject('UNKNOWN_TOPIC_OR_PARTITION', `Partition ${index} of topic '${name}' does not exist.`);
    if (acks < -1 || acks > 1) return reject('INVALID_REQUIRED_ACKS', `acks must be -1, 0 or 1, not ${acks}.`);
    if (acks === -1 && topic.settings.minInsyncReplicas > 1) {
      return reject(
        'NOT_ENOUGH_REPLICAS',
        `min.insync.replicas is ${topic.settings.minInsyncReplicas}, but there is only one broker.`,
      );
    }
    return { index, ...(await append(deps, { topic: name, partition: index }, topic.settings, log, records)) };
  } catch (error) {
    if (error instanceof Rejected) return reject(error.error, error.message);
    deps.log(`Cannot append to ${name}-${index}: ${(error as Error).stack}`);
    return reject('KAFKA_STORAGE_ERROR', (error as Error).message);
  }
}

async function append(
  { now, transactions }: ProduceDeps,
  at: TopicPartition,
  settings: LogSettings,
  log: PartitionLog,
  records: Buffer | null,
): Promise<Omit<PartitionResponse, 'index'>> {
  const { batch, header } = validBatch(records, settings);
  if (header.producerId >= 0) {
    const verdict = log.producers.check(header);
    if (verdict.kind === 'duplicate') {
      // The first attempt may not be flushed yet.
      await log.durable();
      return { errorCode: ErrorCode.NONE, baseOffset: verdict.baseOffset, logStartOffset: log.startOffset };
    }
    if (verdict.kind === 'stale-epoch') {
      throw new Rejected(
        'INVALID_PRODUCER_EPOCH',
        `Epoch of producer ${header.producerId} is ${header.producerEpoch}, which is smaller than the last seen epoch ${verdict.current}.`,
      );
    }
    if (verdict.kind === 'out-of-order') {
      throw new Rejected(
        'OUT_OF_ORDER_SEQUENCE_NUMBER',
        `Producer ${header.producerId} sent sequence ${header.baseSequence} where ${verdict.expected} was expected.`,
      );
    }
  }
  if (header.transactional) {
    const errorCode = transactions.checkAppend({ producerId: header.producerId, epoch: header.producerEpoch }, at);
    if (errorCode !== ErrorCode.NONE) return { errorCode };
  }
  const appendTime = settings.logAppendTime ? now() : null;
  const { segmentBytes, segmentMs } = settings;
  const stored = log.append(batch, { segmentBytes, segmentMs, appendTime });
  await log.durable();
  return {
    errorCode: ErrorCode.NONE,
    baseOffset: stored.baseOffset,
    logAppendTimeMs: appendTime ?? -1,
    logStartOffset: log.startOffset,
  };
}

/**
 * Returns a view of the request's buffer, which the log modifies in place.
 * @throws Rejected unless it is exactly one batch that a client may send.
 */
function validBatch(records: Buffer | null, settings: LogSettings): { batch: Buffer; header: BatchHeader } {
  if (records === null || records.length < HEADER_BYTES) {
    throw new Rejected('INVALID_RECORD', 'The partition has no record batch in the request.');
  }
  const header = readHeader(records);
  if (header.magic !== 2) {
    throw new Rejected(
      'UNSUPPORTED_FOR_MESSAGE_FORMAT',
      `Only record batches of format 2 are supported, not ${header.magic}.`,
    );
  }
  if (batchBytes(records, 0) !== records.length) {
    const why =
      'A Produce request must contain exactly one record batch per partition, whose size matches its length field.';
    throw new Rejected(header.bytes > records.length ? 'CORRUPT_MESSAGE' : 'INVALID_RECORD', why);
  }
  if (records.length > settings.maxMessageBytes) {
    const why = `The record batch of ${records.length} bytes exceeds max.message.bytes, ${settings.maxMessageBytes}.`;
    throw new Rejected('MESSAGE_TOO_LARGE', why);
  }
  if (!hasValidChecksum(records))
    throw new Rejected('CORRUPT_MESSAGE', 'The record batch does not match its checksum.');
  if (header.recordCount < 1 || header.lastOffset - header.baseOffset !== header.recordCount - 1) {
    throw new Rejected(
      'INVALID_RECORD',
      `The record batch has ${header.recordCount} records, which does not match its offsets.`,
    );
  }
  if (header.control) throw new Rejected('INVALID_RECORD', 'Clients may not write control batches.');
  if (header.transactional && header.producerId < 0) {
    throw new Rejected('INVALID_RECORD', 'A transactional batch needs a producer id.');
  }
  if (header.producerId >= 0 && header.baseSequence < 0) {
    throw new Rejected('INVALID_RECORD', `Invalid sequence number ${header.baseSequence}.`);
  }
  if (header.compression > 4) {
    throw new Rejected('UNSUPPORTED_COMPRESSION_TYPE', `Unknown compression type ${header.compression}.`);
  }
  if (settings.compact) requireKeys(records);
  return { batch: records, header };
}

function requireKeys(batch: Buffer): void {
  let complete: boolean;
  try {
    complete = everyRecordHasKey(batch);
  } catch (cause) {
    if (cause instanceof UnavailableCodecError) throw new Rejected('UNSUPPORTED_COMPRESSION_TYPE', cause.message);
    throw new Rejected('INVALID_RECORD', `Cannot read the record batch: ${(cause as Error).message}`);
  }
  if (!complete) throw new Rejected('INVALID_RECORD', 'Compacted topic cannot accept message without key.');
}
