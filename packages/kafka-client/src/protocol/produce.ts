/**
 * Produce, versions 3 to 8, which share one request layout. Later versions add nothing that this producer
 * needs, and Event Hubs supports up to 7 (kafka-client §3).
 */
import * as kafka from '@millrace/kafka-protocol';
import { Writer, type Reader } from '@millrace/kafka-protocol';
import type { WireRequest } from '../wire';
import { encodedRequest } from './api';

export const PRODUCE = kafka.withVersions(kafka.PRODUCE, 3, 8);
/** The first version that supports zstd. */
export const ZSTD_PRODUCE_VERSION = 7;

export interface ProducePartition {
  readonly topic: string;
  readonly partition: number;
}

export interface ProducedPartition extends ProducePartition {
  readonly errorCode: number;
  readonly errorMessage: string | null;
  readonly baseOffset: number;
  /** -1 in versions without it. */
  readonly logStartOffset: number;
}

export interface ProduceResponse {
  readonly partitions: readonly ProducedPartition[];
  /** How long the broker delayed the response because of a quota. */
  readonly throttleMs: number;
}

export interface ProduceOptions {
  readonly transactionalId: string | null;
  readonly acks: -1 | 0 | 1;
  readonly timeoutMs: number;
}

/** Bytes before a batch for the `produceHeader` of a request with only this batch. */
export function produceHeadroom(transactionalId: string | null, topic: string): number {
  const id = transactionalId === null ? 0 : Buffer.byteLength(transactionalId);
  return 2 + id + 2 + 4 + 4 + 2 + Buffer.byteLength(topic) + 4 + 4 + 4;
}

/** The part of a request before its only batch. */
export function produceHeader(to: ProducePartition, batchBytes: number, options: ProduceOptions): Buffer {
  const head = new Writer(128);
  writeOptions(head, options);
  head.int32(1);
  head.string(to.topic, false);
  head.int32(1);
  head.int32(to.partition);
  head.int32(batchBytes);
  return head.toBuffer();
}

/**
 * Writes a body with several batches. Without chunks, as of a `Writer`, because a request may have a batch of a single
 * record for each of hundreds of partitions.
 * @param to with room for each batch and its `produceHeadroom`
 * @returns where it ends
 */
export function writeProduceBody(
  to: Buffer,
  byTopic: ReadonlyMap<string, readonly { readonly partition: number; readonly batch: Buffer }[]>,
  options: ProduceOptions,
): number {
  const head = new Writer(128);
  writeOptions(head, options);
  head.int32(byTopic.size);
  const start = head.toBuffer();
  to.set(start);
  let at = start.length;
  for (const [topic, partitions] of byTopic) {
    const nameBytes = to.write(topic, at + 2);
    at = to.writeInt16BE(nameBytes, at) + nameBytes;
    at = to.writeInt32BE(partitions.length, at);
    for (const { partition, batch } of partitions) {
      at = to.writeInt32BE(partition, at);
      at = to.writeInt32BE(batch.length, at);
      to.set(batch, at);
      at += batch.length;
    }
  }
  return at;
}

function writeOptions(to: Writer, options: ProduceOptions): void {
  to.string(options.transactionalId, false);
  to.int16(options.acks);
  to.int32(options.timeoutMs);
}

/** @param body from the functions above; not copied. */
export function produceRequest(version: number, body: Buffer, options: ProduceOptions): WireRequest<ProduceResponse> {
  const noResponse = options.acks === 0;
  return encodedRequest(
    PRODUCE,
    version,
    () => body,
    (from) => readResponse(from, version),
    { noResponse },
  );
}

/** By hand, because batches of large records have few records for each response. */
function readResponse(from: Reader, version: number): ProduceResponse {
  const partitions: ProducedPartition[] = [];
  for (let topics = from.count(false); topics > 0; topics--) {
    const topic = from.string(false) ?? '';
    for (let left = from.count(false); left > 0; left--) partitions.push(readPartition(from, topic, version));
  }
  return { partitions, throttleMs: from.int32() };
}

function readPartition(from: Reader, topic: string, version: number): ProducedPartition {
  const partition = from.int32();
  const errorCode = from.int16();
  const baseOffset = from.int64();
  from.int64(); // log append time
  const logStartOffset = version >= 5 ? from.int64() : -1;
  let errorMessage: string | null = null;
  if (version >= 8) {
    for (let records = from.count(false); records > 0; records--) {
      from.int32();
      const message = from.string(false);
      errorMessage ??= message;
    }
    const batchMessage = from.string(false);
    errorMessage ??= batchMessage;
  }
  return { topic, partition, errorCode, errorMessage, baseOffset, logStartOffset };
}
