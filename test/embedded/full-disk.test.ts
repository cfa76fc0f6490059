/** A full disk: clients get errors, nothing acknowledged is lost, and the broker resumes once there is space. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedBroker } from '../../packages/embedded/src/broker';
import { API_VERSIONS, CREATE_TOPICS, FETCH, OFFSET_COMMIT, PRODUCE } from '@millrace/kafka-protocol';
import { ErrorCode } from '../../packages/embedded/src/protocol/errors';
import { linesOf } from '../helpers/lines-of';
import { fetchRequest, produceRequest, RawClient } from './broker-harness';
import { recordsIn } from './record-batches';

const ROOT = join(__dirname, '..', '..');
/** A small file system that only this process and its children see, and that goes with them. */
const OWN_MOUNTS = ['unshare', '--user', '--map-root-user', '--mount'];
const canMount =
  process.platform === 'linux' && spawnSync(OWN_MOUNTS[0]!, [...OWN_MOUNTS.slice(1), 'true']).status === 0;
if (!canMount) process.stderr.write('SKIPPED: no file system may be mounted here: full disks are not tried.\n');

/** Half of the disk is taken from the start; a line on standard input makes it free. */
const PROGRAM = `
  const { rmSync, writeFileSync } = require('node:fs');
  const { startEmbeddedBroker } = require('./packages/embedded/src/broker.ts');
  const ballast = process.argv[1] + '/ballast';
  writeFileSync(ballast, Buffer.alloc(2 << 20));
  process.stdin.once('data', () => { rmSync(ballast); console.log('free'); });
  startEmbeddedBroker({ dataDir: process.argv[1] + '/data', fsync: process.argv[2], log: () => {} })
    .then((broker) => console.log(broker.port));
`;

function startOnSmallDisk(folder: string, fsync: string): { process: ChildProcess; line(): Promise<string> } {
  const script = `mount -t tmpfs -o size=4m tmpfs "$1" && exec "$2" -r ./dev/register.js -e "$3" "$1" "$4"`;
  const args = ['sh', '-c', script, 'sh', folder, process.execPath, PROGRAM, fsync];
  const child = spawn(OWN_MOUNTS[0]!, [...OWN_MOUNTS.slice(1), ...args], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return { process: child, line: linesOf(child.stdout) };
}

(canMount ? test : test.skip).each(['never', 'always'])('a full disk, fsync %s', async (fsync) => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-full-'));
  const broker = startOnSmallDisk(folder, fsync);
  try {
    const client = await RawClient.connect({ port: Number(await broker.line()) } as EmbeddedBroker);
    const create = async (name: string): Promise<number> => {
      const topic = { name, numPartitions: 1, replicationFactor: 1 };
      return (await client.send(CREATE_TOPICS, 7, { topics: [topic], timeoutMs: 1_000 })).topics[0]!.errorCode;
    };
    const acknowledged: string[] = [];
    const produce = async (value: string, bytes: number): Promise<number> => {
      const request = produceRequest('t', { records: [value, 'x'.repeat(bytes)] });
      const { errorCode } = (await client.send(PRODUCE, 9, request)).responses[0]!.partitionResponses[0]!;
      if (errorCode === ErrorCode.NONE) acknowledged.push(value);
      return errorCode;
    };
    /** Until it is refused. */
    const fill = async (bytes: number): Promise<number> => {
      for (let i = 0; ; i++) {
        const errorCode = await produce(`${bytes}-${i}`, bytes);
        if (errorCode !== ErrorCode.NONE) return errorCode;
      }
    };
    const commit = async (committedOffset: number): Promise<number> => {
      const partitions = [{ partitionIndex: 0, committedOffset, committedMetadata: 'm'.repeat(4_000) }];
      const { topics } = await client.send(OFFSET_COMMIT, 8, { groupId: 'g', topics: [{ name: 't', partitions }] });
      return topics[0]!.partitions[0]!.errorCode;
    };

    expect(await create('t')).toBe(ErrorCode.NONE);
    expect(await fill(100_000)).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect(await fill(100)).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(await create('more')).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    // The file may still have room in its last page.
    const commits = [await commit(1), await commit(2)];
    expect(commits[1]).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect(await client.send(API_VERSIONS, 3, {})).toMatchObject({ errorCode: ErrorCode.NONE });

    broker.process.stdin!.write('\n');
    expect(await broker.line()).toBe('free');
    expect(await produce('after', 100)).toBe(ErrorCode.NONE);
    expect(await commit(3)).toBe(ErrorCode.NONE);
    expect(await create('more')).toBe(ErrorCode.NONE);

    const more = {
      topics: [{ topic: 't', partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 8 << 20 }] }],
    };
    const { responses } = await client.send(FETCH, 12, fetchRequest('t', 0, { maxBytes: 8 << 20, ...more }));
    const found = recordsIn(responses[0]!.partitions[0]!.records).filter((record) => record.offset % 2 === 0);
    expect(found.map((record) => record.value)).toEqual(acknowledged);
    client.close();
  } finally {
    const exited = once(broker.process, 'exit');
    if (broker.process.exitCode === null && broker.process.kill('SIGKILL')) await exited;
    rmdirSync(folder);
  }
});
