/** Source offsets written by one kind of worker and read by the other. Source: connect-runtime §1.5. */
import { writeFile } from 'node:fs/promises';
import type { SourceOffset, SourcePartition } from '@millrace/sdk';
import type { StartedWorker } from '../../../dev/services/worker';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { Admin } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { Float64 } from '../../../src/storage/connect-json';
import { KafkaCompactedLog } from '../../../src/storage/log/kafka-compacted-log';
import { OffsetStore } from '../../../src/storage/offsets/offset-store';
import { storageTopic } from '../../../src/storage/log/storage-topic';
import { waitFor } from '../../helpers/wait-for';
import { ask, Cluster, describeWithJava, reaches } from './fixtures';

describeWithJava('the offsets topic', () => {
  let cluster: Cluster;
  let java: StartedWorker;
  let admin: Admin;
  let store: OffsetStore;
  /** The keys in the topic, as text. */
  const keys = new Set<string>();

  beforeAll(async () => {
    cluster = await Cluster.create();
    java = await cluster.java();
    const client = { 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '' };
    const clients = createKafkaClients(silentLogger);
    admin = clients.admin(client);
    const topic = storageTopic('offset', {
      topic: `${cluster.group}-offsets`,
      partitions: 25,
      replicationFactor: -1,
      topicConfigs: {},
    });
    const log = new KafkaCompactedLog({ topic, clients, admin, client, clientId: cluster.group, logger: silentLogger });
    const start = log.start.bind(log);
    log.start = async (listener) =>
      await start((record) => {
        keys.add(String(record.key));
        listener(record);
      });
    store = new OffsetStore(log, silentLogger);
    await store.start();
  });
  afterAll(async () => {
    await store?.stop();
    await admin?.close();
    await cluster?.close();
  });

  async function sourceOf(name: string, file: string, state = 'RUNNING'): Promise<void> {
    const answer = await ask(java, 'POST', '/connectors', {
      name,
      config: { 'connector.class': 'FileStreamSource', topic: `${cluster.group}-${name}`, file },
      initial_state: state,
    });
    expect([answer.status, answer.body]).toEqual([201, expect.any(String)]);
    await reaches(java, name, state === 'RUNNING' ? 'RUNNING RUNNING' : state);
  }

  test('connect-runtime 6, 7: Millrace reads Java’s offsets, and Java resumes at Millrace’s', async () => {
    const file = cluster.path('in 😀.txt');
    await writeFile(file, 'one\ntwo\nthree\n');
    await sourceOf('lines', file);
    await waitFor('three records', async () => (await cluster.end('lines')) === 3, { detail: () => cluster.logs() });
    expect((await ask(java, 'PUT', '/connectors/lines/stop')).status).toBe(204);
    await reaches(java, 'lines', 'STOPPED');
    const partition = { filename: file };
    await waitFor('the offset', async () => (await store.read('lines', [partition]))[0] !== null);
    expect(await store.list('lines')).toEqual([[partition, { position: 14 }]]);

    await store.write('lines', [[partition, { position: 4 }]]);
    // Java may list the last offset one request late.
    await waitFor('Java to list the offset', async () => {
      const { json } = await ask(java, 'GET', '/connectors/lines/offsets');
      return JSON.stringify(json) === JSON.stringify({ offsets: [{ partition, offset: { position: 4 } }] });
    });
    await ask(java, 'PUT', '/connectors/lines/resume');
    await waitFor('two of them again', async () => (await cluster.end('lines')) === 5, {
      detail: () => cluster.logs(),
    });
    // Otherwise its earlier STOPPED status may still be reported.
    await reaches(java, 'lines', 'RUNNING RUNNING');
    await ask(java, 'PUT', '/connectors/lines/stop');
    await reaches(java, 'lines', 'STOPPED');
    expect(await store.list('lines')).toEqual([[partition, { position: 14 }]]);
    // Both wrote under the same bytes.
    expect([...keys].filter((key) => key.startsWith('["lines"'))).toEqual([
      `["lines",{"filename":"${file.replace('😀', '\\uD83D\\uDE00')}"}]`,
    ]);
  });

  test('connect-runtime 9: offsets of the PostgreSQL source as Java lists them', async () => {
    await sourceOf('changes', cluster.path('none'), 'STOPPED');
    await store.write('changes', [
      [
        { server: 'shop' },
        { lsn: 23_876_543_210, lsn_proc: 9_007_199_254_740_993n, txId: 771, ts_usec: 1_700_000_000_000_000 },
      ],
      [{ server: 'snapshot' }, { lsn: 1, snapshot: 'INITIAL', last: null, done: true, ratio: new Float64(1) }],
    ] as unknown as [SourcePartition, SourceOffset][]);
    // Java may list the last offset one request late.
    const body = await waitFor('Java to list both partitions', async () => {
      const answer = await ask(java, 'GET', '/connectors/changes/offsets');
      return answer.json.offsets.length === 2 ? answer.body : null;
    });
    expect(body).toContain('"partition":{"server":"shop"}');
    for (const member of ['"lsn":23876543210', '"lsn_proc":9007199254740993', '"txId":771'])
      expect(body).toContain(member);
    for (const member of ['"ts_usec":1700000000000000', '"snapshot":"INITIAL"', '"done":true', '"ratio":1.0'])
      expect(body).toContain(member);
    await store.write('changes', [[{ server: 'snapshot' }, null]]);
    // Java may list a partition that has just been removed once more, with no offset.
    await waitFor('Java to list one partition', async () => {
      const { json } = await ask(java, 'GET', '/connectors/changes/offsets');
      return json.offsets.length === 1;
    });
    expect((await ask(java, 'DELETE', '/connectors/changes/offsets')).status).toBe(200);
    expect(await store.list('changes')).toEqual([]);
  });

  test('connect-runtime 8: partitions of two members are the same key for both, whichever wrote first', async () => {
    await sourceOf('tables', cluster.path('none'), 'STOPPED');
    const alter = async (partition: SourcePartition, position: number): Promise<void> => {
      const answer = await ask(java, 'PATCH', '/connectors/tables/offsets', {
        offsets: [{ partition, offset: { position } }],
      });
      expect([answer.status, answer.body]).toEqual([200, expect.any(String)]);
    };
    const first = { table: 'a', filename: 'x', protocol: '1' };
    const second = { filename: 'y', protocol: '1', table: 'b' };
    await alter(first, 1);
    expect(await store.read('tables', [{ protocol: '1', table: 'a', filename: 'x' }])).toEqual([{ position: 1 }]);
    await store.write('tables', [
      [{ filename: 'x', table: 'a', protocol: '1' }, { position: 2 }],
      [second, { position: 3 }],
    ]);
    await alter(second, 4);
    const listed = await waitFor('Java to list what was written last', async () => {
      const { json } = await ask(java, 'GET', '/connectors/tables/offsets');
      const positions = json.offsets.map((entry: { offset: { position: number } }) => entry.offset.position);
      return positions.includes(2) && positions.includes(4) ? json.offsets : null;
    });
    expect(listed).toEqual(
      expect.arrayContaining([
        { partition: first, offset: { position: 2 } },
        { partition: second, offset: { position: 4 } },
      ]),
    );
    expect(await store.read('tables', [second])).toEqual([{ position: 4 }]);
    expect([...keys].filter((key) => key.startsWith('["tables"')).length).toBe(2);
  });
});
