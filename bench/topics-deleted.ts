/**
 * Deletes topics of running sinks at random moments, creates most of them again, some at once and with more records
 * than before, and kills workers in between; counts what is lost and repeated, and how long a sink delivered nothing of
 * a topic that was not touched.
 * `npm run bench -- topics-deleted [FAULTS [SEED]]` (Default: 12)
 * Every other fault is a SIGKILL of a worker, half of them up to two seconds after a deletion. Some sinks notice a
 * deletion after seconds, the others after five minutes (`metadata.max.age.ms`), so that they commit without the topic.
 * `TEST_BROKER=kafka` runs it on Apache Kafka.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker } from '../dev/services/broker';
import { waitFor } from '../dev/services/wait-for';
import type { StartedWorker } from '../dev/services/worker';
import { createAdmin } from '../packages/kafka-client/src/admin/admin';
import { createWire } from '../packages/kafka-client/src/network/network-client';
import { seeded } from '../test/helpers/seeded';
import { FollowedFile } from './lib/followed-file';
import { startKillable } from './lib/killable-worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { taskState } from './lib/task-state';
import { WrittenTopic } from './lib/written-topic';

const FAULTS = Number(process.argv[2] ?? 12);
const SEED = Number(process.argv[3] ?? Date.now() % 1_000_000);
const SINKS = 3;
const WORKERS = 2;
/** A killed worker is missed after 6 s, its consumers after 6 s more, and starting takes seconds. */
const SILENT_MS = 30_000;
const WATCH_MS = 250;
const DELIVERY_MS = 120_000;

interface Sink {
  readonly name: string;
  readonly file: FollowedFile;
  readonly kept: WrittenTopic;
  readonly topics: readonly WrittenTopic[];
  silence: number;
  /** Of silences longer than SILENT_MS. */
  stale: number;
  staleWhileRunning: number;
  isStale: boolean;
}

