/** ListOffsets, OffsetForLeaderEpoch and DeleteRecords. */
import { handles, type Handler } from '../requests/handler';
import { LEADER_EPOCH, readHeader } from '../log/batch';
import type { PartitionLog } from '../log/partition-log';
import { DELETE_RECORDS, LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH } from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import type { TopicRegistry } from '../topics/registry';
import { eachRecord, type StoredRecord } from '../log/records';

/** Without tiered storage, all offsets are local. */
const Timestamp = { LATEST: -1, EARLIEST: -2, MAX: -3, EARLIEST_LOCAL: -4, LATEST_TIERED: -5 } as const;
const READ_COMMITTED = 1;

interface FoundOffset {
  readonly offset: number;
  readonly timestamp: number;
}

const NOT_FOUND: FoundOffset = { offset: -1, timestamp: -1 };

export function logOffsetHandlers({ topics }: { topics: TopicRegistry }): ReadonlyMap<number, Handler> {
  return new Map([
    handles(LIST_OFFSETS, ({ topics: requested, isolationLevel }) => ({
      topics: requested.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, timestamp, currentLeaderEpoch }) => {
          const log = topics.get(name)?.partitions[partitionIndex];
          if (!log) return { partitionIndex, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
          if (currentLeaderEpoch > LEADER_EPOCH) return { partitionIndex, errorCode: ErrorCode.UNKNOWN_LEADER_EPOCH };
          if (timestamp < Timestamp.LATEST_TIERED) return { partitionIndex, errorCode: ErrorCode.UNSUPPORTED_VERSION };
          const end = isolationLevel === READ_COMMITTED ? log.lastStableOffset : log.endOffset;
          const found = findOffset(log, timestamp, end);
          return { partitionIndex, ...found, leaderEpoch: found.offset < 0 ? -1 : LEADER_EPOCH };
        }),
      })),
    })),

    handles(OFFSET_FOR_LEADER_EPOCH, ({ topics: requested }) => ({
      topics: requested.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition, currentLeaderEpoch, leaderEpoch }) => {
          const log = topics.get(topic)?.partitions[partition];
          if (!log) return { partition, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
          if (currentLeaderEpoch > LEADER_EPOCH) return { partition, errorCode: ErrorCode.UNKNOWN_LEADER_EPOCH };
          // There is only one leader epoch, and it has not ended.
          return leaderEpoch === LEADER_EPOCH ? { partition, leaderEpoch, endOffset: log.endOffset } : { partition };
        }),
      })),
    })),

    handles(DELETE_RECORDS, ({ topics: requested }) => ({
      topics: requested.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, offset }) => {
          const topic = topics.get(name);
          const log = topic?.partitions[partitionIndex];
          if (!topic || !log) return { partitionIndex, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
          if (!topic.settings.delete) return { partitionIndex, errorCode: ErrorCode.POLICY_VIOLATION };
          const before = offset === -1 ? log.endOffset : offset;
          if (before < 0 || before > log.endOffset) return { partitionIndex, errorCode: ErrorCode.OFFSET_OUT_OF_RANGE };
          log.deleteBefore(before);
          return { partitionIndex, errorCode: ErrorCode.NONE, lowWatermark: log.startOffset };
        }),
      })),
    })),
  ]);
}

function findOffset(log: PartitionLog, timestamp: number, end: number): FoundOffset {
  if (timestamp === Timestamp.LATEST) return { offset: end, timestamp: -1 };
  if (timestamp === Timestamp.EARLIEST || timestamp === Timestamp.EARLIEST_LOCAL) {
    return { offset: log.startOffset, timestamp: -1 };
  }
  if (timestamp === Timestamp.LATEST_TIERED) return NOT_FOUND;
  if (timestamp === Timestamp.MAX) return findMaxTimestamp(log, end);
  let found = NOT_FOUND;
  log.forEachBatch((batch) => {
    const header = readHeader(batch);
    if (header.baseOffset >= end) return false;
    if (header.control || header.maxTimestamp < timestamp) return true;
    for (const record of visibleRecords(log, batch, end)) {
      if (record.timestamp < timestamp) continue;
      found = record;
      return false;
    }
    return true;
  }, timestamp);
  return { offset: found.offset, timestamp: found.timestamp };
}

/** The first record with the highest timestamp. */
function findMaxTimestamp(log: PartitionLog, end: number): FoundOffset {
  let best = NOT_FOUND;
  log.forEachBatch((batch) => {
    const header = readHeader(batch);
    if (header.baseOffset >= end) return false;
    if (header.control || header.maxTimestamp <= best.timestamp) return true;
    for (const record of visibleRecords(log, batch, end)) if (record.timestamp > best.timestamp) best = record;
    return true;
  });
  return { offset: best.offset, timestamp: best.timestamp };
}

function* visibleRecords(log: PartitionLog, batch: Buffer, end: number): Generator<StoredRecord, void, undefined> {
  for (const record of eachRecord(batch)) if (record.offset >= log.startOffset && record.offset < end) yield record;
}
