/**
 * Java's worker and Millrace on one Kafka, with the same group and storage topics. Source: connect-runtime §1.7, §11.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startJavaConnect } from '../../../dev/services/java-connect';
import { KAFKA_VERSION } from '../../../dev/services/kafka-jars';
import { cacheFolder } from '../../../dev/services/paths';
import {
  startWorker,
  type Answer,
  type ConnectorStatus,
  type StartedWorker,
  type WorkerOptions,
} from '../../../dev/services/worker';
import type { Admin, Producer } from '../../../packages/kafka-client/src/port';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
const runs = (command: string): boolean => spawnSync(command, ['-version'], { stdio: 'ignore' }).status === 0;

function whatIsMissing(): string | null {
  if (!runs(java)) return 'a JDK';
  const fetched = existsSync(join(cacheFolder(), 'java-connect', KAFKA_VERSION, 'pom.sha256'));
  return fetched || runs('mvn') ? null : 'Maven';
}
const missing = whatIsMissing();
if (missing !== null) process.stderr.write(`SKIPPED: nothing is compared with Java's Connect, ${missing} is missing\n`);

/** Skipped, with a message on stderr, where Java's worker cannot run. */
export const describeWithJava = missing === null ? describe : describe.skip;

/** Seconds, where Java's defaults are minutes. */
const SETTINGS = {
  'session.timeout.ms': '6000',
  'heartbeat.interval.ms': '1000',
  'scheduled.rebalance.max.delay.ms': '2000',
  'offset.flush.interval.ms': '1000',
  // A task that is cancelled commits nothing, and its last records are written again: a slow machine gets more time.
  'task.shutdown.graceful.timeout.ms': '30000',
  // Long enough that a short pause of the machine does not make a sink read records twice.
  'consumer.session.timeout.ms': '15000',
  'offset.flush.timeout.ms': '60000',
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
};

/** One cluster: its workers of either kind, its topics and its files. */
export class Cluster {
  private readonly workers: StartedWorker[] = [];

  private constructor(
    readonly group: string,
    private readonly clients: Clients,
    private readonly folder: string,
    private readonly producer: Producer,
  ) {}

  static async create(): Promise<Cluster> {
    const clients = new Clients();
    const folder = await mkdtemp(join(tmpdir(), 'millrace-java-'));
    return new Cluster(uniqueName('java'), clients, folder, await clients.producer());
  }

  get admin(): Admin {
    return this.clients.admin;
  }

