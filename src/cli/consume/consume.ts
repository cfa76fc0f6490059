/** `millrace consume TOPIC` */
import { ConnectError } from '@millrace/sdk';
import { EXIT } from '../exit-codes';
import { interruptible, type Interruption } from '../interruption';
import { clusterSetup } from '../worker/command-config';
import { openCluster } from '../kafka/open-cluster';
import { readTopic } from '../kafka/read-topic';
import type { StartPosition } from '../kafka/read-options';
import { paintOf } from '../output/colours';
import { yamlDocument } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { chooseReaders } from '../records/choose-readers';
import { readRecord, recordJson, recordLine, type ReadRecord } from '../records/record-text';

interface ConsumeOptions {
  readonly from: StartPosition;
  readonly count?: number;
  readonly partition?: number;
  readonly exit?: boolean;
  readonly headers?: boolean;
  readonly output?: string;
}

export async function run(invocation: Invocation): Promise<number> {
  return await interruptible(invocation.io, (interruption) => consume(invocation, interruption));
}

async function consume(invocation: Invocation, { stopping }: Interruption): Promise<number> {
  const { io } = invocation;
  const topic = invocation.args[0] as string;
  const { from, count = Infinity, partition, exit = false } = invocation.options as unknown as ConsumeOptions;
  const setup = await clusterSetup(invocation);
  const readers = await chooseReaders(invocation, setup);
  const cluster = await openCluster(setup, io, 'consume');
  const write = writerOf(invocation);
  let shown = 0;
  for await (const batch of readTopic(cluster, {
    topic,
    partition,
    start: from,
    follow: !exit,
    stopping: stopping.signal,
  }))
    for (const record of batch.records) {
      if (shown === count || stopping.signal.aborted) break;
      let read: ReadRecord;
      try {
        read = readRecord(batch, record, readers);
      } catch (cause) {
        throw new ConnectError(
          `The record at ${topic}-${batch.partition}@${record.offset} cannot be read: ${(cause as Error).message}`,
          { code: 'RECORD_UNREADABLE', cause, place: { topic, partition: batch.partition, offset: record.offset } },
        );
      }
      write(read);
      if (++shown === count) stopping.abort();
    }
  if (shown === 0 && exit) io.stderr.write(`No records in ${topic}.\n`);
  return EXIT.success;
}

function writerOf({ options, io }: Invocation): (record: ReadRecord) => void {
  const { output, headers = false } = options as unknown as ConsumeOptions;
  if (output === 'json') return (record) => void io.stdout.write(`${recordJson(record)}\n`);
  if (output === 'yaml') return (record) => void io.stdout.write(yamlDocument(recordJson(record)));
  const paint = paintOf(io);
  return (record) => void io.stdout.write(recordLine(record, paint, headers));
}
