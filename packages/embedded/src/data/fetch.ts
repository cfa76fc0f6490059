/** Fetch: whole batches, stored form, as soon as there are enough of them or the client's patience ends. */
import { startTimer } from '../clock';
import { handles, type Handler, type RequestContext } from '../requests/handler';
import { LEADER_EPOCH, readHeader, batchBytes } from '../log/batch';
import type { PartitionLog } from '../log/partition-log';
import { FETCH } from '../protocol/apis/data';
import { ErrorCode } from '../protocol/errors';
import type { ElementOf, RequestOf, ResponseOf } from '../protocol/layout';
import type { TopicRegistry } from '../topics/registry';

export interface FetchDeps {
  readonly topics: TopicRegistry;
  readonly whenRunning: (topic: string, partition: number) => Promise<void> | null;
}

type FetchRequest = RequestOf<typeof FETCH>;
type PartitionRequest = ElementOf<ElementOf<FetchRequest['topics']>['partitions']>;
type PartitionAnswer = ElementOf<ElementOf<ResponseOf<typeof FETCH>['responses']>['partitions']>;

interface Collected {
  readonly responses: { readonly topic: string; readonly partitions: PartitionAnswer[] }[];
  readonly bytes: number;
  readonly failed: boolean;
}

const READ_COMMITTED = 1;
/** Of one response, whatever the client allows: responses of many clients are in memory at the same time. */
const MOST_BYTES = 16 * 1024 * 1024;
const NO_RECORDS = Buffer.alloc(0);

export function fetchHandlers(deps: FetchDeps): ReadonlyMap<number, Handler> {
  return new Map([
    handles(FETCH, async (request, context) => {
      // Sessions are not kept: each response says so with session 0, and clients then name all partitions each time.
      if (request.sessionId !== 0) return { errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND };
      const deadline = performance.now() + request.maxWaitMs;
      while (true) {
        const collected = collect(deps, request);
        const left = deadline - performance.now();
        const enough = collected.failed || collected.bytes >= request.minBytes;
        if (enough || left <= 0 || context.signal.aborted) return { responses: collected.responses };
        await change(deps, request, left, context);
      }
    }),
  ]);
}

function collect(deps: FetchDeps, request: FetchRequest): Collected {
  const limit = Math.min(request.maxBytes, MOST_BYTES);
  let bytes = 0;
  let failed = false;
  const responses = request.topics.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map((partition): PartitionAnswer => {
      const log = deps.topics.get(topic)?.partitions[partition.partition];
      const answer = readPartition(deps, request, topic, partition, log, limit - bytes, bytes === 0);
      bytes += answer.records?.length ?? 0;
      if (answer.errorCode !== ErrorCode.NONE) failed = true;
      return answer;
    }),
  }));
  return { responses, bytes, failed };
}

function readPartition(
  deps: FetchDeps,
  { isolationLevel }: FetchRequest,
  topic: string,
  { partition, fetchOffset, partitionMaxBytes, currentLeaderEpoch }: PartitionRequest,
  log: PartitionLog | undefined,
  bytesLeft: number,
  atLeastOne: boolean,
): PartitionAnswer {
  const at = { partitionIndex: partition, records: NO_RECORDS };
  if (!log) return { ...at, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
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
  const paused = deps.whenRunning(topic, partition) !== null;
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

/** Resolves when one of the partitions has changed, or was resumed, or after `ms`, or when the client has gone. */
async function change(deps: FetchDeps, request: FetchRequest, ms: number, { signal }: RequestContext): Promise<void> {
  const cancels: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    const timer = startTimer(resolve, ms);
    const gone = (): void => resolve();
    signal.addEventListener('abort', gone, { once: true });
    cancels.push(
      () => clearTimeout(timer),
      () => signal.removeEventListener('abort', gone),
    );
    for (const { topic, partitions } of request.topics) {
      for (const { partition } of partitions) {
        void deps.whenRunning(topic, partition)?.then(resolve);
        const cancel = deps.topics.get(topic)?.partitions[partition]?.onChange(resolve);
        if (cancel) cancels.push(cancel);
      }
    }
  });
  for (const cancel of cancels) cancel();
}
