/**
 * Fills the disk of an embedded broker, frees it again, and lets its power fail at random moments, while idempotent and
 * transactional producers write; then counts acknowledged records that are not there, transactional ids that cannot be
 * used, and partitions that a read_committed consumer cannot read to their end.
 * `npm run bench -- embedded-faults [FAILURES [SEED [FSYNC…]]]` (Default: 12 power failures each with `never` and
 * `always`). A power failure is a SIGKILL, after which each log ends anywhere after its last flushed byte; every third
 * comes while the disk is full. With `always`, everything acknowledged must be there at the end. With `never`, a power
 * failure may take what was acknowledged before it, but nothing that is acknowledged afterwards.
 * The disk is a tmpfs in a mount namespace of its own, which Linux usually allows any user.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../dev/services/free-port';
import { createKafkaClients } from '@millrace/kafka-client/clients';
import { silentLogger } from '../src/logging/logger';
import { seeded } from '../test/helpers/seeded';
import { startEmbedded, type EmbeddedProcess } from './lib/embedded-process';
import { Acknowledged, IdempotentWriter, PARTITIONS, TOPICS, TransactionalWriter } from './lib/fault-writers';
import { failPower } from './lib/power-failure';
import { benchmark, figure, heading, whole } from './lib/report';

const [failuresText = '12', seedText = String(Date.now() % 1_000_000), ...policies] = process.argv.slice(2);
const FAILURES = Number(failuresText);
const SEED = Number(seedText);
const FSYNC = policies.length > 0 ? policies : ['never', 'always'];
/** The folder on the small disk; unset in the process that only creates it. */
const DISK = process.env.SMALL_DISK;
const DISK_SIZE = '64m';
/** After that time without a fault, each transactional id can be used and each record be read. */
const STUCK_MS = 20_000;

interface Result {
  acknowledged: number;
  commits: number;
  aborts: number;
  abandoned: number;
  errors: number;
  fullDisks: number;
  lostBytes: number;
  lost: string[];
  repeated: number;
  stuckIds: string[];
  stuckReaders: number;
}

