/** One emulator per test file; per test, a table with mappings, a staging folder, and the tasks that it starts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SinkTaskHarness, type SinkHarnessOptions } from '@millrace/sdk/testing';
import { analyticsSink } from '@millrace/connector-analytics';
import { startAnalyticsEmulator, type AnalyticsEmulator, type EmulatorOptions } from '../../../dev/analytics-emulator';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import { silentLogger } from '../../../src/logging/logger';
import { TaskProducers } from '../../../src/tasks/clients/task-producers';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

/** Must never be in a log or an error. */
export const SECRET = 'canary-8271';

export class SinkSetup {
  emulator!: AnalyticsEmulator;
  folder!: string;
  table!: string;
  private readonly harnesses: SinkTaskHarness[] = [];
  private readonly said: string[] = [];
  /** As a worker passes them to the task. */
  private readonly producers = new TaskProducers(createKafkaClients(silentLogger), { connector: 'storms', task: 0 });

  /** Registers the hooks of the test file. */
  static forFile(options: EmulatorOptions = {}): SinkSetup {
    const setup = new SinkSetup();
    beforeAll(async () => {
      setup.emulator = await startAnalyticsEmulator({
        database: 'd',
        application: { tenant: 'tenant', id: 'app', secret: SECRET },
        ...options,
      });
    });
    afterAll(async () => {
      await setup.emulator?.stop();
    });
    beforeEach(async () => {
      setup.folder = await mkdtemp(join(tmpdir(), 'millrace-analytics-'));
      setup.table = uniqueName('T');
      await setup.createTable();
    });
    afterEach(async () => {
      await setup.end();
    });
    return setup;
  }

  async createTable(): Promise<void> {
    const { table } = this;
    await this.command(`.create table ${table} (a:string, b:int)`);
    await this.command(
      `.create table ${table} ingestion csv mapping 'M' '[{"Name":"a","Ordinal":0},{"Name":"b","Ordinal":1}]'`,
    );
    await this.command(
      `.create table ${table} ingestion json mapping 'J' '[{"column":"a","path":"$.a"},{"column":"b","path":"$.b"}]'`,
    );
  }

  async post(path: string, csl: string, options: object = {}, db = 'd'): Promise<unknown[][]> {
    const response = await fetch(this.emulator.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.emulator.tokens.issue()}` },
      body: JSON.stringify({ db, csl, properties: { Options: options } }),
    });
    const body = (await response.json()) as { Tables?: { Rows: unknown[][] }[]; error?: { message: string } };
    if (!body.Tables) throw new Error(body.error?.message);
    return body.Tables[0]?.Rows ?? [];
  }
  async sql(text: string): Promise<unknown[][]> {
    return await this.post('/v1/rest/query', text, { query_language: 'sql' });
  }
  async command(text: string, db?: string): Promise<unknown[][]> {
    return await this.post('/v1/rest/mgmt', text, {}, db);
  }
  /** Of the table, once everything posted is loaded. */
  async rows(): Promise<unknown[][]> {
    await this.emulator.ingestor.flush();
    return await this.post('/v1/rest/query', `${this.table} | order by b asc`);
  }
  /** Row counts of the files that were loaded. */
  async loaded(): Promise<number[]> {
    const counts = await this.sql(
      `SELECT row_count FROM __emulator.ingestions WHERE tbl = '${this.table}' ORDER BY loaded_at`,
    );
    return counts.map(([count]) => Number(count));
  }
  /** Messages in the service's queues. */
  async queued(): Promise<number> {
    const counts = await Promise.all(this.emulator.resources.queues.map(async (queue) => await queue.getProperties()));
    return counts.reduce((sum, { approximateMessagesCount: count = 0 }) => sum + count, 0);
  }

  async someQueued(): Promise<void> {
    await waitFor('a message in a queue of the service', async () => (await this.queued()) > 0);
  }

  config(overrides: Record<string, string> = {}, entry: Record<string, string> = {}): Record<string, string> {
    const mapping = { topic: 't', db: 'd', table: this.table, format: 'csv', mapping: 'M', ...entry };
    return {
      name: 'storms',
      topics: 't',
      'analytics.url': this.emulator.url,
      'idp.auth.authority': 'tenant',
      'idp.auth.appid': 'app',
      'idp.auth.appkey': SECRET,
      'analytics.tables.topics.mapping': JSON.stringify([mapping]).replaceAll('"', "'"),
      'flush.size.bytes': '100',
      'flush.interval.ms': '60000',
      'tempdir.path': this.folder,
      'errors.retry.backoff.time.ms': '50',
      ...overrides,
    };
  }

  async start(
    overrides: Record<string, string> = {},
    entry: Record<string, string> = {},
    options: SinkHarnessOptions = {},
  ): Promise<SinkTaskHarness> {
    const harness = await SinkTaskHarness.start(analyticsSink, this.config(overrides, entry), {
      createProducer: this.producers.create,
      ...options,
    });
    this.harnesses.push(harness);
    return harness;
  }

  async stop(harness: SinkTaskHarness): Promise<void> {
    this.harnesses.splice(this.harnesses.indexOf(harness), 1);
    this.said.push(...harness.logger.lines);
    await harness.stop();
  }

  /** Puts empty batches, as an idle worker does, until the offset is committed. */
  async committed(harness: SinkTaskHarness, offset: number, partition = 0): Promise<void> {
    await waitFor(
      `offset ${offset} to be committed`,
      async () => {
        await harness.put([]);
        await harness.commit();
        return harness.committed(partition) === offset;
      },
      { detail: () => `at ${harness.committed(partition)}\n${harness.logger.lines.join('\n')}` },
    );
  }

  /** The error of a `put` without records. */
  async failure(harness: SinkTaskHarness): Promise<Error> {
    return await waitFor('the task to fail', async () => {
      const error = await harness.put([]).then(
        () => null,
        (caught: Error) => caught,
      );
      if (error) this.said.push(String(error.stack), JSON.stringify(error));
      return error;
    });
  }

  private async end(): Promise<void> {
    for (const harness of [...this.harnesses]) await this.stop(harness);
    this.emulator.faults.clear();
    this.emulator.ingestor.isPaused = false;
    await rm(this.folder, { recursive: true, force: true });
    const said = this.said.splice(0).join('\n');
    for (const secret of [SECRET, 'sig=', 'Bearer ']) expect(said).not.toContain(secret);
  }
}

/** A CSV line of that many bytes, including its line end. */
export const line = (text: string, length: number): string => `${text},1`.padEnd(length - 1, '0');
