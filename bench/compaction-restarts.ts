/**
 * Restarts workers of a group whose storage topics are compacted at every moment, while connectors are changed, and
 * compares after each restart what the workers say with what runs. `npm run bench -- compaction-restarts [RESTARTS
 * [SEED]]` (Default: 12)
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { remove } from 'fs-extra';
import { Kafka, logLevel } from 'kafkajs';
import { startEmbedded } from '../dev/services/embedded';
import { ROOT } from '../dev/services/paths';
import { waitFor } from '../dev/services/wait-for';
import type { ConnectorStatus, StartedWorker } from '../dev/services/worker';
import { seeded } from '../test/helpers/seeded';
import { BEAT_MS, readBeats } from './lib/beats';
import { startKillable } from './lib/killable-worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { topicLines } from './lib/topic-lines';

const RESTARTS = Number(process.argv[2] ?? 12);
const SEED = Number(process.argv[3] ?? Date.now() % 1_000_000);
const WORKERS = 3;
const CONNECTORS = 5;
const CALM_MS = 60_000;

interface Wanted {
  readonly name: string;
  tasks: number;
  version: number;
  isPaused: boolean;
  /** Its new tasks are generated when it is resumed; until then the old ones may be missing. */
  changedInPause: boolean;
}

/** What is wrong with a connector or a task, once for each worker that says it. */
interface Problem {
  readonly kind: 'never started' | 'RUNNING that does not run' | 'workers that disagree' | 'runs where it should not';
  readonly connector: string;
  readonly detail: string;
}

