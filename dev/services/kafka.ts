/** Runs Apache Kafka for a test run or a demo: one KRaft node on loopback, or more. Removes their data at the end. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { remove } from 'fs-extra';
import { freePorts } from './free-port';
import { findJava, kafkaClassPath } from './kafka-jars';
import type { KeptProcess } from './kept-process';
import { ROOT } from './paths';
import { Restartable } from './restartable';
import { waitFor } from './wait-for';

const run = promisify(execFile);
const LOG4J = `-Dlog4j2.configurationFile=${join(ROOT, 'dev', 'services', 'kafka', 'log4j2.xml')}`;

export interface KafkaOptions {
  /** Lines of `server.properties`, which override the ones set here. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Listeners in addition to the plain one, name → security protocol. Configure them in `settings` with
   * `listener.name.…`.
   */
  readonly listeners?: Readonly<Record<string, 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL'>>;
  /** Initial SCRAM users, in the format of `kafka-storage format --add-scram`. */
  readonly scramUsers?: readonly string[];
  /** JVM flags. (Default: the variable `KAFKA_HEAP`, or `-Xmx512m`) */
  readonly heap?: string;
  /** (Default: 180,000) */
  readonly timeoutMs?: number;
}

export interface RunningKafka {
  /** `host:port`, for `bootstrap.servers`. */
  readonly bootstrapServers: string;
  /** `host:port` of each additional listener, by name. */
  readonly listeners: Readonly<Record<string, string>>;
  /** Process id of the broker; undefined while it is stopped, and for an external cluster. */
  readonly pid: number | undefined;
  /** Kills the broker and keeps its data. Rejects for an external cluster. */
  crash(): Promise<void>;
  /**
   * Restarts a killed broker with its data at the same address, and resolves when it accepts connections. Rejects for
   * an external cluster.
   */
  restart(): Promise<void>;
  /** Kills the broker and removes its data. Does nothing for an external cluster. */
  stop(): Promise<void>;
}

/** Several brokers, each of which is a controller, too. */
export interface KafkaCluster {
  /** All of them. */
  readonly bootstrapServers: string;
  /** In the order of their ids, which count from 1. */
  readonly nodes: readonly RunningKafka[];
  /** Kills all brokers and removes their data. */
  stop(): Promise<void>;
}

/** The cluster at `BOOTSTRAP_SERVERS`, or a new broker. */
export async function useOrStartKafka(options: KafkaOptions = {}): Promise<RunningKafka> {
  return givenCluster() ?? (await startKafka(options));
}

/** The external cluster at `BOOTSTRAP_SERVERS`; null if it is not set. */
export function givenCluster(): RunningKafka | null {
  const bootstrapServers = process.env.BOOTSTRAP_SERVERS;
  if (!bootstrapServers) return null;
  const refuse = async (): Promise<never> => {
    throw new Error(`the cluster ${bootstrapServers} is external`);
  };
  const stop = async (): Promise<void> => undefined;
  return { bootstrapServers, listeners: {}, pid: undefined, crash: refuse, restart: refuse, stop };
}

/** Starts a new broker and resolves when it accepts connections. Takes about 4 s; downloads Kafka the first time. */
export async function startKafka(options: KafkaOptions = {}): Promise<RunningKafka> {
  const [node] = await startNodes(1, options);
  return node as RunningKafka;
}

/**
 * Starts a new cluster of at least three brokers. All topics have three replicas unless they are created with another
 * number, and records with `acks=all` need two of them, so the cluster works without one of its brokers.
 */
export async function startKafkaCluster(count: number, options: KafkaOptions = {}): Promise<KafkaCluster> {
  if (!(count >= 3)) throw new Error(`a cluster of ${count} brokers cannot work without one of them`);
  const nodes = await startNodes(count, options);
  return {
    bootstrapServers: nodes.map(({ bootstrapServers }) => bootstrapServers).join(),
    nodes,
    stop: () => stopAll(nodes),
  };
}

async function startNodes(count: number, options: KafkaOptions): Promise<RunningKafka[]> {
  const [java, classPath] = await Promise.all([findJava(), kafkaClassPath()]);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(java, classPath, count, options);
    } catch (error) {
      // Another process may have taken the port in the meantime.
      if (attempt === 3 || !/Address already in use/.test(String(error))) throw error;
    }
  }
}

async function stopAll(nodes: readonly RunningKafka[]): Promise<void> {
  await Promise.all(nodes.map((node) => node.stop()));
}

/** What the nodes of a cluster have in common. */
interface Quorum {
  readonly clusterId: string;
  /** By node, from 0. */
  readonly controllerPorts: readonly number[];
}

