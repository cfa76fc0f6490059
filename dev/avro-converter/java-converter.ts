/** Asks Confluent's AvroConverter, in a JVM that cannot outlive this process. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { avroConverterClasses } from '../services/avro-converter-classes';
import { javaConnectJars } from '../services/java-connect-jars';
import { findJava } from '../services/kafka-jars';
import { ROOT } from '../services/paths';
import type { NotedValue, ShownSchema, TableSchema } from './notation';

export type Settings = Readonly<Record<string, string>>;

interface Question {
  readonly settings: Settings;
  readonly topic: string;
  readonly isKey: boolean;
}

export interface WriteQuestion extends Question {
  readonly schemas: readonly TableSchema[];
  /** Index; null: none. */
  readonly schema: number | null;
  readonly value: NotedValue;
}

export interface ReadQuestion extends Question {
  /** Text of the writer's schema. */
  readonly avro: string;
  /** Hexadecimal, without the frame. */
  readonly bytes: string;
}

/** An error's class and message, and those of its causes. */
export type Failure = readonly string[];

export interface Written {
  readonly error?: Failure;
  /** Text of the registered schema. */
  readonly avro?: string;
  /** Null: a record without a value. */
  readonly bytes?: string | null;
}

export interface Read {
  readonly error?: Failure;
  readonly schema?: ShownSchema | null;
  readonly value?: NotedValue;
}

interface Answer {
  /** The question cannot be asked: Java has no such schema or value. */
  readonly invalid?: Failure;
  readonly broken?: Failure;
}

export interface WriteAnswer extends Written, Answer {
  /** What was written, read. */
  readonly again?: Read;
}

export interface ReadAnswer extends Read, Answer {
  /** What was read, written. */
  readonly again?: Written;
}

export class JavaConverter {
  private readonly waiting: ((line: string | null) => void)[] = [];
  private log = '';

  private constructor(private readonly java: ChildProcessWithoutNullStreams) {
    createInterface({ input: java.stdout, crlfDelay: Infinity }).on('line', (line) => this.waiting.shift()?.(line));
    java.stderr.setEncoding('utf8').on('data', (text: string) => (this.log = (this.log + text).slice(-20_000)));
    java.stdin.on('error', () => undefined);
    java.on('exit', () => {
      for (const answered of this.waiting.splice(0)) answered(null);
    });
  }

  /** Needs a JDK, and Maven the first time. */
  static async create(): Promise<JavaConverter> {
    const java = await findJava("Confluent's AvroConverter", '');
    const [{ classPath }, classes] = await Promise.all([javaConnectJars(), avroConverterClasses()]);
    const flags = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:-UsePerfData', '-Duser.timezone=UTC', '-Dfile.encoding=UTF-8'];
    flags.push(`-Dlog4j2.configurationFile=${join(ROOT, 'dev', 'services', 'kafka', 'log4j2.xml')}`);
    const path = [classPath, classes].join(delimiter);
    const program = join(__dirname, 'AskAvroConverter.java');
    return new JavaConverter(spawn(java, [...flags, '-cp', path, program], { stdio: 'pipe' }));
  }

  async write(question: WriteQuestion): Promise<WriteAnswer> {
    return await this.ask<WriteAnswer>(question);
  }

  async read(question: ReadQuestion): Promise<ReadAnswer> {
    return await this.ask<ReadAnswer>(question);
  }

  private async ask<T extends Answer>(question: Question): Promise<T> {
    const line = await new Promise<string | null>((resolve) => {
      if (this.java.exitCode !== null) resolve(null);
      else {
        this.waiting.push(resolve);
        this.java.stdin.write(`${JSON.stringify(question)}\n`);
      }
    });
    if (line === null) throw new Error(`the JVM has ended with ${this.java.exitCode}:\n${this.log}`);
    const answer = JSON.parse(line) as T;
    if (answer.broken) throw new Error(`the question ${JSON.stringify(question)} breaks: ${answer.broken.join('; ')}`);
    return answer;
  }

  async close(): Promise<void> {
    if (this.java.exitCode !== null) return;
    const ended = new Promise((resolve) => this.java.once('exit', resolve));
    this.java.stdin.end();
    await ended;
  }
}
