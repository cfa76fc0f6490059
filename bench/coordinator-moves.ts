/**
 * Moves the only broker of a group of workers to another port again and again, with its data and its node id, while
 * workers are killed and frozen; counts what a source and a sink lose and repeat, what a frozen worker sends after
 * another has its task, and how long the workers need until all are in the group again.
 * `npm run bench -- coordinator-moves [FAULTS [SEED [SUPPORT]]]` (Default: 12, and SUPPORT `enabled`, the workers'
 * `exactly.once.source.support`)
 * Every other fault is a move, after a regular stop or a SIGKILL of the broker. The others come up to three seconds
 * before or after it: a SIGKILL of a worker that runs one of the tasks, or a SIGSTOP, usually for longer than its
 * session.
 */
import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../dev/services/free-port';
import { waitFor } from '../dev/services/wait-for';
import type { StartedWorker } from '../dev/services/worker';
import { createAdmin } from '../packages/kafka-client/src/admin/admin';
import { createAssignedConsumer } from '../packages/kafka-client/src/consumer/assigned-consumer';
import { createWire } from '../packages/kafka-client/src/network/network-client';
import { silentLogger } from '../src/logging/logger';
import { seeded } from '../test/helpers/seeded';
import { DeliveredOrder } from './lib/delivered-order';
import { startEmbedded, type EmbeddedProcess } from './lib/embedded-process';
import { FollowedFile } from './lib/followed-file';
import { SESSION_MS, startKillable } from './lib/killable-worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { taskState } from './lib/task-state';
import { WrittenTopic } from './lib/written-topic';

const FAULTS = Number(process.argv[2] ?? 12);
const SEED = Number(process.argv[3] ?? Date.now() % 1_000_000);
const SUPPORT = process.argv[4] ?? 'enabled';
const WORKERS = 2;
const EVERY_MS = 20;
/** From the end of the last fault of a round until all workers are in the group, and stay longer than a session. */
const BACK_MS = 60_000;
/** A killed worker is missed after 6 s, its consumers after 6 s more, and starting takes seconds. */
const SILENT_MS = 45_000;
const WATCH_MS = 250;
const DELIVERY_MS = 120_000;
const STRINGS = {
  'tasks.max': '1',
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
};

/** A connector, and when it delivered last, by `performance.now()`. */
interface Pipe {
  readonly name: string;
  readonly lastAt: () => number;
  silence: number;
  isSilent: boolean;
  silences: number;
  silencesWhileRunning: number;
}

