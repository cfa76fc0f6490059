/** Old and new librdkafka, as kcat loads them, against the embedded broker (kafka-client §4). */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installKcat } from '../../../dev/services/debian-programs';
import { fetchLibrdkafka, whyNoLibrdkafka } from '../../../dev/services/kafka-clients';
import { ROOT } from '../../../dev/services/paths';
import { whyNoPip } from '../../../dev/services/python-packages';
import { OFFSET_FETCH } from '@millrace/kafka-protocol';
import { brokers, RawClient } from '../../embedded/broker-harness';
import { numbered } from '../../embedded/clients/cell';
import { EXPECTED } from './application';

/** Before and since the stray bytes in its Metadata requests, and the newest. */
const VERSIONS = ['1.9.2', '2.2.0', '2.16.0'];
const DOWNLOAD_MS = 600_000;
const start = brokers();
const missing = whyNoLibrdkafka() ?? whyNoPip() ?? installKcat();
if (missing !== null) {
  process.stderr.write(`SKIPPED: the embedded broker is not tried with old and new librdkafka. ${missing}\n`);
}

(missing === null ? test : test.skip).each(VERSIONS)(
  'kafka-client 4: librdkafka %s lists topics, produces (compressed, idempotent, transactional), consumes in a group',
  async (version) => {
    const env = { ...process.env, LD_LIBRARY_PATH: await fetchLibrdkafka(version) };
    expect(spawnSync('kcat', ['-V'], { env }).stdout.toString()).toContain(`librdkafka ${version} `);
    const broker = await start();
    const kcat = (args: readonly string[], input: readonly string[] = []): Promise<string> =>
      new Promise((resolve, reject) => {
        const all = ['-b', broker.bootstrapServers, '-m', '60', ...args];
        const child = execFile('kcat', all, { env, timeout: 120_000 }, (error, stdout, stderr) =>
          error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout),
        );
        child.stdin!.end(input.map((value) => `${value}\n`).join(''));
      });
    const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);

    const values = numbered(100);
    for (const [i, codec] of ['gzip', 'snappy', 'lz4', 'zstd'].entries()) {
      const part = values.slice(i * 25, (i + 1) * 25);
      await kcat(['-P', '-t', 't', '-z', codec, '-X', 'enable.idempotence=true'], part);
    }
    // The first transaction is aborted by the next producer, because its own cannot commit it.
    const transaction = ['-P', '-t', 'x', '-X', 'transactional.id=one'];
    broker.faults.fail('EndTxn', 'INVALID_PRODUCER_EPOCH', { times: 1 });
    await expect(kcat(transaction, ['dropped'])).rejects.toThrow();
    await kcat(transaction, ['kept']);

    const { topics } = JSON.parse(await kcat(['-L', '-J'])) as { topics: { topic: string }[] };
    const earliest = ['-e', '-q', '-X', 'auto.offset.reset=earliest'];
    const consumedInGroup = linesOf(await kcat(['-G', 'g', ...earliest, 't']));
    const committedRecords = linesOf(
      await kcat(['-C', '-t', 'x', ...earliest, '-X', 'isolation.level=read_committed']),
    );
    const client = await RawClient.connect(broker);
    const asked = { groupId: 'g', topics: [{ name: 't', partitionIndexes: [0] }] };
    const offsets = await client.send(OFFSET_FETCH, 7, asked);
    client.close();
    expect({
      topics: topics.map(({ topic }) => topic).sort(),
      consumedInGroup,
      committedOffset: offsets.topics[0]!.partitions[0]!.committedOffset,
      committedRecords,
    }).toEqual(EXPECTED);
  },
  DOWNLOAD_MS,
);

test('the README of the broker names the tested versions', () => {
  const readme = readFileSync(join(ROOT, 'packages', 'embedded', 'README.md'), 'utf8');
  expect(readme).toContain(`librdkafka ${VERSIONS.join(', ')}`);
});
