/**
 * How fast a worker appends a topic of 200 B records to a file, in turns with `kcat -C`, librdkafka's consumer, where
 * it is installed. The topic is filled by Kafka's own performance tool.
 * `npm run bench -- file-sink [RECORDS [TASKS [WORKERS]]]` (Default: 1,000,000; 1; 1. The topic has a partition for
 * each task. The workers are of one group; the figures are their sums.)
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runKafkaTool, useOrStartKafka } from '../dev/services/kafka';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { measure } from './lib/usage';

const RECORDS = Number(process.argv[2] ?? 1_000_000);
const TASKS = Number(process.argv[3] ?? 1);
const WORKERS = Number(process.argv[4] ?? 1);
const BYTES = 200;
const SIZE = RECORDS * (BYTES + 1);
const TURNS = 3;
/** E.g. `BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profiles"`, one profile per thread. */
const NODE_FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);
const STRING = 'org.apache.kafka.connect.storage.StringConverter';

/** Seconds of CPU, and of time from the first byte in the file (of kcat: from its start). */
interface Turn {
  readonly seconds: number;
  readonly cpu: number;
  readonly peak?: number;
}

/** Null: it is not installed. */
function kcat(bootstrapServers: string, topic: string, file: string): Turn | null {
  const command = 'TIMEFORMAT="%R %U %S"; time kcat -C -q -e -o beginning -b "$1" -t "$2" >"$3"';
  const { stderr } = spawnSync('bash', ['-c', command, 'kcat', bootstrapServers, topic, file], { encoding: 'utf8' });
  const [, seconds, user, system] = /(\S+) (\S+) (\S+)\s*$/.exec(stderr) ?? [];
  const complete = statSync(file, { throwIfNoEntry: false })?.size === SIZE;
  rmSync(file, { force: true });
  return complete ? { seconds: Number(seconds), cpu: Number(user) + Number(system) } : null;
}

async function sink(workers: readonly StartedWorker[], name: string, topic: string): Promise<Turn> {
  const worker = workers[0] as StartedWorker;
  const file = join(worker.folder, `${name}.txt`);
  const size = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const usages = workers.map(({ pid }) => measure(pid));
  const connector = 'org.apache.kafka.connect.file.FileStreamSinkConnector';
  const converters = { 'key.converter': STRING, 'value.converter': STRING };
  await worker.register({
    name,
    config: { 'connector.class': connector, 'tasks.max': String(TASKS), topics: topic, file, ...converters },
  });
  let first = 0;
  await waitFor(
    'the file to be complete',
    () => {
      if (first === 0 && size() > 0) first = performance.now();
      return size() >= SIZE;
    },
    {
      timeoutMs: 900_000,
      everyMs: 5,
      detail: () => workers.map(({ process: { log } }) => log().slice(-4000)).join('\n'),
    },
  );
  const seconds = (performance.now() - first) / 1000;
  const used = usages.map((usage) => usage.end());
  const sum = (of: 'cpu' | 'peak'): number => used.reduce((total, one) => total + one[of], 0);
  // A task that starts while another process writes a line ends it: an empty line.
  if (size() > SIZE + (WORKERS > 1 ? TASKS : 0)) throw new Error(`the file has ${size()} bytes, more than the records`);
  await worker.request('DELETE', `/connectors/${name}`);
  rmSync(file);
  return { seconds, cpu: sum('cpu'), peak: sum('peak') };
}

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  heading(`Kafka → file, ${whole(RECORDS)} records of ${BYTES} B, ${TASKS} task(s), ${WORKERS} worker(s)`);
  const run = `bench-${randomBytes(3).toString('hex')}`;
  const where = ['--bootstrap-server', kafka.bootstrapServers];
  await runKafkaTool('org.apache.kafka.tools.TopicCommand', [
    ...where,
    '--create',
    '--topic',
    run,
    '--partitions',
    String(TASKS),
  ]);
  await runKafkaTool('org.apache.kafka.tools.ProducerPerformance', [
    ...[...where, '--topic', run, '--throughput', '-1'],
    ...['--num-records', String(RECORDS), '--record-size', String(BYTES)],
  ]);

  const workers: StartedWorker[] = [];
  for (let i = 0; i < WORKERS; i++) {
    const worker = await startWorker({
      bootstrapServers: kafka.bootstrapServers,
      group: `${run}-worker`,
      nodeFlags: NODE_FLAGS,
    });
    atEnd(() => worker.stop());
    workers.push(worker);
    await worker.ready();
  }
  for (let turn = 1; turn <= TURNS; turn++) {
    const ours = await sink(workers, `${run}-${turn}`, run);
    figure(`${turn}: records, after the first arrived`, `${whole(RECORDS / ours.seconds)} /s`);
    figure('CPU per million records, with the start of the task', `${((ours.cpu / RECORDS) * 1e6).toFixed(2)} s`);
    figure('peak RSS', `${whole(ours.peak ?? 0)} MiB`);
    const theirs = kcat(kafka.bootstrapServers, run, join(tmpdir(), `${run}-kcat.txt`));
    if (theirs === null) continue;
    figure(`${turn}: kcat -C > file`, `${whole(RECORDS / theirs.seconds)} /s`);
    figure('CPU per million records', `${((theirs.cpu / RECORDS) * 1e6).toFixed(2)} s`);
  }
});
