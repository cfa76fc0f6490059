/** `millrace consume`: prints the records of a topic. */
import { EXIT, type Invocation, type VerbSpec } from '@millrace/cli';
import { yamlDocument } from '@millrace/cli/answers';
import { interruptible, type Interruption, paintOf } from '@millrace/cli/terminal';
import { ConnectError } from '@millrace/sdk';
import { READ_OPTIONS, type StartPosition } from '../kafka/read-options';
import { readRecord, type ReadRecord, recordJson, recordLine } from '../records/record-text';

export const command: VerbSpec = {
  name: 'consume',
  description: `Print the records of a topic, through a converter.

It reads committed records without a consumer group, and waits for new ones until Ctrl-C, unless --exit or --count ends it. Each line has partition:offset, timestamp, key and value; -o json prints an object per line.`,
  arguments: [{ name: '<topic>', description: 'name of the topic' }],
  options: [
    ...READ_OPTIONS,
    { flags: '-e, --exit', description: 'end after the last record that exists now' },
    { flags: '--headers', description: 'print headers, too, each on a line of its own' },
  ],
  shared: ['output', 'server', 'cluster'],
  examples: [
    { command: 'consume demo.public.todos --headers', explanation: 'All records so far, and new ones as they arrive' },
    {
      command: 'consume orders --value-converter avro --schema-registry http://localhost:8081',
      explanation: 'Records in Avro',
    },
    { command: 'consume orders --from -10 --exit -o json', explanation: 'The last 10 records of each partition' },
  ],
  run,
};

interface ConsumeOptions {
  readonly from: StartPosition;
  readonly count?: number;
  readonly partition?: number;
  readonly exit?: boolean;
  readonly headers?: boolean;
  readonly output?: string;
}

async function run(invocation: Invocation): Promise<number> {
  return await interruptible(invocation.io, (interruption) => consume(invocation, interruption));
}

async function consume(invocation: Invocation, { stopping }: Interruption): Promise<number> {
  const { io } = invocation;
  const topic = invocation.args[0] as string;
  const { from, count = Infinity, partition, exit = false } = invocation.options as unknown as ConsumeOptions;
  const { chooseReaders, clusterSetup, openCluster, readTopic } = loadClients();
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
        read = await readRecord(batch, record, readers);
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

/** On demand: the Kafka client and the converters take long to load. */
function loadClients() {
  return {
    ...(require('../worker/command-config') as typeof import('../worker/command-config')),
    ...(require('../records/readers') as typeof import('../records/readers')),
    ...(require('../kafka/open-cluster') as typeof import('../kafka/open-cluster')),
    ...(require('../kafka/read-topic') as typeof import('../kafka/read-topic')),
  };
}

function writerOf({ options, io }: Invocation): (record: ReadRecord) => void {
  const { output, headers = false } = options as unknown as ConsumeOptions;
  if (output === 'json') return (record) => void io.stdout.write(`${recordJson(record)}\n`);
  if (output === 'yaml') return (record) => void io.stdout.write(yamlDocument(recordJson(record)));
  const paint = paintOf(io);
  return (record) => void io.stdout.write(recordLine(record, paint, headers));
}
