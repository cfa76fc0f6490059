/** The same work on Java's worker and on Millrace, and their metrics. Source: connect-runtime §9. */
import { appendFile, writeFile } from 'node:fs/promises';
import type { StartedWorker } from '../../../dev/services/worker';
import { underscored } from '../../../src/metrics/attribute';
import { parsePrometheus } from '../../helpers/prometheus';
import { waitFor } from '../../helpers/wait-for';
import { ask, Cluster, create, describeWithJava, reaches, type Sink } from './fixtures';
import { canReadJmx, readJmx } from './read-metrics';

const LINES = 500;
/** Of a group, without the names of this test's connectors: `source-task-metrics/source/0 source-record-poll-total`. */
type Figures = Map<string, string>;
type Read = (worker: StartedWorker) => Promise<Figures>;

async function ofJava(worker: StartedWorker): Promise<Figures> {
  const figures: Figures = new Map();
  for (const { keys, attribute, value } of await readJmx(worker, ['kafka.connect', 'kafka.producer', 'kafka.consumer']))
    figures.set(keyOf(keys.type ?? '', { ...keys, ...taskOf(keys) }, underscored(attribute)), value);
  return figures;
}

/** Of a task's client, by its client id. Others, and metrics of a topic or a partition, are of no task. */
function taskOf(keys: Readonly<Record<string, string>>): { connector?: string; task?: string } {
  const [, connector, task] = /^connector-(?:producer|consumer)-(.*)-(\d+)$/.exec(keys['client-id'] ?? '') ?? [];
  return connector === undefined || keys.topic !== undefined ? {} : { connector, task };
}

const GROUPS = [
  'connector-metrics',
  'connector-task-metrics',
  'source-task-metrics',
  'sink-task-metrics',
  'task-error-metrics',
  'connect-worker-metrics',
  'connect-worker-rebalance-metrics',
  'connect-coordinator-metrics',
  'app-info',
];

const CLIENT_GROUPS = {
  'producer-metrics': 'kafka_producer_',
  'consumer-metrics': 'kafka_consumer_',
  'consumer-fetch-manager-metrics': 'kafka_consumer_',
  'consumer-coordinator-metrics': 'kafka_consumer_',
};
const PREFIXES: [string, string][] = [
  ...GROUPS.map((group): [string, string] => [group, `kafka_connect_${underscored(group)}_`]),
  ...Object.entries(CLIENT_GROUPS).map(([group, domain]): [string, string] => [
    group,
    `${domain}${underscored(group)}_`,
  ]),
];

async function ofOurs(worker: StartedWorker): Promise<Figures> {
  const figures: Figures = new Map();
  for (const [name, { samples }] of parsePrometheus((await worker.request('GET', '/metrics')).body)) {
    const [group, prefix] = PREFIXES.find(([, start]) => name.startsWith(start)) ?? [];
    if (group === undefined || prefix === undefined) continue;
    const attribute = name.slice(prefix.length);
    for (const { labels, value } of samples) {
      if (labels.topic !== undefined) continue;
      const text = labels[attribute];
      if (text === undefined) figures.set(keyOf(group, labels, attribute), String(value));
      else if (value === 1) figures.set(keyOf(group, labels, attribute), text);
    }
  }
  return figures;
}

function keyOf(group: string, { connector = '', task = '' }: Record<string, string>, attribute: string): string {
  return `${group}/${connector.split('_')[0]}/${task} ${attribute}`;
}

/** Observed on 4.3.1: 0, however many tasks were started. */
const NEVER_COUNTED = /task_startup_/;

/** Versions and the like stay texts. */
function valueOf(text: string | undefined): string | number | undefined {
  return text === undefined || Number.isNaN(Number(text)) ? text : Number(text);
}

/** Group and attribute, for any object. */
const attributes = (figures: Figures, groups: readonly string[] = GROUPS): string[] =>
  [...new Set([...figures.keys()].map((key) => key.replace(/\/\S*/, '')))]
    .filter((name) => groups.includes(name.split(' ')[0] ?? ''))
    .sort();

