/**
 * Produce, versions 3 to 8, which share one request layout. Later versions add nothing that a producer with one batch
 * in flight needs, and Event Hubs supports up to 7 (kafka-client §3).
 */
import * as kafka from '@millrace/kafka-protocol';
import { Writer, type ElementOf, type MessageOf } from '@millrace/kafka-protocol';
import type { WireRequest } from '../wire';
import { request } from './api';

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

/** The parts of a body with several batches, in order; batches are not copied. */
export function produceBodyParts(
  byTopic: ReadonlyMap<string, readonly { partition: number; batch: Buffer }[]>,
  options: ProduceOptions,
): Buffer[] {
  const parts: Buffer[] = [];
  let head = new Writer();
  writeOptions(head, options);
  head.int32(byTopic.size);
  for (const [topic, partitions] of byTopic) {
    head.string(topic, false);
    head.int32(partitions.length);
    for (const { partition, batch } of partitions) {
      head.int32(partition);
      head.int32(batch.length);
      parts.push(head.toBuffer(), batch);
      head = new Writer();
    }
  }
  return parts;
}

function writeOptions(to: Writer, options: ProduceOptions): void {
  to.string(options.transactionalId, false);
  to.int16(options.acks);
  to.int32(options.timeoutMs);
}

/** @param body from the functions above; not copied. */
export function produceRequest(version: number, body: Buffer, options: ProduceOptions): WireRequest<ProduceResponse> {
  const noResponse = options.acks === 0;
  const definition = request(
    PRODUCE,
    version,
    {},
    ({ responses, throttleTimeMs }) => ({
      partitions: responses.flatMap(({ name, partitionResponses }) =>
        partitionResponses.map((partition) => producedPartition(name, partition)),
      ),
      throttleMs: throttleTimeMs,
    }),
    { noResponse },
  );
  return { ...definition, encode: () => body };
}

function producedPartition(
  topic: string,
  partition: ElementOf<ElementOf<MessageOf<typeof PRODUCE.response>['responses']>['partitionResponses']>,
): ProducedPartition {
  const { index, errorCode, baseOffset, logStartOffset, recordErrors } = partition;
  const rejected = recordErrors.find((record) => record.batchIndexErrorMessage !== null);
  const errorMessage = rejected?.batchIndexErrorMessage ?? partition.errorMessage;
  return { topic, partition: index, errorCode, errorMessage, baseOffset, logStartOffset };
}