benchmark(async (atEnd) => {
  const random = seeded(SEED);
  const broker = await startBroker({ settings: { 'auto.create.topics.enable': 'false' } });
  atEnd(broker.stop);
  const { bootstrapServers } = broker;
  const admin = createAdmin(createWire({ 'bootstrap.servers': bootstrapServers }), {
    ...{ timeoutMs: 120_000, retryBackoffMs: 50, retryBackoffMaxMs: 500 },
  });
  atEnd(() => admin.close());
  const folder = await mkdtemp(join(tmpdir(), 'topics-deleted-'));
  atEnd(() => rm(folder, { recursive: true }));
  heading(`Sinks of deleted topics, ${FAULTS} deletions and kills (seed ${SEED})`);

  const group = `deleted-${randomBytes(3).toString('hex')}`;
  const start = (): Promise<StartedWorker> =>
    startKillable(bootstrapServers, group, { 'offset.flush.interval.ms': '1000', 'offset.flush.timeout.ms': '5000' });
  const workers = await Promise.all(Array.from({ length: WORKERS }, start));
  atEnd(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));

  const sinks: Sink[] = [];
  for (let i = 0; i < SINKS; i++) {
    const names = ['kept', 'one', 'two'].map((name) => `${group}-${i}-${name}`);
    const topics = names.map((name) => new WrittenTopic(name, bootstrapServers, admin));
    for (const topic of topics) await topic.create();
    const [kept] = topics as [WrittenTopic];
    const path = join(folder, `${i}.txt`);
    await (workers[0] as StartedWorker).register({
      name: `${group}-${i}`,
      config: {
        'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
        'tasks.max': '1',
        topics: names.join(','),
        file: path,
        'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
        'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
        'consumer.override.allow.auto.create.topics': 'false',
        'consumer.override.session.timeout.ms': '6000',
        'consumer.override.heartbeat.interval.ms': '1000',
        ...(i === 0 && { 'consumer.override.metadata.max.age.ms': '2000' }),
      },
    });
    const file = new FollowedFile(path, kept.name);
    sinks.push({
      name: `${group}-${i}`,
      file,
      kept,
      topics,
      silence: 0,
      stale: 0,
      staleWhileRunning: 0,
      isStale: false,
    });
  }

  let watching = true;
  const watch = async (): Promise<void> => {
    for (; watching; await sleep(WATCH_MS))
      for (const sink of sinks) {
        sink.file.read();
        const silence = performance.now() - sink.file.lastAt;
        sink.silence = Math.max(sink.silence, silence);
        if (silence <= SILENT_MS) sink.isStale = false;
        else if (!sink.isStale) {
          sink.isStale = true;
          sink.stale++;
          const status = await taskState(workers, sink.name);
          if (status === 'RUNNING') sink.staleWhileRunning++;
          console.log(`${sink.name} has delivered nothing for ${whole(silence)} ms, and is ${status}`);
        }
      }
  };
  await Promise.all(
    sinks.map((sink) =>
      waitFor(`the first records of ${sink.name}`, () => (sink.file.read(), sink.file.lines.size > 0)),
    ),
  );
  for (const sink of sinks) sink.file.lastAt = performance.now();
  const watched = watch();

  /** Long before their topic was deleted. */
  const lostBefore: string[] = [];
  let deletions = 0;
  let kills = 0;
  let recreations = 0;
  const kill = async (): Promise<void> => {
    const at = random.below(WORKERS);
    console.log(`${++kills + deletions}: SIGKILL of a worker`);
    await (workers[at] as StartedWorker).crash();
    workers[at] = await start();
  };
  while (deletions + kills < FAULTS) {
    const sink = random.one(sinks);
    const topic = random.one(sink.topics.slice(1));
    if (!topic.exists) {
      await topic.create();
      recreations++;
    }
    const due = [...topic.acknowledged];
    await sleep(random.next() * 5000);
    const skipped = (): string[] => (sink.file.read(), due.filter((line) => !sink.file.lines.has(line)));
    for (const limit = performance.now() + SILENT_MS; skipped().length > 0 && performance.now() < limit;)
      await sleep(WATCH_MS);
    lostBefore.push(...skipped());
    console.log(`${++deletions + kills}: ${topic.name} deleted`);
    const before = topic.acknowledged.length;
    await topic.delete();
    if (random.chance(0.4)) {
      // The sinks may not have noticed yet, and their position is one of the new log, too.
      await topic.create(2 * before);
      recreations++;
      if (random.chance(0.5)) await kill();
      continue;
    }
    await sleep(random.next() * 2000);
    const again = random.chance(0.7);
    if (again && random.chance(0.5)) await kill();
    await sleep(random.next() * 3000);
    if (again) {
      await topic.create();
      recreations++;
    }
    if (deletions + kills < FAULTS && kills < deletions) await kill();
  }
  await sleep(5000);
  await Promise.all(sinks.flatMap(({ topics }) => topics.filter(({ exists }) => exists).map((topic) => topic.stop())));

  const missing = (sink: Sink): string[] =>
    sink.topics.flatMap(({ acknowledged }) => acknowledged.filter((line) => !sink.file.lines.has(line)));
  const limit = Date.now() + DELIVERY_MS;
  while (sinks.some((sink) => missing(sink).length > 0) && Date.now() < limit) {
    // Nothing more is written: silence counts only while records are missing.
    for (const sink of sinks) if (missing(sink).length === 0) sink.file.lastAt = performance.now();
    await sleep(WATCH_MS);
  }
  watching = false;
  await watched;

  const sum = (of: (sink: Sink) => number): number => sinks.reduce((total, sink) => total + of(sink), 0);
  const lost = [...lostBefore, ...sinks.flatMap(missing)];
  const stale = sum((sink) => sink.stale);
  const unread = sum(({ topics, file }) =>
    topics.reduce((total, { deleted }) => total + deleted.filter((line) => !file.lines.has(line)).length, 0),
  );
  figure('kills of workers', whole(kills));
  figure('topics deleted', whole(deletions));
  figure('topics created again', whole(recreations));
  figure(
    'records acknowledged, in topics that exist',
    whole(sum(({ topics }) => topics.reduce((n, t) => n + t.acknowledged.length, 0))),
  );
  figure('records deleted with their topic before delivery', whole(unread));
  figure(
    'records delivered again',
    whole(sum(({ file }) => [...file.lines.values()].reduce((n, count) => n + count - 1, 0))),
  );
  figure(
    'longest silence of a sink',
    `${whole(Math.max(...sinks.map(({ silence }) => silence)))} ms`,
    `${whole(SILENT_MS)} ms`,
  );
  figure('records lost', whole(lost.length), '0');
  figure('stale sinks', whole(stale), '0');
  figure('RUNNING that does not run', whole(sum(({ staleWhileRunning }) => staleWhileRunning)), '0');
  for (const line of lost.slice(0, 10)) console.log(`lost: ${line}`);
  if (lost.length > 0 || stale > 0) throw new Error('a sink lost records or stopped delivering');
});
