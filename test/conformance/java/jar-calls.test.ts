/** A jar that writes down each call of the runtime: Millrace calls it as Java's worker does. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartedWorker } from '../../../dev/services/worker';
import { compilePlugin, type CompiledPlugin } from '../../helpers/compiled-plugin';
import { Clients } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';
import { ask, Cluster, describeWithJava } from './fixtures';
import { recordsOf } from './topic-contents';

interface Side {
  readonly cluster: Cluster;
  readonly worker: StartedWorker;
}
const BATCHES = 'a,b;c,dropped,broken,d;null,e';

describeWithJava('calls of a plugin in a jar', () => {
  let plugin: CompiledPlugin;
  let clients: Clients;
  let java: Side;
  let ours: Side;
  const sides = (): Side[] => [java, ours];
  const detail = (): string => `${java.cluster.logs()}\n${ours.cluster.logs()}`;
  const topic = ({ cluster }: Side, name: string): string => `${cluster.group}-${name}`;
  const neutral = (text: string, { cluster }: Side): string =>
    text
      .replaceAll(cluster.group, 'side')
      // A transaction may have the records of several polls here.
      .replaceAll(/@\d+$/gm, '@')
      .replaceAll(cluster.path(''), '/folder/');

  /** The calls since then, once `test` is true for them, without those that depend on time. */
  async function calls(side: Side, name: string, test: (lines: string[]) => boolean): Promise<string[]> {
    let lines: string[] = [];
    return await waitFor(
      `calls of ${name}`,
      async () => {
        const text = await readFile(side.cluster.path(name), 'utf8').catch(() => '');
        lines = neutral(text, side)
          .split('\n')
          .slice(0, -1)
          .filter((line) => line !== 'commit');
        return test(lines) && lines;
      },
      { timeoutMs: 40_000, detail: () => `${lines.join('\n')}\n${detail()}` },
    );
  }
  const both = async (name: string, test: (lines: string[]) => boolean): Promise<[string[], string[]]> =>
    (await Promise.all(sides().map((side) => calls(side, name, test)))) as [string[], string[]];
  const request = async (
    method: string,
    path: (side: Side) => string,
    body?: (side: Side) => unknown,
  ): Promise<void> => {
    const [first, second] = await Promise.all(
      sides().map(async (side) => {
        const answer = await ask(side.worker, method, path(side), body?.(side));
        return [answer.status, neutral(answer.body, side)];
      }),
    );
    expect(second).toEqual(first);
  };
  const has = (end: string) => (lines: string[]) => lines.some((line) => line.includes(end));

  beforeAll(async () => {
    plugin = await compilePlugin('probe', [join(__dirname, 'probe', 'Probe.java')], {
      'org.apache.kafka.connect.source.SourceConnector': ['probe.Probe$Source'],
      'org.apache.kafka.connect.sink.SinkConnector': ['probe.Probe$Sink'],
      'org.apache.kafka.connect.transforms.Transformation': ['probe.Probe$Upper'],
    });
    clients = new Clients();
    const settings = { 'plugin.path': plugin.pluginPath, 'exactly.once.source.support': 'enabled' };
    const [first, second] = [await Cluster.create(), await Cluster.create()];
    [java, ours] = await Promise.all([
      first.java(settings).then((worker) => ({ cluster: first, worker })),
      second.ours(settings).then((worker) => ({ cluster: second, worker })),
    ]);
  });
  afterAll(async () => {
    await java?.cluster.close();
    await ours?.cluster.close();
    await clients?.close();
    await plugin?.remove();
  });

  const sourceConfig = (side: Side, more = {}): Record<string, string> => ({
    'connector.class': 'probe.Probe$Source',
    calls: side.cluster.path('source'),
    topic: topic(side, 'source'),
    batches: BATCHES,
    'tasks.max': '3',
    'errors.tolerance': 'all',
    transforms: 'upper',
    'transforms.upper.type': 'probe.Probe$Upper',
    'transforms.upper.suffix': '?',
    'header.converter': 'org.apache.kafka.connect.storage.StringConverter',
    ...more,
  });

  test('a source: start, commitRecord of sent, filtered and failed records, pause, offsets, reconfiguration', async () => {
    for (const side of sides()) await clients.topic(1, {}, topic(side, 'source'));
    await request(
      'POST',
      () => '/connectors',
      (side) => ({ name: `probe-${side.cluster.group}`, config: sourceConfig(side) }),
    );
    const name = (side: Side): string => `probe-${side.cluster.group}`;
    const at = (path: string) => (side: Side) => `/connectors/${name(side)}${path}`;
    for (const side of sides()) await recordsOf(clients, topic(side, 'source'), 6, detail);
    const [first, second] = await both('source', has('commitRecord side-source e'));
    // Java tells of records that are not sent at once, Millrace in the order of `poll`.
    const isSent = (line: string): boolean => !/^commitRecord .* null$/.test(line);
    const apart = (lines: string[]) => [lines.filter(isSent), lines.filter((line) => !isSent(line))];
    expect(apart(second)).toEqual(apart(first));

    await request('PUT', at('/pause'));
    await both('source', has('connector stop'));
    await request('PUT', at('/resume'));
    await both('source', (lines) => lines.filter((line) => line.startsWith('connector start')).length === 2);
    await request('PUT', at('/stop'));
    const stopped = (count: number) => (lines: string[]) =>
      lines.filter((line) => line === 'task stop').length === count;
    await both('source', stopped(1));
    await Promise.all(sides().map((side) => side.worker.statusWhen(name(side), ({ tasks }) => tasks.length === 0)));
    await request('GET', at('/offsets'));
    const partition = { probe: 'p' };
    await request('PATCH', at('/offsets'), () => ({ offsets: [{ partition, offset: { batch: 'x' } }] }));
    await request('PATCH', at('/offsets'), () => ({ offsets: [{ partition, offset: { batch: 2 } }] }));
    await request('GET', at('/offsets'));
    await request('PUT', at('/resume'));
    await both('source', has('task start at {batch=2}'));
    await request('PUT', at('/config'), (side) => sourceConfig(side, { batches: `${BATCHES};bad,f` }));
    await both('source', has('commitRecord side-source f'));
    await request('PUT', at('/stop'));
    await Promise.all(sides().map((side) => side.worker.statusWhen(name(side), ({ tasks }) => tasks.length === 0)));
    await request('DELETE', at('/offsets'));
    await request('GET', at('/offsets'));
    await request('DELETE', at(''));
    const [left, right] = await both('source', has('alterOffsets {{probe=p}=null}'));
    // Connector and tasks stop in threads of their own.
    expect([...right].sort()).toEqual([...left].sort());
  });

  test('a source that commits and aborts transactions', async () => {
    const config = (side: Side): Record<string, string> =>
      sourceConfig(side, {
        calls: side.cluster.path('transactions'),
        topic: topic(side, 'transactions'),
        'transaction.boundary': 'connector',
        batches: 'a,b,commit1,c;d,abort1,e;commit2',
      });
    for (const side of sides()) await clients.topic(1, {}, topic(side, 'transactions'));
    await request(
      'POST',
      () => '/connectors',
      (side) => ({ name: `tx-${side.cluster.group}`, config: config(side) }),
    );
    await both('transactions', has('commitRecord side-transactions commit2'));
    const [left, right] = await Promise.all(
      sides().map(async (side) => {
        const consumer = await clients.assigned({ 'isolation.level': 'read_committed' });
        const tp = { topic: topic(side, 'transactions'), partition: 0 };
        consumer.assign([tp]);
        const values: string[] = [];
        await waitFor(
          'the last record',
          async () => {
            for (const { records } of await consumer.poll(200))
              values.push(...records.map(({ value }) => String(value)));
            return values.at(-1)?.includes('commit2');
          },
          { detail: () => `${values}\n${detail()}` },
        );
        await consumer.close();
        return values;
      }),
    );
    expect(right).toEqual(left);
    await request('DELETE', (side) => `/connectors/tx-${side.cluster.group}`);
  });

  test('a sink: records with their origin, retries, seek, pause, requested commits, reported records, a failure', async () => {
    for (const side of sides()) await clients.topic(1, {}, topic(side, 'sink'));
    const producer = await clients.producer();
    await producer.prepare(sides().map((side) => topic(side, 'sink')));
    const values = ['a', 'retry', 'dropped', 'b', 'seek', 'broken', 'request', 'pause', null, 'report', 'z'];
    const send = async (all: readonly (string | null)[]): Promise<void> => {
      for (const side of sides())
        for (const [at, value] of all.entries())
          producer.send({
            topic: topic(side, 'sink'),
            partition: 0,
            timestamp: 1_700_000_000_000 + at,
            key: at % 2 === 0 ? null : Buffer.from(`k${at}`),
            value: value === null ? null : Buffer.from(value),
            headers: [{ key: 'h', value: Buffer.from(String(at)) }],
          });
      await producer.flush();
    };
    await send(values);
    const config = (side: Side): Record<string, string> => ({
      'connector.class': 'probe.Probe$Sink',
      calls: side.cluster.path('sink'),
      topics: topic(side, 'sink'),
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': topic(side, 'sink-dead'),
      'errors.deadletterqueue.topic.replication.factor': '1',
      'errors.deadletterqueue.context.headers.enable': 'true',
      transforms: 'upper',
      'transforms.upper.type': 'probe.Probe$Upper',
      'transforms.upper.suffix': '',
      'errors.restart.max': '0',
      'header.converter': 'org.apache.kafka.connect.storage.StringConverter',
    });
    await request(
      'POST',
      () => '/connectors',
      (side) => ({ name: `sink-${side.cluster.group}`, config: config(side) }),
    );
    // It seeks to the record before `seek`, once. What was put with `seek` is put again.
    const isOver = (lines: string[]): boolean => {
      const again = lines.filter((line) => line.includes(':seek '))[1];
      return again !== undefined && lines.slice(lines.lastIndexOf(again)).some((line) => line.includes(':z '));
    };
    const [left, right] = await both('sink', isOver);
    expect([...new Set(right)]).toEqual([...new Set(left)]);
    const dead = await Promise.all(
      sides().map(async (side) => {
        let records = await recordsOf(clients, topic(side, 'sink-dead'), 2, detail);
        while (!records.some(({ value }) => String(value) === 'report'))
          records = await recordsOf(clients, topic(side, 'sink-dead'), records.length + 1, detail);
        const letters = records.map(({ value, headers }) => [
          String(value),
          headers.map((header) => [
            header.key,
            neutral(String(header.value && Buffer.from(header.value)).split('\n')[0] ?? '', side),
          ]),
        ]);
        // After the seek, one of them is converted again if it was in the batch before.
        return [...new Set(letters.map((letter) => JSON.stringify(letter)))].sort();
      }),
    );
    expect(dead[1]).toEqual(dead[0]);
    await send(['fail']);
    const traces = await Promise.all(
      sides().map(async (side) => {
        const status = await side.worker.statusWhen(
          `sink-${side.cluster.group}`,
          ({ tasks }) => tasks[0]?.state === 'FAILED',
        );
        return (
          status.tasks[0]?.trace
            // Java's worker says that it ends the task.
            ?.replace(/^.*: Exiting WorkerSinkTask[^]*?\nCaused by: /, '')
            .split('\n')
            .filter((line) => !/^\s*(at |\.\.\. )/.test(line))
        );
      }),
    );
    expect(traces[1]).toEqual(traces[0]);
    await request('DELETE', (side) => `/connectors/sink-${side.cluster.group}`);
  });
});
