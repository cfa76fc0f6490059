/** Runs Debezium's task in the JVM of the Java host, without a worker. */
import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConfiguredPlugin,
  isProcessingFailure,
  type ProcessedSourceRecord,
  type RecordProcessing,
  type SourceConnector,
  type SourceTask,
} from '@millrace/sdk';
import type { JvmLine } from '../../packages/java-host/src/jvm/jvm-log';
import { JvmSupervisor } from '../../packages/java-host/src/jvm/jvm-supervisor';
import { loadJavaPlugin } from '../../packages/java-host/src/load-java-plugin';
import { debeziumPluginPath } from '../services/debezium-jars';
import { builtJavaHost } from '../services/java-host';
import { dataOf } from './envelope';
import type { EventRecord, TaskUnderTest } from './event-record';
import { placeOf, RecordDump } from './record-dump';
import { taskContext } from './task-context';

/** How records come: converted by Java's JsonConverter, or as data that Node.js converts. */
export type Transfer = 'bytes' | 'data';

const VERSION = '3.7.0.Final';
const CLASS = 'io.debezium.connector.postgresql.PostgresConnector';
const KEPT_LOG = 20_000;
const COMMIT_EVERY_MS = 1_000;

function processing(transfer: Transfer): RecordProcessing {
  const converter = (type: string): ConfiguredPlugin => ({
    // The host leaves a class that it does not have to Node.js.
    name: transfer === 'bytes' ? 'org.apache.kafka.connect.json.JsonConverter' : 'ConverterOfNodeJs',
    settings: { 'schemas.enable': 'true', 'replace.null.with.default': 'false', 'converter.type': type },
  });
  return { steps: [], key: converter('key'), value: converter('value'), header: converter('header') };
}

export class JarTask implements TaskUnderTest {
  readonly records: EventRecord[] = [];
  failure: string | null = null;
  private readonly supervisor: JvmSupervisor;
  private connector!: SourceConnector;
  private task: SourceTask | null = null;
  private polling: Promise<void> | null = null;
  private abort = new AbortController();
  private log = '';
  private readonly dump = new RecordDump();

  private constructor(private readonly transfer: Transfer) {
    this.supervisor = new JvmSupervisor({
      settings: {
        home: null,
        options: '-XX:+UseSerialGC -Duser.timezone=UTC',
        heapMb: 512,
        maxHeapMb: 512,
        environment: [],
        startTimeoutMs: 120_000,
        idleMs: 600_000,
        silenceMs: 120_000,
        maxJvms: 1,
        mbeanDomains: [],
      },
      log: {
        write: ({ message, trace }: JvmLine) => this.write(trace === null ? message : `${message}\n${trace}`),
        hide: (text) => text,
        loggers: () => undefined,
        levels: () => [['root', 'INFO']],
        onLevel: () => () => undefined,
      },
    });
  }

  /** Needs a JDK, and Maven the first time. */
  static async create(transfer: Transfer): Promise<JarTask> {
    const [plugins] = await Promise.all([debeziumPluginPath(), builtJavaHost()]);
    const location = realpathSync(join(plugins, VERSION));
    const jars = readdirSync(location).filter((name) => name.endsWith('.jar'));
    const classPath = jars.map((name) => join(location, name));
    const jar = new JarTask(transfer);
    const plugin = { type: 'source', class: CLASS, version: VERSION, location, classPath } as const;
    jar.connector = (await loadJavaPlugin(plugin, jar.supervisor.jvms)) as SourceConnector;
    return jar;
  }

  async start(given: Readonly<Record<string, string>>): Promise<void> {
    this.records.length = 0;
    this.failure = null;
    this.log = '';
    this.abort = new AbortController();
    const { signal } = this.abort;
    const config = { name: 'comparison', 'task.id': '0', ...given };
    const task = this.connector.createTask();
    this.task = task;
    const of = { connector: 'comparison', task: 0, config, connectorConfig: config };
    const taken = await task.takeProcessing?.(processing(this.transfer), of);
    if (taken?.converters !== (this.transfer === 'bytes')) throw new Error(`taken: ${JSON.stringify(taken)}`);
    const log = (message: string): void => this.write(message);
    const storeOffset = (): Promise<void> => Promise.reject(new Error('Java tasks store no offsets.'));
    await task.start(config, taskContext({ config, signal, log, storeOffset }));
    this.polling = this.poll(task, signal).catch((error: Error) => {
      this.failure = `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`;
    });
  }

  /** Acknowledges what it gets, as a worker does. */
  private async poll(task: SourceTask, signal: AbortSignal): Promise<void> {
    let committed = Date.now();
    while (!signal.aborted) {
      const batch = ((await task.poll()) ?? []) as readonly ProcessedSourceRecord[];
      for (const record of batch) {
        if (isProcessingFailure(record.outcome)) throw record.outcome.error;
        this.records.push(this.recordOf(record));
        await task.commitRecord?.(record, null);
      }
      if (Date.now() - committed < COMMIT_EVERY_MS) continue;
      committed = Date.now();
      await task.commit?.(new Map());
    }
  }

  private recordOf(record: ProcessedSourceRecord): EventRecord {
    if (this.transfer === 'data') return this.dump.of(record);
    return {
      ...placeOf(record),
      key: dataOf(record.key),
      value: dataOf(record.value),
      headers: (record.headers ?? []).map(({ key, value }) => [key, ...dataOf(value)] as const),
    };
  }

  private write(message: string): void {
    this.log = `${this.log}${message}\n`.slice(-KEPT_LOG);
  }

  async stop(): Promise<void> {
    const { task } = this;
    if (task === null) return;
    this.task = null;
    this.abort.abort();
    await this.polling;
    await task.stop();
    task.release?.();
  }

  logged(): string {
    return this.log;
  }

  async close(): Promise<void> {
    await this.supervisor.close();
  }
}
