/**
 * What a large group costs: the leader's assignment, its sizes in the group protocol, and how long a worker reads the
 * config topic and the status topic when it starts. `npm run bench -- scale [CONNECTORS [WORKERS]]` (Default: 5,000
 * with two tasks each, and 100)
 */
import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createKafkaClients } from '@millrace/kafka-client/clients';
import { useOrStartKafka } from '../dev/services/kafka';
import { CooperativeAssignor, type CooperativeResult } from '../src/cluster/group/cooperative-assignor';
import { encodeAssignment, encodeMetadata, type Assignment } from '../src/cluster/group/connect-protocol';
import { configuredWork } from '../src/cluster/group/leader-assignment';
import { NO_WORK, type Work } from '../src/cluster/group/work';
import { silentLogger } from '../src/logging/logger';
import { commitRecord, connectorRecord, taskRecord } from '../src/storage/config/config-records';
import { ConfigStore } from '../src/storage/config/config-store';
import type { LogEntry } from '../src/storage/log/compacted-log';
import { KafkaCompactedLog } from '../src/storage/log/kafka-compacted-log';
import { storageTopic } from '../src/storage/log/storage-topic';
import { statusRecord, type EntityStatus } from '../src/storage/status/status-records';
import { StatusStore } from '../src/storage/status/status-store';
import { benchmark, figure, heading, whole } from './lib/report';

const CONNECTORS = Number(process.argv[2] ?? 5_000);
const WORKERS = Number(process.argv[3] ?? 100);
const TASKS = 2;
/** As many keys as a change capture connector usually has. */
const KEYS = 25;
const PROTOCOL = 'sessioned';
const STATUS: EntityStatus = { state: 'RUNNING', trace: null, workerId: 'worker-1:8083', generation: 7, version: null };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const nameOf = (n: number) => `connector-number-${n}`;
const urlOf = (worker: string) => `http://${worker}.millrace.svc.cluster.local:8083/`;
const bytesOf = (records: readonly LogEntry[]) =>
  records.reduce((sum, [key, value]) => sum + key.length + (value?.length ?? 0), 0);

function configRecords(connector: string): LogEntry[] {
  const config = Object.fromEntries(
    Array.from({ length: KEYS }, (_, i) => [`some.key.of.the.connector.${i}`, 'value']),
  );
  const tasks = Array.from({ length: TASKS }, (_, task) => taskRecord(connector, task, config));
  return [connectorRecord(connector, config), ...tasks, commitRecord(connector, TASKS)];
}

function statusRecords(connector: string): LogEntry[] {
  const tasks = Array.from({ length: TASKS }, (_, task) => statusRecord({ kind: 'task', connector, task }, STATUS));
  return [statusRecord({ kind: 'connector', connector }, STATUS), ...tasks];
}

/** Prints what the leader needs for each kind of rebalance. */
function rebalances(configured: Work): void {
  const assignor = new CooperativeAssignor(0, Date.now);
  let members = new Map<string, Work>(Array.from({ length: WORKERS }, (_, i) => [`worker-${i}`, NO_WORK]));
  let generation = 0;
  const rebalance = (what: string): CooperativeResult => {
    const began = performance.now();
    generation++;
    const input = { configured, members, lastCompletedGeneration: generation - 1, generation };
    const result = assignor.assign(input);
    figure(`rebalance: ${what}`, `${whole(performance.now() - began)} ms`);
    members = new Map(result.owners);
    return result;
  };
  const { assigned } = rebalance('all work is new');
  rebalance('nothing has changed');
  members.delete('worker-0');
  rebalance('a worker is gone for good');
  members.set('worker-new', NO_WORK);
  rebalance('a worker is new: what is revoked for it');
  rebalance('a worker is new: what it gets');

  const assignment = (work: Work): Assignment => {
    const leader = { leader: 'worker-1', leaderUrl: urlOf('worker-1'), configOffset: 1 };
    return { configMismatch: false, ...leader, assigned: work, revoked: NO_WORK, delay: 0, missing: new Map() };
  };
  const sizes = [...assigned.values()].map((work) => encodeAssignment(PROTOCOL, assignment(work)).length);
  figure('largest assignment of a worker', `${whole(Math.max(...sizes))} B`);
  const metadata = [...members].map(([worker, work]) => {
    const member = { url: urlOf(worker), configOffset: 1, reserves: true, marks: true };
    return encodeMetadata(PROTOCOL, { ...member, allocation: assignment(work) }).length;
  });
  figure('largest metadata of a worker', `${whole(Math.max(...metadata))} B`);
  figure('metadata of all, which the leader gets', `${whole(metadata.reduce((sum, one) => sum + one, 0) / 1024)} KiB`);
}

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka();
  atEnd(kafka.stop);
  heading(`A group of ${WORKERS} workers, ${whole(CONNECTORS)} connectors and ${whole(CONNECTORS * TASKS)} tasks`);
  const client = { 'bootstrap.servers': kafka.bootstrapServers };
  const clients = createKafkaClients(silentLogger);
  const admin = clients.admin(client);
  atEnd(() => admin.close());
  const group = `bench-${randomBytes(3).toString('hex')}`;
  const logOf = (kind: 'config' | 'status'): KafkaCompactedLog => {
    const settings = { topic: `${group}-${kind}`, partitions: kind === 'config' ? 1 : 5, replicationFactor: -1 };
    const topic = storageTopic(kind, { ...settings, topicConfigs: {} });
    return new KafkaCompactedLog({ topic, clients, admin, client, clientId: group, logger: silentLogger });
  };

  async function written(kind: 'config' | 'status', recordsOf: (connector: string) => LogEntry[]): Promise<void> {
    const log = logOf(kind);
    await log.start(() => undefined);
    const records = Array.from({ length: CONNECTORS }, (_, n) => recordsOf(nameOf(n))).flat();
    for (let i = 0; i < records.length; i += 1_000) await log.write(records.slice(i, i + 1_000));
    await log.stop();
    figure(`${kind} topic`, `${whole(records.length)} records, ${(bytesOf(records) / 2 ** 20).toFixed(1)} MiB`);
  }

  async function read(kind: string, store: { start(): Promise<void>; stop(): Promise<void> }): Promise<void> {
    collect();
    const heap = process.memoryUsage().heapUsed;
    const began = performance.now();
    const cpu = process.cpuUsage();
    await store.start();
    const { user, system } = process.cpuUsage(cpu);
    figure(`${kind} topic: read by a worker that starts`, `${whole(performance.now() - began)} ms`);
    figure(`${kind} topic: CPU of it`, `${whole((user + system) / 1000)} ms`);
    collect();
    const grown = (process.memoryUsage().heapUsed - heap) / 2 ** 20;
    figure(`${kind} topic: heap it takes`, `${grown.toFixed(1)} MiB`);
    atEnd(() => store.stop());
  }

  await written('config', configRecords);
  await written('status', statusRecords);
  const configs = new ConfigStore(logOf('config'), silentLogger, () => undefined);
  await read('config', configs);
  await read('status', new StatusStore(logOf('status'), silentLogger));
  let began = performance.now();
  const snapshot = configs.snapshot();
  figure('snapshot of the configs', `${whole(performance.now() - began)} ms`);
  began = performance.now();
  const configured = configuredWork(snapshot);
  figure('list of all work', `${whole(performance.now() - began)} ms`);
  rebalances(configured);
});