  /** Stops all remaining workers and removes everything. */
  async close(): Promise<void> {
    await Promise.all(this.workers.map(async (worker) => await worker.stop()));
    await this.clients.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /**
   * @param port of its REST address. (Default: a free one)
   * @param classes further ones on its class path, by their folders
   */
  async java(
    settings: Record<string, string> = {},
    port?: number,
    classes: readonly string[] = [],
  ): Promise<StartedWorker> {
    return await this.ready(await startJavaConnect({ ...this.options(settings), port, classes }));
  }

  /** @param port of its REST address. (Default: a free one) */
  async ours(settings: Record<string, string> = {}, port?: number): Promise<StartedWorker> {
    return await this.ready(await startWorker({ ...this.options(settings), port }));
  }

  private options(settings: Record<string, string>): WorkerOptions {
    return { group: this.group, settings: { ...SETTINGS, ...settings } };
  }

  private async ready(worker: StartedWorker): Promise<StartedWorker> {
    this.workers.push(worker);
    await worker.ready();
    return worker;
  }

  /**
   * A file sink of a new topic, and its producer. Its consumer group is named after it: no other cluster has a sink of
   * that name.
   */
  async sink(name: string, partitions = 1): Promise<Sink> {
    const topic = await this.clients.topic(partitions, {}, `${this.group}-${name}`);
    return new Sink(`${name}_${this.group}`, topic, this.path(name), partitions, this.producer);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** End offset of the config topic: shows whether a worker has written to it. */
  async configEnd(): Promise<number> {
    return await this.end('configs');
  }

  /** End offset of partition 0 of a topic of the group; 0 while there is no such topic. */
  async end(suffix: string): Promise<number> {
    const topic = `${this.group}-${suffix}`;
    if ((await this.admin.describeTopics([topic])).length === 0) return 0;
    const [end] = await this.admin.listOffsets([{ topic, partition: 0 }], 'latest');
    return end?.offset ?? 0;
  }

  /** Names of the headers that records of a storage topic have, sorted. */
  async headers(suffix: string): Promise<string[]> {
    const topic = `${this.group}-${suffix}`;
    const [{ partitions = [] } = {}] = await this.admin.describeTopics([topic]);
    const all = partitions.map(({ partition }) => ({ topic, partition }));
    const ends = await this.admin.listOffsets(all, 'latest');
    const consumer = await this.clients.assigned();
    consumer.assign(all);
    const names = new Set<string>();
    await waitFor(`the end of ${topic}`, async () => {
      for (const { records } of await consumer.poll(1_000))
        for (const { headers } of records) for (const { key } of headers) names.add(key);
      return ends.every((end) => (consumer.position(end) ?? 0) >= end.offset);
    });
    return [...names].sort();
  }

  /** The members of a sink's consumer group: one for each running task, on any worker. */
  async sinkMembers(sink: Sink): Promise<number> {
    return (await this.admin.describeGroup(`connect-${sink.name}`)).members.length;
  }

  logs(): string {
    return this.workers.map(({ url, process }) => `=== ${url}\n${process.log().slice(-4000)}`).join('\n');
  }
}

/** Produces numbered lines to a topic, and reads them from the connector's file. */
export class Sink {
  private sent = 0;

  constructor(
    readonly name: string,
    private readonly topic: string,
    private readonly file: string,
    private readonly partitions: number,
    private readonly producer: Producer,
  ) {}

  config(overrides: Record<string, string> = {}): Record<string, string> {
    return {
      'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
      'tasks.max': String(this.partitions),
      topics: this.topic,
      file: this.file,
      ...overrides,
    };
  }

  async send(count: number): Promise<void> {
    const { topic } = this;
    await this.producer.prepare([topic]);
    for (let i = 0; i < count; i++) {
      const partition = this.sent % this.partitions;
      this.producer.send({ topic, partition, key: null, value: Buffer.from(`line ${this.sent++}`) });
    }
    await this.producer.flush();
  }

  async lines(): Promise<string[]> {
    return (await readFile(this.file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  }

  private expected(): string[] {
    return Array.from({ length: this.sent }, (_, i) => `line ${i}`).sort();
  }

  /** Resolves when every line has arrived exactly once. */
  async hasEveryLineOnce(cluster: Cluster): Promise<void> {
    await this.hasEveryLine(cluster);
    expect((await this.lines()).sort()).toEqual(this.expected());
  }

  /** Resolves when every line has arrived at least once. */
  async hasEveryLine(cluster: Cluster): Promise<void> {
    let found = new Set<string>();
    await waitFor(
      `${this.sent} lines of ${this.name}`,
      async () => (found = new Set(await this.lines())).size >= this.sent,
      { detail: () => `found ${found.size}\n${cluster.logs()}` },
    );
    expect([...found].sort()).toEqual(this.expected());
  }
}

/** Every worker answers 409 during a rebalance; clients retry. */
export async function ask(worker: StartedWorker, method: string, path: string, body?: unknown): Promise<Answer> {
  let last: Answer | undefined;
  return await waitFor(
    `${method} ${path} not to be 409`,
    async () => {
      last = await worker.request(method, path, body);
      return last.status !== 409 && last;
    },
    { detail: () => `${last?.body}\n${worker.process.log().slice(-4000)}` },
  );
}

export async function create(worker: StartedWorker, sink: Sink, overrides: Record<string, string> = {}): Promise<void> {
  const answer = await ask(worker, 'POST', '/connectors', { name: sink.name, config: sink.config(overrides) });
  expect([answer.status, answer.body]).toEqual([201, expect.any(String)]);
}

/**
 * Resolves to the status once connector and tasks are in these states, e.g. `RUNNING RUNNING RUNNING`.
 * With `owner`, waits until that worker reports it: the last status of a dead worker stays until then.
 */
export async function reaches(
  worker: StartedWorker,
  name: string,
  states: string,
  owner?: StartedWorker,
): Promise<ConnectorStatus> {
  let last = '';
  return await waitFor(
    `${name} to be ${states}`,
    async () => {
      const status = await worker.status(name);
      last = JSON.stringify(status);
      const parts = [status.connector, ...status.tasks];
      if (owner && parts.some(({ worker_id }) => worker_id !== new URL(owner.url).host)) return null;
      return parts.map(({ state }) => state).join(' ') === states && status;
    },
    { detail: () => `${last}\n${worker.process.log().slice(-4000)}` },
  );
}

/** Everything that a worker reports about its connectors, without the names of workers. */
export async function everything(worker: StartedWorker): Promise<unknown> {
  const { json, body } = await ask(worker, 'GET', '/connectors?expand=info&expand=status');
  expect(body).toMatch(/^{/);
  const names = Object.keys(json as object).sort();
  return await Promise.all(
    names.map(async (name) => ({
      ...JSON.parse(JSON.stringify(json[name]).replaceAll(/"worker_id":"[^"]*"/g, '"worker_id":"…"')),
      config: (await ask(worker, 'GET', `/connectors/${name}/config`)).json,
      tasks: (await ask(worker, 'GET', `/connectors/${name}/tasks`)).json,
    })),
  );
}