benchmark(async (atEnd) => {
  const random = seeded(SEED);
  const beats = await mkdtemp(join(tmpdir(), 'compaction-restarts-'));
  atEnd(() => remove(beats));
  const broker = await startEmbedded({ settings: { housekeepingMs: 500 } });
  atEnd(broker.stop);
  const { bootstrapServers } = broker;
  heading(`Compacted storage topics, ${RESTARTS} restarts of ${WORKERS} workers (seed ${SEED})`);

  const group = `compacted-${randomBytes(3).toString('hex')}`;
  const configEntries = Object.entries({
    'cleanup.policy': 'compact',
    'segment.bytes': '1024',
    'segment.ms': '100',
    'min.cleanable.dirty.ratio': '0.01',
    'delete.retention.ms': '5000',
  }).map(([name, value]) => ({ name, value }));
  const admin = new Kafka({ brokers: [bootstrapServers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  atEnd(() => admin.disconnect());
  const topics = { configs: 1, offsets: 5, status: 2 };
  await admin.createTopics({
    topics: Object.entries(topics).map(([name, numPartitions]) => ({
      ...{ topic: `${group}-${name}`, numPartitions, configEntries },
    })),
  });
  const start = (): Promise<StartedWorker> =>
    startKillable(bootstrapServers, group, {
      'plugin.path': join(ROOT, 'bench', 'plugins'),
      'rest.advertised.host.name': '127.0.0.1',
    });
  const workers = await Promise.all(Array.from({ length: WORKERS }, start));
  atEnd(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));

  const wanted: Wanted[] = Array.from({ length: CONNECTORS }, (_, i) => ({
    ...{ name: `c${i}`, tasks: 1 + (i % 3), version: 1, isPaused: false, changedInPause: false },
  }));
  const configOf = ({ tasks, version }: Wanted): Record<string, string> => ({
    'connector.class': 'bench.BeatsSourceConnector',
    ...{ tasks: String(tasks), 'tasks.max': String(tasks), version: String(version), beats },
  });
  /** A rebalance answers 409. */
  const request = async (method: string, path: string, body?: unknown): Promise<void> => {
    let last = '';
    await waitFor(
      `${method} ${path}`,
      async () => {
        const answer = await random.one(workers).request(method, path, body);
        last = `${answer.status} ${answer.body}`;
        return answer.status < 300;
      },
      { everyMs: 250, detail: () => last },
    );
  };
  const put = (connector: Wanted): Promise<void> =>
    request('PUT', `/connectors/${connector.name}/config`, configOf(connector));
  const change = async (connector: Wanted, next: Partial<Wanted>): Promise<void> => {
    connector.changedInPause ||= connector.isPaused;
    await put(Object.assign(connector, next));
  };
  const changes: Record<string, (connector: Wanted) => Promise<void>> = {
    'unchanged PUT': put,
    'changed PUT': (connector) => change(connector, { version: connector.version + 1 }),
    'PUT of other tasks': (connector) => change(connector, { tasks: 1 + random.below(4) }),
    restart: ({ name }) => request('POST', `/connectors/${name}/restart?includeTasks=true`),
    'pause or resume': async (connector) => {
      connector.isPaused = !connector.isPaused;
      connector.changedInPause = false;
      await request('PUT', `/connectors/${connector.name}/${connector.isPaused ? 'pause' : 'resume'}`);
    },
    'delete and create': async (connector) => {
      Object.assign(connector, { isPaused: false, changedInPause: false });
      connector.version++;
      await request('DELETE', `/connectors/${connector.name}`);
      await request('POST', '/connectors', { name: connector.name, config: configOf(connector) });
    },
  };

  const problemsOf = async (): Promise<Problem[]> => {
    const running = await readBeats(beats);
    const problems: Problem[] = [];
    const pids = new Map(workers.map(({ url, pid }) => [url.slice('http://'.length), pid]));
    for (const { name, tasks, version, isPaused, changedInPause } of wanted) {
      const add = (kind: Problem['kind'], detail: string): void =>
        void problems.push({ kind, connector: name, detail });
      const statuses = await Promise.all(workers.map((worker) => worker.status(name).catch(() => null)));
      const [status] = statuses as [ConnectorStatus | null];
      if (statuses.some((other) => JSON.stringify(other) !== JSON.stringify(status)))
        add('workers that disagree', statuses.map((other) => JSON.stringify(other)).join('\n    '));
      const state = isPaused ? 'PAUSED' : 'RUNNING';
      const isHere = (part: { state: string; worker_id: string }): boolean =>
        part.state === state && pids.has(part.worker_id);
      if (!status || !isHere(status.connector)) add('never started', JSON.stringify(status));
      if (changedInPause) {
        const ran = [...running].filter(([id]) => id.startsWith(`${name}-`));
        if (ran.some(([, of]) => of.length > 0)) add('runs where it should not', JSON.stringify(ran));
        continue;
      }
      for (let task = 0; task < tasks; task++) {
        const said = status?.tasks.find(({ id }) => id === task);
        const ran = running.get(`${name}-${task}`) ?? [];
        const detail = `task ${task} is ${JSON.stringify(said)}, ran as ${JSON.stringify(ran)}`;
        if (said === undefined || !isHere(said)) add('never started', detail);
        else if (!isPaused && !ran.some(({ pid }) => pid === pids.get(said.worker_id)))
          add('RUNNING that does not run', detail);
        if (ran.length > (isPaused ? 0 : 1) || ran.some((beat) => beat.version !== String(version)))
          add('runs where it should not', `${detail}; version ${version}`);
      }
      for (const [id, ran] of running)
        if (id.startsWith(`${name}-`) && Number(id.slice(name.length + 1)) >= tasks)
          add('runs where it should not', `task ${id} of ${tasks}, ran as ${JSON.stringify(ran)}`);
      if ((status?.tasks.length ?? 0) > tasks) add('runs where it should not', JSON.stringify(status));
    }
    return problems;
  };
  const found: Problem[] = [];
  const times: number[] = [];
  const check = async (step: string): Promise<void> => {
    const began = Date.now();
    let rightAt = began;
    let problems: Problem[];
    // What a task wrote before it ended must not count, so that all must be right for longer than that does.
    do {
      await sleep(250);
      problems = await problemsOf();
      if (problems.length > 0) rightAt = Date.now();
    } while (Date.now() - rightAt < 2 * BEAT_MS && Date.now() - began < CALM_MS);
    times.push(rightAt - began);
    console.log(
      `  ${step}: ${problems.length > 0 ? `${problems.length} PROBLEMS` : `right after ${whole(times.at(-1)!)} ms`}`,
    );
    if (problems.length === 0) return;
    found.push(...problems);
    for (const { kind, connector, detail } of problems) console.log(`  ${kind}: ${connector}\n    ${detail}`);
    const connectors = new Set(problems.map(({ connector }) => connector));
    for (const topic of ['configs', 'status'])
      for (const line of await topicLines(bootstrapServers, `${group}-${topic}`))
        if ([...connectors].some((name) => line.includes(`-${name}`))) console.log(`  ${topic} ${line}`);
    for (const { url, process } of workers) console.log(`  ${url}\n${process.log().slice(-3000)}`);
  };

  for (const connector of wanted)
    await request('POST', '/connectors', { name: connector.name, config: configOf(connector) });
  await check('created');
  for (let restart = 1; restart <= RESTARTS; restart++) {
    const steps: string[] = [];
    for (let i = 0; i < 4; i++) {
      const [kind, run] = random.one(Object.entries(changes));
      const connector = random.one(wanted);
      steps.push(`${kind} of ${connector.name}`);
      await run(connector);
    }
    // Half of the restarts meet the changes under way; the others what compaction left of them.
    if (random.chance(0.5)) await check(`${restart}: ${steps.join(', ')}`);
    if (random.chance(0.5)) await sleep(BEAT_MS);
    const at = random.below(WORKERS);
    const worker = workers[at] as StartedWorker;
    const isKill = restart % 2 === 0;
    await (isKill ? worker.crash() : worker.stop());
    workers[at] = await start();
    await check(`${restart}: ${steps.join(', ')}, SIG${isKill ? 'KILL' : 'TERM'} of ${worker.url}`);
  }

  const count = (kind: Problem['kind']): number => found.filter((problem) => problem.kind === kind).length;
  const [{ high = '0' } = {}] = await admin.fetchTopicOffsets(`${group}-configs`);
  const left = await topicLines(bootstrapServers, `${group}-configs`);
  figure('records written to the config topic', whole(Number(high)));
  figure('of these, left by compaction', whole(left.length));
  figure('restarts of workers', whole(RESTARTS));
  figure('longest until all was right', `${whole(Math.max(...times))} ms`);
  figure('never started', whole(count('never started')), '0');
  figure('RUNNING that does not run', whole(count('RUNNING that does not run')), '0');
  figure('workers that disagree', whole(count('workers that disagree')), '0');
  figure('runs where it should not', whole(count('runs where it should not')), '0');
  if (found.length > 0) throw new Error('a worker said what was not so');
});
