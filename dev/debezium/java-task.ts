/** Runs Debezium's task in a JVM that cannot outlive this process. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SourceOffset } from '@millrace/sdk';
import { debeziumPluginPath } from '../services/debezium-jars';
import { javaConnectJars } from '../services/java-connect-jars';
import { findJava } from '../services/kafka-jars';
import { ROOT } from '../services/paths';
import type { EventRecord, TaskUnderTest } from './event-record';

interface Line extends Partial<EventRecord> {
  readonly schema?: readonly [id: number, schema: string];
  readonly done?: true;
  readonly error?: string;
  readonly retried?: string;
}

export class JavaTask implements TaskUnderTest {
  readonly records: EventRecord[] = [];
  failure: string | null = null;
  private schemas: string[] = [];
  private done: (() => void) | null = null;
  private log = '';

  private constructor(private readonly java: ChildProcessWithoutNullStreams) {
    createInterface({ input: java.stdout, crlfDelay: Infinity }).on('line', (line) => this.read(line));
    java.stderr.setEncoding('utf8').on('data', (text: string) => (this.log = (this.log + text).slice(-20_000)));
    java.on('exit', (code) => {
      this.failure ??= `the JVM has ended with ${code}:\n${this.log}`;
      this.done?.();
    });
    java.stdin.on('error', () => undefined);
  }

  /** Needs a JDK, and Maven the first time. */
  static async create(timeZone = 'UTC'): Promise<JavaTask> {
    const [java, { classPath }, plugins] = await Promise.all([findJava(), javaConnectJars(), debeziumPluginPath()]);
    const version = join(plugins, '3.7.0.Final');
    const flags = [
      '-Xmx512m',
      '-XX:+UseSerialGC',
      '-XX:-UsePerfData',
      `-Duser.timezone=${timeZone}`,
      '-Dfile.encoding=UTF-8',
    ];
    flags.push(`-Dlog4j2.configurationFile=${join(ROOT, 'dev', 'services', 'kafka', 'log4j2.xml')}`);
    const path = [classPath, join(version, '*')].join(delimiter);
    return new JavaTask(spawn(java, [...flags, '-cp', path, join(__dirname, 'DebeziumTask.java')], { stdio: 'pipe' }));
  }

  private read(text: string): void {
    if (!text.startsWith('{')) {
      this.log = `${this.log}${text}\n`.slice(-20_000);
      return;
    }
    const line = JSON.parse(text) as Line;
    if (line.schema) this.schemas[line.schema[0]] = line.schema[1];
    else if (line.topic !== undefined) this.records.push(this.withSchemas(line as EventRecord));
    else if (line.done) this.done?.();
    else if (line.error !== undefined) this.failure = line.error;
    else this.log += `retried: ${line.retried}\n`;
  }

  /** Schema ids become schema texts. */
  private withSchemas(record: EventRecord): EventRecord {
    const text = (id: unknown): string | null => (id === null ? null : (this.schemas[id as number] as string));
    return {
      ...record,
      key: [text(record.key[0]), record.key[1]],
      value: [text(record.value[0]), record.value[1]],
      headers: record.headers.map(([name, schema, value]) => [name, text(schema), value]),
    };
  }

  /** @param offset the stored one; null: none */
  async start(config: Readonly<Record<string, string>>, offset: SourceOffset | null = null): Promise<void> {
    this.records.length = 0;
    await this.send({ config: { name: 'comparison', 'task.id': '0', ...config }, offset });
  }

  async stop(): Promise<void> {
    await this.send({});
  }

  private async send(request: object): Promise<void> {
    if (this.failure?.startsWith('the JVM')) throw new Error(this.failure);
    this.failure = null;
    const answered = new Promise<void>((resolve) => (this.done = resolve));
    this.java.stdin.write(`${JSON.stringify(request)}\n`);
    await answered;
    // Schema ids are a task's.
    this.schemas = [];
    if (this.failure) throw new Error(this.failure);
  }

  /** What the JVM logged last. */
  logged(): string {
    return this.log;
  }

  async close(): Promise<void> {
    if (this.java.exitCode !== null) return;
    const ended = new Promise((resolve) => this.java.once('exit', resolve));
    this.java.stdin.end();
    await ended;
  }
}