async function startOnce(
  java: string,
  classPath: string,
  count: number,
  options: KafkaOptions,
): Promise<RunningKafka[]> {
  const quorum = { clusterId: clusterId(), controllerPorts: await freePorts(count) };
  const starts = quorum.controllerPorts.map((_, at) => startNode(java, classPath, at, quorum, options));
  const outcomes = await Promise.allSettled(starts);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return await Promise.all(starts);
  await stopAll(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
  throw failed.reason;
}

/** @param at number of the node in its quorum, from 0 */
async function startNode(
  java: string,
  classPath: string,
  at: number,
  quorum: Quorum,
  options: KafkaOptions,
): Promise<RunningKafka> {
  const names = Object.keys(options.listeners ?? {});
  const [port, ...ports] = (await freePorts(1 + names.length)) as [number, ...number[]];
  const listeners = Object.fromEntries(names.map((name, i) => [name, `127.0.0.1:${ports[i]}`]));
  const folder = await mkdtemp(join(tmpdir(), 'millrace-kafka-'));
  const properties = join(folder, 'server.properties');
  try {
    const settings = serverSettings(folder, port, at, quorum);
    addListeners(settings, listeners, options.listeners ?? {});
    await writeFile(properties, propertiesText({ ...settings, ...options.settings }));
    const scram = (options.scramUsers ?? []).flatMap((user) => ['--add-scram', user]);
    const format = ['format', '-t', quorum.clusterId, '-c', properties, ...scram];
    await runTool(java, classPath, 'kafka.tools.StorageTool', format);
  } catch (error) {
    await remove(folder);
    throw error;
  }
  const heap = (options.heap ?? process.env.KAFKA_HEAP ?? '-Xmx512m').split(/\s+/).filter(Boolean);
  const broker = new Restartable(
    {
      command: java,
      args: [
        ...[...heap, '-XX:+UseG1GC', '-XX:-UsePerfData', '-Djava.awt.headless=true', LOG4J],
        // The broker unpacks its compression libraries there and is killed before it can remove them.
        ...[`-Djava.io.tmpdir=${folder}`, '-cp', classPath, 'kafka.Kafka', properties],
      ],
      folder,
      signal: 'KILL',
    },
    (run) => untilStarted(run, port, options.timeoutMs ?? 180_000),
  );
  await broker.start();
  return {
    bootstrapServers: `127.0.0.1:${port}`,
    listeners,
    get pid() {
      return broker.pid;
    },
    crash: () => broker.crash(),
    restart: () => broker.start(),
    stop: () => broker.stop(),
  };
}

async function untilStarted(run: KeptProcess, port: number, timeoutMs: number): Promise<void> {
  await waitFor(
    'Kafka to start',
    async () => {
      if (run.exitCode !== undefined) throw new Error(`Kafka did not start:\n${complaint(run.log())}`);
      return run.log().includes('Kafka Server started') && (await accepts(port));
    },
    { timeoutMs, detail: () => run.log().slice(-4000) },
  );
}

/**
 * Runs one of Kafka's Java tools, e.g. `org.apache.kafka.tools.consumer.ConsoleConsumer`, and resolves with its output.
 * Rejects with its error output if it fails.
 */
export async function runKafkaTool(className: string, args: readonly string[]): Promise<string> {
  const [java, classPath] = await Promise.all([findJava(), kafkaClassPath()]);
  return await runTool(java, classPath, className, args);
}

async function runTool(java: string, classPath: string, className: string, args: readonly string[]): Promise<string> {
  // A tool runs for about a second, so fast startup matters more than peak speed.
  const flags = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dmillrace.log.level=WARN', LOG4J];
  const { stdout } = await run(java, [...flags, '-cp', classPath, className, ...args], { maxBuffer: 256 << 20 }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${className} failed: ${(error.stderr || error.stdout || error.message).slice(-2000)}`, {
        cause: error,
      });
    },
  );
  return stdout;
}

function serverSettings(folder: string, port: number, at: number, quorum: Quorum): Record<string, string> {
  const { controllerPorts } = quorum;
  const [replicas, inSync] = controllerPorts.length > 1 ? ['3', '2'] : ['1', '1'];
  return {
    'process.roles': 'broker,controller',
    'node.id': String(at + 1),
    'controller.quorum.voters': controllerPorts.map((other, i) => `${i + 1}@127.0.0.1:${other}`).join(),
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPorts[at]}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map':
      'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL',
    'log.dirs': join(folder, 'data'),
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': '5',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
    'transaction.state.log.num.partitions': '5',
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': inSync,
    // There is only one member to wait for.
    'group.initial.rebalance.delay.ms': '0',
    // The default of 128 MB is too much for a small heap.
    'log.cleaner.dedupe.buffer.size': '16777216',
  };
}

/** Extracts the reason from the log of a broker that failed to start; many lines about its shutdown follow it. */
function complaint(log: string): string {
  const at = log.search(/^.*\b(?:ERROR|FATAL)\b/m);
  return at < 0 ? log.slice(-4000) : log.slice(at, at + 4000);
}

function addListeners(
  settings: Record<string, string>,
  addresses: Readonly<Record<string, string>>,
  protocols: Readonly<Record<string, string>>,
): void {
  for (const [name, address] of Object.entries(addresses)) {
    settings['listeners'] += `,${name}://${address}`;
    settings['advertised.listeners'] += `,${name}://${address}`;
    // The default map contains the protocols under their own names.
    if (name !== protocols[name]) settings['listener.security.protocol.map'] += `,${name}:${protocols[name]}`;
  }
}

/** Java reads properties as Latin-1, so characters beyond ASCII are escaped. */
function propertiesText(settings: Readonly<Record<string, string>>): string {
  const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value.replaceAll('\\', '\\\\').replace(/[^ -~]/g, escaped)}\n`)
    .join('');
}

/** A random UUID in Kafka's format. One that starts with a dash would be parsed as an option. */
function clusterId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? `A${id.slice(1)}` : id;
}

async function accepts(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