async function run(fsync: string, disk: string): Promise<Result> {
  const random = seeded(SEED);
  const dataDir = join(disk, fsync);
  const ballast = join(disk, 'ballast');
  const work = mkdtempSync(join(tmpdir(), 'millrace-bench-flushes-'));
  const journal = join(work, 'journal');
  const port = await freePort();
  const config = {
    'bootstrap.servers': `127.0.0.1:${port}`,
    'enable.idempotence': 'true',
    'retry.backoff.ms': '20',
    'retry.backoff.max.ms': '100',
    'reconnect.backoff.max.ms': '100',
    'auto.offset.reset': 'earliest',
  };
  const clients = createKafkaClients(silentLogger);
  const start = (): Promise<EmbeddedProcess> =>
    startEmbedded({ dataDir, port, fsync }, { file: 'record-flushes.ts', env: { FLUSH_JOURNAL: journal } });
  let broker = await start();
  const admin = clients.admin(config);
  await admin.createTopics(TOPICS.map((name) => ({ name, partitions: PARTITIONS, replicationFactor: 1 })));
  await admin.close();

  const acknowledged = new Acknowledged();
  const rest = [config, acknowledged, random] as const;
  const transactional = ['x', 'y', 'z'].map((id) => new TransactionalWriter(id, ...rest));
  const idempotent = [
    new IdempotentWriter(false, 'steady 1', ...rest),
    new IdempotentWriter(false, 'steady 2', ...rest),
    new IdempotentWriter(true, 'new 1', ...rest),
    new IdempotentWriter(true, 'new 2', ...rest),
  ];
  const writers = [...transactional, ...idempotent];
  const result: Result = {
    ...{ acknowledged: 0, commits: 0, aborts: 0, abandoned: 0, errors: 0, fullDisks: 0, lostBytes: 0 },
    ...{ lost: [], repeated: 0, stuckIds: [], stuckReaders: 0 },
  };

  const fill = (): void => {
    result.fullDisks++;
    const file = openSync(ballast, 'a');
    for (const bytes of [1 << 20, 4096]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
    closeSync(file);
  };

  /** With paused writers: is everything there that must be? */
  const check = async (mustBeThere: (failuresBefore: number) => boolean): Promise<void> => {
    const idle = await Promise.all(writers.map((writer) => writer.pause(STUCK_MS)));
    transactional.forEach(({ error }, i) => {
      if (!idle[i]) result.stuckIds.push(`${['x', 'y', 'z'][i]} (${error})`);
    });
    const { values, stuck } = await readCommitted(config);
    result.stuckReaders += stuck;
    const seen = new Map<string, number>();
    for (const value of values) seen.set(value, (seen.get(value) ?? 0) + 1);
    for (const [value, failures] of acknowledged.values) {
      if (mustBeThere(failures) && !seen.has(value)) result.lost.push(value);
    }
    result.repeated = [...seen.values()].reduce((sum, count) => sum + count - 1, 0);
    for (const writer of writers) writer.continue();
  };

  for (const writer of writers) writer.start();
  for (let n = 0; n < FAILURES; n++) {
    await sleep(300 + random.below(700));
    fill();
    await sleep(200 + random.below(1_500));
    const isFull = n % 3 === 2;
    if (!isFull) {
      rmSync(ballast);
      await sleep(500);
      await check((failures) => fsync === 'always' || failures === acknowledged.failures);
      await sleep(100 + random.below(1_000));
    }
    await broker.kill();
    // Responses of the killed broker are still on their way.
    await sleep(100);
    rmSync(ballast, { force: true });
    result.lostBytes += failPower(dataDir, journal, random);
    acknowledged.failures++;
    broker = await start();
  }
  await sleep(1_000);
  await check((failures) => fsync === 'always' || failures === acknowledged.failures);
  for (const writer of writers) await writer.stop();
  await broker.stop();
  rmSync(work, { recursive: true });
  result.acknowledged = acknowledged.values.size;
  for (const key of ['commits', 'aborts', 'abandoned', 'errors'] as const) {
    result[key] = transactional.reduce((sum, writer) => sum + writer[key], 0);
  }
  return result;
}

/** All committed records, and the number of partitions whose end a reader does not reach. */
async function readCommitted(config: Record<string, string>): Promise<{ values: string[]; stuck: number }> {
  const clients = createKafkaClients(silentLogger);
  const partitions = TOPICS.flatMap((topic) =>
    Array.from({ length: PARTITIONS }, (_, partition) => ({ topic, partition })),
  );
  const admin = clients.admin(config);
  const consumer = clients.assignedConsumer({ ...config, 'isolation.level': 'read_committed' });
  const values: string[] = [];
  try {
    const ends = await admin.listOffsets(partitions, 'latest', 'read_uncommitted');
    await consumer.connect();
    consumer.assign(partitions);
    const unread = (): number => ends.filter((end) => (consumer.position(end) ?? 0) < end.offset).length;
    for (const limit = Date.now() + STUCK_MS; unread() > 0 && Date.now() < limit;) {
      for (const { records } of await consumer.poll(100)) for (const { value } of records) values.push(String(value));
    }
    return { values, stuck: unread() };
  } finally {
    await consumer.close();
    await admin.close();
  }
}

/** Runs this program again with a small disk that only it sees, and that goes with it. */
async function withSmallDisk(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-disk-'));
  const script = `mount -t tmpfs -o size=${DISK_SIZE} tmpfs "$0" && exec "$@"`;
  const self = [process.execPath, ...process.execArgv, join(__dirname, 'main.ts'), 'embedded-faults'];
  const args = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, folder, ...self];
  const options = { stdio: 'inherit', env: { ...process.env, SMALL_DISK: folder } } as const;
  const child = spawn('unshare', [...args, String(FAILURES), String(SEED), ...FSYNC], options);
  const [status] = (await once(child, 'exit')) as [number | null];
  rmSync(folder, { recursive: true });
  process.exitCode = status ?? 1;
}

benchmark(async () => {
  if (DISK === undefined) return await withSmallDisk();
  for (const fsync of FSYNC) {
    heading(`Embedded broker, fsync ${fsync}: ${FAILURES} power failures, a full disk before each (seed ${SEED})`);
    const began = performance.now();
    const result = await run(fsync, DISK);
    figure('duration', `${((performance.now() - began) / 1000).toFixed(0)} s`);
    figure('records acknowledged', whole(result.acknowledged));
    figure('transactions committed', whole(result.commits));
    figure('transactions aborted', whole(result.aborts));
    figure('transactions abandoned', whole(result.abandoned));
    figure('errors of transactions', whole(result.errors));
    figure('full disks', whole(result.fullDisks));
    figure('bytes taken by power failures', whole(result.lostBytes));
    figure('records repeated', whole(result.repeated));
    figure('acknowledged records lost', whole(result.lost.length), '0');
    figure('transactional ids stuck', whole(result.stuckIds.length), '0');
    figure('partitions not readable to their end', whole(result.stuckReaders), '0');
    const faults = [...result.lost.slice(0, 20), ...result.stuckIds];
    if (faults.length + result.stuckReaders > 0) throw new Error(`with fsync ${fsync}: ${faults.join(', ')}`);
  }
});
