/** ListOffsets, OffsetForLeaderEpoch and DeleteRecords. */
import { handles, type Handler } from '../requests/handler';
import { LEADER_EPOCH, readHeader } from '../log/batch';
import type { PartitionLog } from '../log/partition-log';
import { DELETE_RECORDS, LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH } from '../protocol/apis/data';
import { ErrorCode } from '../protocol/errors';
import type { TopicRegistry } from '../topics/registry';
import { eachRecord, type StoredRecord } from '../log/records';

/** There is no tiered storage: all that is here is local. */
const Timestamp = { LATEST: -1, EARLIEST: -2, MAX: -3, EARLIEST_LOCAL: -4, LATEST_TIERED: -5 } as const;
const READ_COMMITTED = 1;

interface Found {
  readonly offset: number;
  readonly timestamp: number;
}

const NOTHING: Found = { offset: -1, timestamp: -1 };

export function logOffsetHandlers({ topics }: { topics: TopicRegistry }): ReadonlyMap<number, Handler> {
  return new Map([
    handles(LIST_OFFSETS, ({ topics: asked, isolationLevel }) => ({
      topics: asked.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, timestamp, currentLeaderEpoch }) => {
          const log = topics.get(name)?.partitions[partitionIndex];
          if (!log) return { partitionIndex, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
          if (currentLeaderEpoch > LEADER_EPOCH) return { partitionIndex, errorCode: ErrorCode.UNKNOWN_LEADER_EPOCH };
          if (timestamp < Timestamp.LATEST_TIERED) return { partitionIndex, errorCode: ErrorCode.UNSUPPORTED_VERSION };
          const end = isolationLevel === READ_COMMITTED ? log.lastStableOffset : log.endOffset;
          const found = find(log, timestamp, end);
          return { partitionIndex, ...found, leaderEpoch: found.offset < 0 ? -1 : LEADER_EPOCH };
        }),
      })),
    })),

    handles(OFFSET_FOR_LEADER_EPOCH, ({ topics: asked }) => ({
      topics: asked.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition, currentLeaderEpoch, leaderEpoch }) => {
          const log = topics.get(topic)?.partitions[partition];
          if (!log) return { partition, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
          if (currentLeaderEpoch > LEADER_EPOCH) return { partition, errorCode: ErrorCode.UNKNOWN_LEADER_EPOCH };
          // The only epoch there is has not ended.
          return leaderEpoch === LEADER_EPOCH ? { partition, leaderEpoch, endOffset: log.endOffset } : { partition };
        }),
      })),
    })),

    handles(DELETE_RECORDS, ({ topics: asked }) => ({
      topics: asked.map(({ name, partitions }) => ({
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

function find(log: PartitionLog, timestamp: number, end: number): Found {
  if (timestamp === Timestamp.LATEST) return { offset: end, timestamp: -1 };
  if (timestamp === Timestamp.EARLIEST || timestamp === Timestamp.EARLIEST_LOCAL) {
    return { offset: log.startOffset, timestamp: -1 };
  }
  if (timestamp === Timestamp.LATEST_TIERED) return NOTHING;
  if (timestamp === Timestamp.MAX) return newest(log, end);
  let found = NOTHING;
  log.forEachBatch((batch) => {
    const header = readHeader(batch);
    if (header.baseOffset >= end) return false;
    if (header.control || header.maxTimestamp < timestamp) return true;
    for (const record of present(log, batch, end)) {
      if (record.timestamp < timestamp) continue;
      found = record;
      return false;
    }
    return true;
  }, timestamp);
  return { offset: found.offset, timestamp: found.timestamp };
}

/** The first of those with the highest timestamp. */
function newest(log: PartitionLog, end: number): Found {
  let best = NOTHING;
  log.forEachBatch((batch) => {
    const header = readHeader(batch);
    if (header.baseOffset >= end) return false;
    if (header.control || header.maxTimestamp <= best.timestamp) return true;
    for (const record of present(log, batch, end)) if (record.timestamp > best.timestamp) best = record;
    return true;
  });
  return { offset: best.offset, timestamp: best.timestamp };
}

function* present(log: PartitionLog, batch: Buffer, end: number): Generator<StoredRecord, void, undefined> {
  for (const record of eachRecord(batch)) if (record.offset >= log.startOffset && record.offset < end) yield record;
}
