/** kcat, hence librdkafka, against the embedded broker. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedBroker } from '../../../packages/embedded/src/broker';
import { CREATE_TOPICS } from '@millrace/kafka-protocol';
import { brokers, RawClient } from '../broker-harness';
import { cell, numbered, tlsIdentity, USER } from './cell';

const hasKcat = spawnSync('kcat', ['-V']).status === 0;
if (!hasKcat)
  process.stderr.write('SKIPPED: kcat is not installed: the embedded broker is not tried with librdkafka.\n');

const start = brokers();
const lines = numbered(200).map((value, i) => `k${i}:${value}\n`);

function kcat(broker: EmbeddedBroker, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    // Otherwise it gives up after 5 s without an answer.
    const all = ['-b', broker.bootstrapServers, '-m', '120', ...args];
    const child = execFile('kcat', all, { timeout: 240_000 }, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout),
    );
    child.stdin!.end(input);
  });
}
const write = (broker: EmbeddedBroker, ...more: string[]): Promise<string> =>
  kcat(broker, ['-P', '-t', 't', '-K:', ...more], lines.join(''));
const read = (broker: EmbeddedBroker, ...more: string[]): Promise<string> =>
  kcat(broker, ['-C', '-t', 't', '-e', '-q', '-f', '%k:%s\n', ...more]);
const setting = (name: string, value: string): string[] => ['-X', `${name}=${value}`];

interface Metadata {
  readonly brokers: { id: number; name: string }[];
  readonly controllerid: number;
  readonly topics: { topic: string; partitions: { leader: number }[] }[];
}
const metadata = async (broker: EmbeddedBroker): Promise<Metadata> =>
  JSON.parse(await kcat(broker, ['-L', '-J'])) as Metadata;

async function withTopic(numPartitions: number): Promise<EmbeddedBroker> {
  const broker = await start();
  const client = await RawClient.connect(broker);
  await client.send(CREATE_TOPICS, 7, { topics: [{ name: 't', numPartitions, replicationFactor: 1 }] });
  client.close();
  return broker;
}

(hasKcat ? describe : describe.skip)('kcat', () => {
  cell('kcat', 'produce', async () => {
    const broker = await start();
    await write(broker);
    expect(await read(broker)).toBe(lines.join(''));
  });

  cell('kcat', 'produce compressed', async () => {
    const broker = await start();
    for (const codec of ['gzip', 'snappy', 'lz4', 'zstd']) await write(broker, '-z', codec);
    expect(await read(broker, ...setting('check.crcs', 'true'))).toBe(lines.join('').repeat(4));
  });

  cell('kcat', 'produce idempotently', async () => {
    const broker = await start();
    broker.faults.fail('Produce', 'REQUEST_TIMED_OUT', { times: 2, when: 'after' });
    await write(broker, ...setting('enable.idempotence', 'true'), ...setting('batch.num.messages', '20'));
    expect(await read(broker)).toBe(lines.join(''));
  });

  cell('kcat', 'produce in transactions', async () => {
    const broker = await start();
    await write(broker, ...setting('transactional.id', 'one'));
    expect(await read(broker)).toBe(lines.join(''));
  });

  cell('kcat', 'consume', async () => {
    const broker = await start();
    await write(broker);
    expect(await read(broker, '-o', '190')).toBe(lines.slice(190).join(''));
  });

  cell('kcat', 'consume in a group', async () => {
    const broker = await start();
    await write(broker);
    const earliest = setting('auto.offset.reset', 'earliest');
    const inGroup = ['-G', 'g', '-e', '-q', ...earliest, '-f', '%k:%s\n', 't'];
    expect(await kcat(broker, inGroup)).toBe(lines.join(''));
    // It committed: the next one has nothing to read.
    expect(await kcat(broker, inGroup)).toBe('');
  });

  cell('kcat', 'consume committed records only', async () => {
    const broker = await start();
    // Its input ends in the middle of a transaction that it cannot commit any more.
    broker.faults.fail('EndTxn', 'INVALID_PRODUCER_EPOCH', { times: 1 });
    await expect(write(broker, ...setting('transactional.id', 'one'))).rejects.toThrow();
    await kcat(broker, ['-P', '-t', 't', ...setting('transactional.id', 'one')], 'committed\n');
    const isolation = (level: string) => read(broker, ...setting('isolation.level', level));
    expect(await isolation('read_committed')).toBe(':committed\n');
    expect(await isolation('read_uncommitted')).toBe(`${lines.join('')}:committed\n`);
  });

  cell('kcat', 'find offsets by time', async () => {
    const broker = await start();
    await write(broker);
    expect(await kcat(broker, ['-Q', '-t', 't:0:0'])).toContain('offset 0');
    expect(await kcat(broker, ['-Q', '-t', `t:0:${Date.now() + 3_600_000}`])).toContain('offset -1');
  });

  cell('kcat', 'list topics', async () => {
    const broker = await withTopic(1);
    expect((await metadata(broker)).topics.map(({ topic }) => topic)).toEqual(['t']);
  });

  cell('kcat', 'describe a topic', async () => {
    const broker = await withTopic(3);
    expect((await metadata(broker)).topics[0]!.partitions.map(({ leader }) => leader)).toEqual([1, 1, 1]);
  });

  cell('kcat', 'describe the cluster', async () => {
    const broker = await start();
    expect(await metadata(broker)).toMatchObject({
      brokers: [{ id: 1, name: broker.bootstrapServers }],
      controllerid: 1,
    });
  });

  cell('kcat', 'authenticate with SASL PLAIN', async () => {
    const broker = await start({ users: { [USER.username]: USER.password } });
    const as = (password: string): string[] => [
      ...setting('security.protocol', 'SASL_PLAINTEXT'),
      ...setting('sasl.mechanisms', 'PLAIN'),
      ...setting('sasl.username', USER.username),
      ...setting('sasl.password', password),
    ];
    expect(await kcat(broker, ['-L', ...as(USER.password)])).toContain('1 brokers');
    await expect(kcat(broker, ['-L', '-m', '10', ...as('wrong')])).rejects.toThrow(/uthentication/);
  });

  cell('kcat', 'use TLS', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'embedded-kcat-'));
    try {
      const { tls, ca } = tlsIdentity();
      writeFileSync(join(folder, 'ca.pem'), ca);
      const trust = setting('ssl.ca.location', join(folder, 'ca.pem'));
      const broker = await start({ tls });
      expect(await kcat(broker, ['-L', ...setting('security.protocol', 'SSL'), ...trust])).toContain('1 brokers');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