(canReadJmx ? describeWithJava : describe.skip)('metrics', () => {
  const clusters: Cluster[] = [];
  let java: Figures;
  let ours: Figures;

  /** A source, a sink, one that tolerates bad records and one that does not; ends when all metrics are stable. */
  async function work(kind: 'java' | 'ours', read: Read): Promise<Figures> {
    const cluster = await Cluster.create();
    clusters.push(cluster);
    const worker = await cluster[kind]();
    const sink = await cluster.sink('sink');
    await sink.send(LINES);
    await create(worker, sink);
    const source = await startSource(cluster, worker);
    const json = {
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.schemas.enable': 'false',
    };
    const [tolerant, strict] = [await cluster.sink('tolerant'), await cluster.sink('strict')];
    // "line 0" is not JSON.
    for (const bad of [tolerant, strict]) await bad.send(3);
    await create(worker, tolerant, {
      ...json,
      'errors.tolerance': 'all',
      'errors.log.enable': 'true',
      'errors.deadletterqueue.topic.name': `${cluster.group}-dead`,
      'errors.deadletterqueue.topic.replication.factor': '1',
    });
    await create(worker, strict, { ...json, 'errors.restart.max': '0' });
    await reaches(worker, strict.name, 'RUNNING FAILED');
    for (const name of [sink.name, tolerant.name, source]) await reaches(worker, name, 'RUNNING RUNNING');
    return await counted(worker, read, sink);
  }

  async function startSource(cluster: Cluster, worker: StartedWorker): Promise<string> {
    const name = `source_${cluster.group}`;
    const file = cluster.path('source');
    await writeFile(file, '');
    const config = {
      'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
      topic: `${cluster.group}-lines`,
      file,
    };
    expect((await ask(worker, 'POST', '/connectors', { name, config })).status).toBe(201);
    await appendFile(file, Array.from({ length: LINES }, (_, n) => `line ${n}\n`).join(''));
    return name;
  }

  async function counted(worker: StartedWorker, read: Read, sink: Sink): Promise<Figures> {
    let figures: Figures = new Map();
    const is = (key: string, value: number): boolean => Number(figures.get(key)) === value;
    const hasCommitted = (name: string): boolean =>
      Number(figures.get(`connector-task-metrics/${name}/0 offset_commit_success_percentage`)) > 0;
    await waitFor(
      'everything to be counted and committed',
      async () => {
        figures = await read(worker);
        return (
          is('source-task-metrics/source/0 source_record_write_total', LINES) &&
          is('source-task-metrics/source/0 source_record_active_count', 0) &&
          is('sink-task-metrics/sink/0 sink_record_send_total', LINES) &&
          is('sink-task-metrics/sink/0 sink_record_active_count', 0) &&
          is('sink-task-metrics/tolerant/0 sink_record_active_count', 0) &&
          is('task-error-metrics/tolerant/0 deadletterqueue_produce_requests', 3) &&
          ['source', 'sink', 'tolerant'].every(hasCommitted) &&
          Number(figures.get('sink-task-metrics/sink/0 offset_commit_completion_total')) > 2
        );
      },
      { detail: () => `${sink.name}\n${JSON.stringify([...figures], null, 1)}` },
    );
    // They were read in sequence: earlier ones may have changed by the time that the last one was read.
    return await read(worker);
  }

  beforeAll(async () => {
    java = await work('java', ofJava);
    ours = await work('ours', ofOurs);
  });
  afterAll(async () => await Promise.all(clusters.map(async (cluster) => await cluster.close())));

  test('connect-runtime §9: metrics that Java counts have the same values here', () => {
    const same = /_total$|_count$|task-error-metrics|status$|_(type|class)$|percentage$|connect_protocol$/;
    const timed = /last_error_timestamp|rebalance|commit_completion_total|heartbeat|join_total|sync_total|assigned/;
    const compared = [...java.keys()].filter(
      (key) =>
        GROUPS.includes(key.split('/')[0] ?? '') && same.test(key) && !timed.test(key) && !NEVER_COUNTED.test(key),
    );
    expect(compared.length).toBeGreaterThan(100);
    const of = (figures: Figures): unknown[] => compared.sort().map((key) => [key, valueOf(figures.get(key))]);
    expect(of(ours)).toEqual(of(java));
  });

  test('connect-runtime §9: every attribute of Java exists, and no other', () => {
    // Also as beans of another library, with names like StartTimeMs.
    const theirs = attributes(java).filter((name) => !/^app-info [A-Z]/.test(name));
    const own = attributes(ours);
    expect(theirs.filter((name) => !own.includes(name))).toEqual([]);
    expect(own.filter((name) => !theirs.includes(name))).toEqual([]);
  });

  test('connect-runtime §9: what clients of tasks count has the same values here', () => {
    const compared = [
      'producer-metrics/source/0 record_send_total',
      'producer-metrics/source/0 record_error_total',
      'producer-metrics/source/0 record_retry_total',
      'producer-metrics/source/0 txn_commit_time_ns_total',
      'consumer-fetch-manager-metrics/sink/0 records_consumed_total',
      'consumer-fetch-manager-metrics/sink/0 bytes_consumed_total',
      'consumer-fetch-manager-metrics/tolerant/0 records_consumed_total',
      'consumer-coordinator-metrics/sink/0 assigned_partitions',
    ];
    const of = (figures: Figures): unknown[] => compared.map((key) => [key, valueOf(figures.get(key))]);
    expect(of(ours)).toEqual(of(java));
    expect(valueOf(ours.get('producer-metrics/source/0 record_send_total'))).toBe(LINES);
  });

  test('connect-runtime §9: each attribute of a client has the name of Java', () => {
    const groups = Object.keys(CLIENT_GROUPS);
    const theirs = attributes(java, groups);
    const own = attributes(ours, groups);
    expect(own.length).toBeGreaterThan(80);
    expect(own.filter((name) => !theirs.includes(name))).toEqual([]);
  });

  test('connect-runtime §9: starts of tasks are counted, which Java declares but does not count', () => {
    const counts = (figures: Figures): (string | number | undefined)[] =>
      ['attempts', 'success', 'failure'].map((kind) =>
        valueOf(figures.get(`connect-worker-metrics// task_startup_${kind}_total`)),
      );
    expect(counts(java)).toEqual([0, 0, 0]);
    expect(counts(ours)).toEqual([4, 4, 0]);
  });
});
