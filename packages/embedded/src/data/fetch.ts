/** Fetch: returns whole batches as stored, once there are `min_bytes` of them or `max_wait_ms` has passed. */
import { startTimer } from '../clock';
import { handles, type Handler, type RequestContext } from '../requests/handler';
import { LEADER_EPOCH, readHeader, batchBytes } from '../log/batch';
import type { PartitionLog } from '../log/partition-log';
import { FETCH, type ElementOf, type RequestOf, type ResponseOf } from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import type { TopicRegistry } from '../topics/registry';
import type { Topic } from '../topics/topic';

export interface FetchDeps {
  readonly topics: TopicRegistry;
  readonly whenResumed: (topic: string, partition: number) => Promise<void> | null;
}

type FetchRequest = RequestOf<typeof FETCH>;
type TopicRequest = ElementOf<FetchRequest['topics']>;
type PartitionRequest = ElementOf<TopicRequest['partitions']>;
type PartitionResponse = ElementOf<ElementOf<ResponseOf<typeof FETCH>['responses']>['partitions']>;

interface ReadResult {
  readonly responses: { readonly topic: string; readonly topicId: string; readonly partitions: PartitionResponse[] }[];
  readonly bytes: number;
  readonly failed: boolean;
}

const READ_COMMITTED = 1;
/** Maximum of one response, even if the client allows more, because many responses are in memory at once. */
const MAX_BYTES = 16 * 1024 * 1024;
const NO_RECORDS = Buffer.alloc(0);

export function fetchHandlers(deps: FetchDeps): ReadonlyMap<number, Handler> {
  return new Map([
    handles(FETCH, async (request, context) => {
      // Fetch sessions are not supported: session id 0 in each response makes clients send full requests.
      if (request.sessionId !== 0) return { errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND };
      const deadline = performance.now() + request.maxWaitMs;
      while (true) {
        const collected = readPartitions(deps, request);
        const left = deadline - performance.now();
        const isReady = collected.failed || collected.bytes >= request.minBytes;
        if (isReady || left <= 0 || context.signal.aborted) return { responses: collected.responses };
        await awaitChange(deps, request, left, context);
      }
    }),
  ]);
}

function readPartitions(deps: FetchDeps, request: FetchRequest): ReadResult {
  const limit = Math.min(request.maxBytes, MAX_BYTES);
  let bytes = 0;
  let failed = false;
  const responses = request.topics.map((wanted) => {
    const { topic, topicId, partitions } = wanted;
    const found = topicOf(deps, wanted);
    const missing = topicId !== '' && !found ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    const read = (partition: PartitionRequest): PartitionResponse => {
      const log = found?.partitions[partition.partition];
      const answer =
        found && log
          ? readPartition(deps, request, found.name, partition, log, limit - bytes, bytes === 0)
          : { partitionIndex: partition.partition, records: NO_RECORDS, errorCode: missing };
      bytes += answer.records?.length ?? 0;
      if (answer.errorCode !== ErrorCode.NONE) failed = true;
      return answer;
    };
    return { topic, topicId, partitions: partitions.map(read) };
  });
  return { responses, bytes, failed };
}

/** Requests have names or, in later versions, ids. */
function topicOf({ topics }: FetchDeps, { topic, topicId }: TopicRequest): Topic | undefined {
  return topicId === '' ? topics.get(topic) : topics.byId(topicId);
}

function readPartition(
  deps: FetchDeps,
  { isolationLevel }: FetchRequest,
  topic: string,
  { partition, fetchOffset, partitionMaxBytes, currentLeaderEpoch }: PartitionRequest,
  log: PartitionLog,
  bytesLeft: number,
  atLeastOne: boolean,
): PartitionResponse {
  const at = { partitionIndex: partition, records: NO_RECORDS };
  if (currentLeaderEpoch > LEADER_EPOCH) return { ...at, errorCode: ErrorCode.UNKNOWN_LEADER_EPOCH };
  const known = {
    highWatermark: log.endOffset,
    lastStableOffset: log.lastStableOffset,
    logStartOffset: log.startOffset,
  };
  if (fetchOffset < log.startOffset || fetchOffset > log.endOffset) {
    return { ...at, ...known, errorCode: ErrorCode.OFFSET_OUT_OF_RANGE };
  }
  const committedOnly = isolationLevel === READ_COMMITTED;
  const end = committedOnly ? log.lastStableOffset : log.endOffset;
  const paused = deps.whenResumed(topic, partition) !== null;
  const records =
    paused || fetchOffset >= end
      ? NO_RECORDS
      : log.read(fetchOffset, end, Math.min(partitionMaxBytes, bytesLeft), atLeastOne);
  const abortedTransactions = committedOnly
    ? log.transactions.abortedBetween(fetchOffset, offsetAfter(records, fetchOffset))
    : null;
  return { partitionIndex: partition, errorCode: ErrorCode.NONE, ...known, abortedTransactions, records };
}

function offsetAfter(records: Buffer, otherwise: number): number {
  let next = otherwise;
  for (let at = 0; at < records.length; at += batchBytes(records, at)) next = readHeader(records, at).lastOffset + 1;
  return next;
}

/** Resolves when a partition has changed or was resumed, after `ms`, or when the client disconnects. */
async function awaitChange(
  deps: FetchDeps,
  request: FetchRequest,
  ms: number,
  { signal }: RequestContext,
): Promise<void> {
  const cancels: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    const timer = startTimer(resolve, ms);
    const gone = (): void => resolve();
    signal.addEventListener('abort', gone, { once: true });
    cancels.push(
      () => clearTimeout(timer),
      () => signal.removeEventListener('abort', gone),
    );
    for (const wanted of request.topics) {
      const topic = topicOf(deps, wanted);
      for (const { partition } of wanted.partitions) {
        void deps.whenResumed(topic?.name ?? '', partition)?.then(resolve);
        const cancel = topic?.partitions[partition]?.onChange(resolve);
        if (cancel) cancels.push(cancel);
      }
    }
  });
  for (const cancel of cancels) cancel();
}