benchmark(async (atEnd) => {
  const random = seeded(SEED);
  const folder = await mkdtemp(join(tmpdir(), 'coordinator-moves-'));
  atEnd(() => rm(folder, { recursive: true }));
  const ports = await freePorts(2);
  let at = 0;
  const startAt = (port: number): Promise<EmbeddedProcess> => startEmbedded({ dataDir: join(folder, 'broker'), port });
  let broker = await startAt(ports[at] as number);
  atEnd(() => broker.stop());
  const bootstrapServers = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const client = { 'bootstrap.servers': bootstrapServers };
  // Open during all moves, as a worker's are.
  const admin = createAdmin(createWire(client), { timeoutMs: 10_000, retryBackoffMs: 50, retryBackoffMaxMs: 500 });
  atEnd(() => admin.close());
  heading(`The only broker moves while workers fail, ${FAULTS} faults, exactly once ${SUPPORT} (seed ${SEED})`);

  const group = `moves-${randomBytes(3).toString('hex')}`;
  const logs: string[] = [];
  const start = (): Promise<StartedWorker> =>
    startKillable(bootstrapServers, group, {
      'exactly.once.source.support': SUPPORT,
      'offset.flush.interval.ms': '1000',
      'offset.flush.timeout.ms': '5000',
    });
  const workers = await Promise.all(Array.from({ length: WORKERS }, start));
  atEnd(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));

  const [sourceFile, sinkFile, lines] = [join(folder, 'in.txt'), join(folder, 'out.txt'), `${group}-lines`];
  await admin.createTopics([{ name: lines, partitions: 1, replicationFactor: 1, configs: {} }]);
  const written = new WrittenTopic(`${group}-written`, bootstrapServers, admin);
  await written.create();
  await appendFile(sourceFile, '');
  const [first] = workers as [StartedWorker];
  await first.register({
    name: `${group}-source`,
    config: {
      'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
      file: sourceFile,
      topic: lines,
      ...STRINGS,
    },
  });
  await first.register({
    name: `${group}-sink`,
    config: {
      'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
      file: sinkFile,
      topics: written.name,
      'consumer.override.session.timeout.ms': String(SESSION_MS),
      'consumer.override.heartbeat.interval.ms': '1000',
      ...STRINGS,
    },
  });

  let running = true;
  let appended = 0;
  const append = async (): Promise<void> => {
    for (; running; await sleep(EVERY_MS)) await appendFile(sourceFile, `${appended++}\n`);
  };
  const source = new DeliveredOrder();
  let sourceAt = performance.now();
  let following = true;
  const follow = async (): Promise<void> => {
    const config = { ...client, 'auto.offset.reset': 'earliest', 'isolation.level': 'read_committed' };
    const consumer = createAssignedConsumer(createWire(config), config, silentLogger);
    await consumer.connect();
    consumer.assign([{ topic: lines, partition: 0 }]);
    while (following)
      for (const { records } of await consumer.poll(200))
        for (const { value } of records) {
          source.add(Number(String(value)));
          sourceAt = performance.now();
        }
    await consumer.close();
  };
  const followed = follow();
  const appending = append();
  const sink = new FollowedFile(sinkFile, written.name);
  await waitFor('the first records', () => (sink.read(), sink.lines.size > 0 && source.seen.size > 0));

  const pipe = (name: string, lastAt: () => number): Pipe => ({
    ...{ name: `${group}-${name}`, lastAt, silence: 0, isSilent: false, silences: 0, silencesWhileRunning: 0 },
  });
  const pipes = [pipe('source', () => sourceAt), pipe('sink', () => sink.lastAt)];
  const watch = async (): Promise<void> => {
    for (; running; await sleep(WATCH_MS)) {
      sink.read();
      for (const it of pipes) {
        const silence = performance.now() - it.lastAt();
        it.silence = Math.max(it.silence, silence);
        if (silence <= SILENT_MS) it.isSilent = false;
        else if (!it.isSilent) {
          it.isSilent = true;
          it.silences++;
          const state = await taskState(workers, it.name);
          if (state === 'RUNNING') it.silencesWhileRunning++;
          console.log(`${it.name} has delivered nothing for ${whole(silence)} ms, and is ${state}`);
        }
      }
    }
  };
  const watched = watch();

  const counts = { moves: 0, brokerKills: 0, kills: 0, stops: 0, late: 0 };
  const faults = (): number => counts.moves + counts.kills + counts.stops;
  const say = (what: string): void => console.log(`${faults()}: ${what}`);
  const move = async (isKill: boolean, awayMs: number): Promise<void> => {
    counts.moves++;
    if (isKill) counts.brokerKills++;
    at = 1 - at;
    say(`broker ${isKill ? 'killed' : 'stopped'}, away for ${whole(awayMs)} ms, then at port ${ports[at]}`);
    await (isKill ? broker.kill() : broker.stop());
    await sleep(awayMs);
    broker = await startAt(ports[at] as number);
  };
  const kill = async (victim: number): Promise<void> => {
    counts.kills++;
    say(`SIGKILL of worker ${victim}`);
    const worker = workers[victim] as StartedWorker;
    await worker.crash();
    logs.push(worker.process.log());
    workers[victim] = await start();
  };
  const freeze = async (victim: number, forMs: number): Promise<void> => {
    counts.stops++;
    say(`SIGSTOP of worker ${victim} for ${whole(forMs)} ms`);
    const { pid } = workers[victim] as StartedWorker;
    process.kill(pid, 'SIGSTOP');
    await sleep(forMs);
    process.kill(pid, 'SIGCONT');
  };
  const isWhole = async (): Promise<boolean> => {
    const described = await admin.describeGroup(group).catch(() => null);
    if (described?.state !== 'Stable' || described.members.length !== WORKERS) return false;
    const answers = await Promise.all(workers.map((worker) => worker.request('GET', '/health').catch(() => null)));
    return answers.every((answer) => answer?.status === 200);
  };
  const backAfter: number[] = [];
  while (faults() < FAULTS) {
    const [before, after] = [random.next() * 3000, random.next() * 3000];
    const [isKill, awayMs] = [random.chance(0.5), random.next() * 3000];
    const [{ name }, isStop, stopMs] = [random.one(pipes), random.chance(0.5), SESSION_MS * (0.5 + random.next())];
    const moving = sleep(before).then(() => move(isKill, awayMs));
    const failing = sleep(after).then(async () => {
      if (faults() >= FAULTS) return;
      const victim = await ownerOf(workers, name);
      await (isStop ? freeze(victim, stopMs) : kill(victim));
    });
    await Promise.all([moving, failing]);
    const since = performance.now();
    // After a move the group counts members that have not come back, until their sessions end.
    let wholeSince = Infinity;
    const isBack = await waitFor(
      'the group',
      async () => {
        if (!(await isWhole())) wholeSince = Infinity;
        else wholeSince = Math.min(wholeSince, performance.now());
        return performance.now() - wholeSince > SESSION_MS + 2000;
      },
      { timeoutMs: BACK_MS, everyMs: WATCH_MS },
    ).catch(() => false);
    backAfter.push(Math.min(wholeSince, performance.now()) - since);
    if (!isBack) {
      counts.late++;
      say(`a worker is not in the group after ${whole(BACK_MS)} ms`);
    }
    await sleep(random.next() * 5000);
  }
  running = false;
  await Promise.all([appending, watched, written.stop()]);

  const missingOfSink = (): string[] => written.acknowledged.filter((line) => !sink.lines.has(line));
  const limit = Date.now() + DELIVERY_MS;
  while ((source.lost(appended).length > 0 || missingOfSink().length > 0) && Date.now() < limit) {
    await sleep(WATCH_MS);
    sink.read();
  }
  // A worker that was frozen may still send something.
  await sleep(2000);
  following = false;
  await followed;
  const sunk = [new DeliveredOrder(), new DeliveredOrder()] as const;
  for (const line of (await readFile(sinkFile, 'latin1')).split('\n')) {
    const [, number] = new RegExp(`^${written.name} 1 (\\d+)$`).exec(line) ?? [];
    // The topic has two partitions, which take turns.
    if (number !== undefined) sunk[Number(number) % 2 === 0 ? 0 : 1].add(Math.floor(Number(number) / 2));
  }

  const lost = [...source.lost(appended).map((n) => `source ${n}`), ...missingOfSink()];
  const jumps = [source, ...sunk].flatMap((order) => order.jumps);
  const sum = (of: (pipe: Pipe) => number): number => pipes.reduce((total, one) => total + of(one), 0);
  figure('moves of the broker', whole(counts.moves));
  figure('of them after SIGKILL', whole(counts.brokerKills));
  figure('kills of workers', whole(counts.kills));
  figure('pauses of workers', whole(counts.stops));
  figure('records of the source', whole(appended));
  figure('records of the sink', whole(written.acknowledged.length));
  figure('longest return to the group', `${whole(Math.max(...backAfter))} ms`, `${whole(BACK_MS)} ms`);
  for (const { name, silence } of pipes)
    figure(`longest silence of the ${name.split('-').pop()}`, `${whole(silence)} ms`, `${whole(SILENT_MS)} ms`);
  figure('records repeated by the source', whole(source.repeated), SUPPORT === 'enabled' ? '0' : undefined);
  figure('records repeated by the sink', whole(sunk[0].repeated + sunk[1].repeated));
  figure('records lost', whole(lost.length), '0');
  figure('records of a replaced worker', whole(jumps.length), '0');
  figure('late returns to the group', whole(counts.late), '0');
  figure('silences', whole(sum(({ silences }) => silences)), '0');
  figure('RUNNING that does not run', whole(sum(({ silencesWhileRunning }) => silencesWhileRunning)), '0');
  for (const line of lost.slice(0, 10)) console.log(`lost: ${line}`);
  for (const jump of jumps.slice(0, 10)) console.log(`not in order: ${jump}`);
  const isWrong =
    [lost.length, jumps.length, counts.late, sum(({ silences }) => silences)].some((count) => count > 0) ||
    (SUPPORT === 'enabled' && source.repeated > 0);
  if (!isWrong) return;
  const evidence = await mkdtemp(join(tmpdir(), 'coordinator-moves-fault-'));
  await appendFile(
    join(evidence, 'workers.log'),
    [...logs, ...workers.map((worker) => worker.process.log())].join('\n===\n'),
  );
  console.log(`evidence: ${evidence}`);
  throw new Error('records were lost, repeated or stale, or a worker or a connector did not return');
});

/** Number of the worker that runs the connector's task; otherwise the first. */
async function ownerOf(workers: readonly StartedWorker[], connector: string): Promise<number> {
  const status = await workers[0]?.status(connector).catch(() => null);
  const port = status?.tasks[0]?.worker_id.split(':').pop();
  return Math.max(
    0,
    workers.findIndex(({ url }) => new URL(url).port === port),
  );
}
