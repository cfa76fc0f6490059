/**
 * Offsets reset and altered over REST by one kind of worker, and read by the other. Source: connect-runtime §1.7, §3.8.
 */
import { appendFile, writeFile } from 'node:fs/promises';
import type { StartedWorker } from '../../../dev/services/worker';
import { waitFor } from '../../helpers/wait-for';
import { ask, Cluster, create, describeWithJava, reaches, type Sink } from './fixtures';

describeWithJava('offsets changed by one kind of worker', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await Cluster.create();
  });
  afterEach(async () => await cluster?.close());

  const answered = async (worker: StartedWorker, method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await ask(worker, method, path, body);
    expect([answer.status, answer.body]).toEqual([answer.status < 300 ? answer.status : 200, answer.body]);
    return answer.json;
  };
  const stop = async (worker: StartedWorker, name: string): Promise<void> => {
    await answered(worker, 'PUT', `/connectors/${name}/stop`);
    await reaches(worker, name, 'STOPPED');
  };
  const ends = async (topic: string, end: number): Promise<void> => {
    await waitFor(`${end} records`, async () => (await cluster.end(topic)) === end, { detail: () => cluster.logs() });
  };
  const delivers = async (sink: Sink, count: number): Promise<void> => {
    await waitFor(`${count} lines`, async () => (await sink.lines()).length === count, {
      detail: () => cluster.logs(),
    });
  };

  /**
   * Two sources of two lines with an offsets topic of their own and a sink of five records, created on the first
   * worker, changed there except for one source, and run by the second.
   */
  async function handOver(before: () => Promise<StartedWorker>, after: () => Promise<StartedWorker>): Promise<void> {
    const first = await before();
    const file = cluster.path('in');
    await writeFile(file, 'one\ntwo\n');
    for (const name of ['lines', 'kept']) {
      const config = {
        'connector.class': 'FileStreamSource',
        topic: `${cluster.group}-${name}`,
        file,
        'offsets.storage.topic': `${cluster.group}-own`,
      };
      await answered(first, 'POST', '/connectors', { name, config });
    }
    const sink = await cluster.sink('out');
    await sink.send(5);
    await create(first, sink);
    for (const name of ['lines', 'kept']) await ends(name, 2);
    await delivers(sink, 5);
    const names = ['lines', 'kept', sink.name];
    for (const name of names) await stop(first, name);
    await answered(first, 'DELETE', '/connectors/lines/offsets');
    const partition = { kafka_topic: `${cluster.group}-out`, kafka_partition: 0 };
    await answered(first, 'PATCH', `/connectors/${sink.name}/offsets`, {
      offsets: [{ partition, offset: { kafka_offset: 3 } }],
    });
    expect(await first.stop()).not.toBeNull();

    const second = await after();
    expect(await answered(second, 'GET', '/connectors/lines/offsets')).toEqual({ offsets: [] });
    expect(await answered(second, 'GET', `/connectors/${sink.name}/offsets`)).toEqual({
      offsets: [{ partition, offset: { kafka_offset: 3 } }],
    });
    await appendFile(file, 'three\n');
    for (const name of names) {
      await reaches(second, name, 'STOPPED');
      await answered(second, 'PUT', `/connectors/${name}/resume`);
    }
    await ends('lines', 5);
    await ends('kept', 3);
    await delivers(sink, 7);
  }

  test('connect-runtime 33, 79: after a reset by Millrace, Java starts from the beginning', async () => {
    await handOver(
      () => cluster.ours(),
      () => cluster.java(),
    );
  });

  test('connect-runtime 33, 79: after a reset by Java, Millrace starts from the beginning', async () => {
    await handOver(
      () => cluster.java(),
      () => cluster.ours(),
    );
  });
});
