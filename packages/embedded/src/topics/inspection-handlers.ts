/** DescribeLogDirs and DescribeProducers. */
import { statfsSync } from 'node:fs';
import { handles, type Handler } from '../requests/handler';
import type { PartitionLog } from '../log/partition-log';
import { DESCRIBE_LOG_DIRS, DESCRIBE_PRODUCERS } from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import type { TopicRegistry } from './registry';

export interface InspectionDeps {
  readonly topics: TopicRegistry;
  /** Null: everything is in memory, which is described as a folder named `memory`. */
  readonly dataDir: string | null;
}

export function inspectionHandlers({ topics, dataDir }: InspectionDeps): ReadonlyMap<number, Handler> {
  return new Map([
    handles(DESCRIBE_LOG_DIRS, ({ topics: requested }) => {
      const wanted = requested?.map(({ topic, partitions }) => ({ name: topic, partitions }));
      const all = topics.all().map(({ name, partitions }) => ({ name, partitions: [...partitions.keys()] }));
      const sizes = (wanted ?? all).map(({ name, partitions }) => ({
        name,
        partitions: partitions.flatMap((partitionIndex) => {
          const log = topics.partition({ topic: name, partition: partitionIndex });
          return log ? [{ partitionIndex, partitionSize: log.bytes, offsetLag: 0, isFutureKey: false }] : [];
        }),
      }));
      return { results: [{ logDir: dataDir ?? 'memory', topics: sizes, ...diskSpace(dataDir) }] };
    }),

    handles(DESCRIBE_PRODUCERS, ({ topics: requested }) => ({
      topics: requested.map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => {
          const log = topics.partition({ topic: name, partition: partitionIndex });
          if (!log) return { partitionIndex, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
          return { partitionIndex, errorCode: ErrorCode.NONE, activeProducers: producersOf(log) };
        }),
      })),
    })),
  ]);
}

function producersOf(log: PartitionLog) {
  return log.producers.all().map(({ producerId, epoch, lastSequence, lastSeen }) => ({
    producerId,
    producerEpoch: epoch,
    lastSequence,
    lastTimestamp: lastSeen,
    coordinatorEpoch: 0,
    currentTxnStartOffset: log.transactions.openSince(producerId) ?? -1,
  }));
}

/** Bytes of the volume; -1 if unknown. */
function diskSpace(dataDir: string | null): { totalBytes: number; usableBytes: number } {
  if (dataDir === null) return { totalBytes: -1, usableBytes: -1 };
  const { blocks, bavail, bsize } = statfsSync(dataDir);
  return { totalBytes: blocks * bsize, usableBytes: bavail * bsize };
}
