/**
 * CPU of Node.js for each record of a Java source task: frames of ready bytes, with small offsets, read as the task
 * reads them.
 *
 *     node -r ./dev/register.js bench/java-frames.ts [--records 1000000] [--bytes 300]
 */
import { parseArgs } from 'node:util';
import { SourceBatchCheck } from '../packages/sdk/src';
import { SourceBatches } from '../packages/java-host/src/plugins/source-batch';
import { ByteWriter } from '../packages/java-host/src/wire/byte-writer';
import { FrameSplitter } from '../packages/java-host/src/wire/frame-splitter';
import { FrameWriter, readFrame } from '../packages/java-host/src/wire/frame';
import type { HostMap } from '../packages/java-host/src/wire/host-value';
import { StringCache } from '../packages/java-host/src/wire/string-cache';
import { writeValue } from '../packages/java-host/src/wire/values';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '2000000' },
    bytes: { type: 'string', default: '300' },
    offset: { type: 'string', default: 'small' },
  },
});
const COUNT = Number(values.records);
/** Of a value. */
const BYTES = Number(values.bytes);
/** Chunks of a socket. */
const CHUNK = 64 * 1024;
const PER_BATCH = 2048;

const offsetOf = (i: number): HostMap =>
  values.offset === 'debezium'
    ? {
        lsn_proc: 24_000_000 + i * 56,
        messageType: 'INSERT',
        lsn_commit: 24_000_000 + i * 50,
        lsn: 24_000_000 + i * 56,
        txId: 700 + i,
        ts_usec: 1_700_000_000_000_000 + i,
      }
    : { position: 1000 + i };

function batch(): Buffer {
  const out = new ByteWriter();
  out.i32(1);
  out.u8(0);
  out.i32(1);
  out.string('server.public.orders');
  out.i32(1);
  writeValue(out, { server: 'server' });
  out.i32(PER_BATCH);
  for (let i = 0; i < PER_BATCH; i++) {
    out.i32(i);
    out.u8(8);
    out.u16(0);
    out.u16(0);
    writeValue(out, offsetOf(i));
    out.i64(1_700_000_000_000 + i);
    out.bytes(Buffer.from(`{"id":${i}}`));
    out.bytes(Buffer.alloc(BYTES, 120));
    out.i32(0);
  }
  return out.take();
}

const frame = new FrameWriter().result(1, batch());
const chunks: Buffer[] = [];
for (let at = 0; at < frame.length; at += CHUNK) chunks.push(frame.subarray(at, at + CHUNK));

/** Everything but the socket itself. */
function run(records: number): number {
  const splitter = new FrameSplitter();
  const strings = new StringCache();
  const batches = new SourceBatches(true, () => Promise.reject());
  const check = new SourceBatchCheck('bench');
  let read = 0;
  while (read < records)
    for (const chunk of chunks) {
      splitter.push(chunk);
      for (let bytes = splitter.next(); bytes !== null; bytes = splitter.next()) {
        const answer = readFrame(bytes, strings);
        if (!('value' in answer)) continue;
        read += check.check(batches.read(answer.value as Buffer, null).records)?.length ?? 0;
      }
    }
  return read;
}

run(COUNT / 10);
for (let round = 0; round < 3; round++) {
  const before = process.cpuUsage();
  const read = run(COUNT);
  const { user, system } = process.cpuUsage(before);
  console.log(`${((user + system) / read).toFixed(3)} µs of CPU a record (${read} records of ${BYTES} bytes)`);
}
