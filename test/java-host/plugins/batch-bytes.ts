/** What the host would send: see PROTOCOL.md. */
import type { HostMap, HostValue } from '../../../packages/java-host/src/wire/host-value';
import { ByteWriter } from '../../../packages/java-host/src/wire/byte-writer';
import { writeValue } from '../../../packages/java-host/src/wire/values';

export interface BatchRecord {
  readonly flags?: number;
  readonly topic?: number;
  readonly partition?: number;
  readonly offset?: HostMap | null;
  readonly kafkaPartition?: number;
  readonly timestamp?: number;
  readonly failure?: { readonly stage: string; readonly class: string; readonly error: HostValue };
  readonly key?: string | null;
  readonly value?: string | null;
  readonly headers?: readonly (readonly [string, string | null])[];
}

export interface BatchOf {
  readonly number?: number;
  readonly transaction?: number;
  readonly topics?: readonly string[];
  readonly partitions?: readonly HostMap[];
  readonly first?: number;
  readonly records: readonly BatchRecord[];
}

const bytes = (text: string | null | undefined): Buffer | null =>
  text === null || text === undefined ? null : Buffer.from(text);

export function batchBytes(batch: BatchOf): Buffer {
  const out = new ByteWriter();
  out.i32(batch.number ?? 1);
  out.u8(batch.transaction ?? 0);
  const { topics = ['t'], partitions = [{ server: 'a' }], records, first = 0 } = batch;
  out.i32(topics.length);
  for (const topic of topics) out.string(topic);
  out.i32(partitions.length);
  for (const partition of partitions) writeValue(out, partition);
  out.i32(records.length);
  for (const [index, record] of records.entries()) {
    const flags = record.flags ?? 0;
    out.i32(first + index);
    out.u8(flags);
    out.u16(record.topic ?? 0);
    out.u16(record.partition ?? 0);
    writeValue(out, record.offset === undefined ? { at: first + index } : record.offset);
    if (flags & 4) out.i32(record.kafkaPartition ?? 0);
    if (flags & 8) {
      out.i64(record.timestamp ?? 0);
    }
    if (record.failure) {
      out.string(record.failure.stage);
      out.string(record.failure.class);
      writeValue(out, record.failure.error);
    }
    if (flags & 3) continue;
    out.bytes(bytes(record.key));
    out.bytes(bytes(record.value === undefined ? `v${first + index}` : record.value));
    const { headers = [] } = record;
    out.i32(headers.length);
    for (const [key, value] of headers) {
      out.string(key);
      out.bytes(bytes(value));
    }
  }
  return out.take();
}
