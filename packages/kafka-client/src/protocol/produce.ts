/**
 * Produce, versions 3 to 8, which share one request layout. Later versions add nothing that a producer with one batch
 * in flight needs, and Event Hubs supports up to 7 (kafka-client §3).
 */
import type { WireRequest } from '../wire';
import { request, type Api } from './api';
import { ByteWriter, type ByteReader } from './bytes';

export const PRODUCE: Api = { name: 'Produce', key: 0, min: 3, max: 8, flexibleFrom: 9 };
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
  const writer = new ByteWriter(false, 128);
  writer.nullableString(options.transactionalId).int16(options.acks).int32(options.timeoutMs);
  return writer.int32(1).string(to.topic).int32(1).int32(to.partition).int32(batchBytes).finish();
}

/** The parts of a body with several batches, in order; batches are not copied. */
export function produceBodyParts(
  byTopic: ReadonlyMap<string, readonly { partition: number; batch: Buffer }[]>,
  options: ProduceOptions,
): Buffer[] {
  const head = new ByteWriter();
  head.nullableString(options.transactionalId).int16(options.acks).int32(options.timeoutMs).int32(byTopic.size);
  const parts = [head.finish()];
  for (const [topic, partitions] of byTopic) {
    parts.push(new ByteWriter().string(topic).int32(partitions.length).finish());
    for (const { partition, batch } of partitions) {
      parts.push(new ByteWriter(false, 8).int32(partition).int32(batch.length).finish(), batch);
    }
  }
  return parts;
}

/** @param body from the functions above; not copied. */
export function produceRequest(version: number, body: Buffer, options: ProduceOptions): WireRequest<ProduceResponse> {
  const definition = request(
    PRODUCE,
    version,
    () => undefined,
    (reader) => readResponse(reader, version),
    {
      noResponse: options.acks === 0,
    },
  );
  return { ...definition, encode: () => body };
}

function readResponse(reader: ByteReader, version: number): ProduceResponse {
  const topics = reader.array(() => {
    const topic = reader.string();
    return reader.array(() => readPartition(reader, topic, version));
  });
  return { partitions: topics.flat(), throttleMs: reader.int32() };
}

function readPartition(reader: ByteReader, topic: string, version: number): ProducedPartition {
  const partition = reader.int32();
  const errorCode = reader.int16();
  const baseOffset = reader.int64();
  reader.int64(); // log append time
  const logStartOffset = version >= 5 ? reader.int64() : -1;
  const recordErrors =
    version >= 8 ? reader.array(() => ({ index: reader.int32(), message: reader.nullableString() })) : [];
  const batchMessage = version >= 8 ? reader.nullableString() : null;
  const errorMessage = recordErrors.find((e) => e.message !== null)?.message ?? batchMessage;
  return { topic, partition, errorCode, errorMessage, baseOffset, logStartOffset };
}
