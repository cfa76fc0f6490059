/** The text that a scraper gets, parsed independently of its writer. */
import { exposition, type Figures } from '../../src/metrics/exposition';
import { GroupMetrics } from '../../src/metrics/group-metrics';
import type { LagUnit, PublishedSeries } from '../../src/metrics/published-series';
import { RestMetrics } from '../../src/metrics/rest-metrics';
import { DEFAULT_SAMPLE_WINDOWS, TaskMetrics } from '../../src/metrics/task-metrics';
import { TimeInStates } from '../../src/metrics/time-in-states';
import { WorkMetrics } from '../../src/metrics/work-metrics';
import { parsePrometheus, valueIn, type Family } from '../helpers/prometheus';
import { waitFor } from '../helpers/wait-for';

const ODD = 'a "quoted" \\ name\nin two lines, Ünïcödé 日本語 😀 {x="y"}';

function task(connector: string, type: 'source' | 'sink'): Figures['tasks'][number] {
  const metrics = TaskMetrics.in(TaskMetrics.allocate(type, DEFAULT_SAMPLE_WINDOWS));
  const plugins = new Map([['key-converter', { class: 'org.example.KeyConverter', version: '1.2' }]]);
  const watch = { stuck: type === 'sink' ? [{ call: 'put', ms: 61_500 }] : [], restarts: type === 'sink' ? 2 : 0 };
  const of = { connector, task: 0, states: new TimeInStates(), metrics, connectorType: type, plugins };
  return { ...of, published: [], clients: [], watch, thread: null, condition: { isConnected: true, problem: null } };
}

function figures(): Figures {
  const work = new WorkMetrics(DEFAULT_SAMPLE_WINDOWS);
  const states = new TimeInStates();
  states.change('running');
  return {
    connectors: [{ connector: ODD, states, type: 'sink', class: 'org.example.Sink', version: null }],
    tasks: [task(ODD, 'sink'), task('source', 'source')],
    taskStates: [{ connector: ODD, states: ['running', 'failed', 'failed'] }],
    worker: { connectors: 1, tasks: 2, connectorStarts: work.connectorStarts, taskStarts: work.taskStarts },
    membership: {
      clientId: 'connect-1',
      protocol: 'SESSIONED',
      leaderUrl: 'http://10.0.0.1:8083/',
      generation: 3,
      isMember: true,
      assignedConnectors: 1,
      assignedTasks: 2,
      group: GroupMetrics.create(DEFAULT_SAMPLE_WINDOWS),
    },
    app: { clientId: 'connect-1', version: '4.3.1', commit: 'x', startedAt: 5 },
    rest: new RestMetrics(),
    clients: [],
  };
}

async function parsed(of: Figures | null): Promise<Map<string, Family>> {
  return parsePrometheus(String(await exposition(of)));
}

test('connect-runtime §9: names are group and attribute with underscores, tags are labels, of any text', async () => {
  const found = await parsed(figures());
  const one = { connector: ODD, task: '0' };
  expect(valueIn(found, 'kafka_connect_sink_task_metrics_sink_record_read_total', one)).toBe(0);
  expect(valueIn(found, 'kafka_connect_connector_metrics_status', { connector: ODD, status: 'running' })).toBe(1);
  expect(valueIn(found, 'kafka_connect_connector_metrics_status', { connector: ODD, status: 'failed' })).toBe(0);
  const statuses = found.get('kafka_connect_connector_metrics_status')?.samples.map(({ labels }) => labels.status);
  expect(statuses).toEqual(['unassigned', 'running', 'paused', 'stopped', 'failed', 'restarting']);
});

test('connect-runtime §9: a text is a label of a gauge with value 1, and missing when it is not known', async () => {
  const found = await parsed(figures());
  const name = 'kafka_connect_connector_metrics_connector_class';
  expect(found.get(name)?.samples).toEqual([
    { labels: { connector: ODD, connector_class: 'org.example.Sink' }, value: 1 },
  ]);
  expect(found.has('kafka_connect_connector_metrics_connector_version')).toBe(false);
  const leader = found.get('kafka_connect_connect_worker_rebalance_metrics_leader_name')?.samples;
  expect(leader).toEqual([{ labels: { leader_name: 'http://10.0.0.1:8083/' }, value: 1 }]);
});

test('the watchdog’s figures exist for each task, with the call that is stuck', async () => {
  const found = await parsed(figures());
  const name = 'millrace_task';
  expect(found.get(`${name}_stuck_seconds`)?.samples).toEqual([
    { labels: { connector: ODD, task: '0', call: 'put' }, value: 61.5 },
    { labels: { connector: 'source', task: '0', call: '' }, value: 0 },
  ]);
  expect(found.get(`${name}_stuck_seconds`)?.type).toBe('gauge');
  expect(valueIn(found, `${name}_watchdog_restarts_total`, { connector: ODD, task: '0' })).toBe(2);
});

test('connect-runtime §9: NaN and infinities are exported as such', async () => {
  const found = await parsed(figures());
  const one = { connector: 'source', task: '0' };
  expect(valueIn(found, 'kafka_connect_source_task_metrics_poll_batch_max_time_ms', one)).toBeNaN();
  expect(valueIn(found, 'kafka_connect_connect_worker_rebalance_metrics_time_since_last_rebalance_ms')).toBe(Infinity);
});

test('connect-runtime §9: totals and error counts are counters, everything else is a gauge', async () => {
  const found = await parsed(figures());
  const ours = [...found].filter(([name]) => name.startsWith('kafka_connect_'));
  expect(ours.length).toBeGreaterThan(80);
  const counts = ours.filter(([, { type }]) => type === 'counter').map(([name]) => name);
  const expected = ours
    .map(([name]) => name)
    .filter((name) => /_total$|_task_error_metrics_/.test(name) && !name.endsWith('last_error_timestamp'));
  expect(counts.sort()).toEqual(expected.sort());
  expect(ours.filter(([, { help, type }]) => help === '' || !['counter', 'gauge'].includes(type))).toEqual([]);
});

test('connect-runtime §9: tasks have the group of their type alone', async () => {
  const found = await parsed(figures());
  const owners = (group: string): (string | undefined)[] =>
    found.get(`kafka_connect_${group}`)?.samples.map(({ labels }) => labels.connector) ?? [];
  expect(owners('source_task_metrics_source_record_poll_total')).toEqual(['source']);
  expect(owners('sink_task_metrics_sink_record_send_total')).toEqual([ODD]);
  expect(owners('connector_task_metrics_running_ratio')).toEqual([ODD, 'source']);
  expect(owners('task_error_metrics_total_retries')).toEqual([ODD, 'source']);
});

test('connect-runtime §9: the tasks of a connector by state', async () => {
  const found = await parsed(figures());
  const count = (kind: string): number | undefined =>
    valueIn(found, `kafka_connect_connect_worker_metrics_connector_${kind}_task_count`, { connector: ODD });
  expect(['total', 'running', 'failed', 'paused', 'destroyed'].map(count)).toEqual([3, 1, 2, 0, 0]);
});

test('a plugin cannot break the scrape with the name of a metric of the worker', async () => {
  const memory = new SharedArrayBuffer(8);
  const series = { help: 'Own.', type: 'gauge', labels: {}, memory, cell: 0 } as const;
  const published = ['millrace_task_stuck_seconds', 'own'].map((name) => ({ ...series, key: name, name }));
  const found = await parsed({ ...figures(), tasks: [{ ...task('source', 'source'), published }] });
  const labels = { connector: 'source', task: '0' };
  expect(found.get('millrace_task_stuck_seconds')?.samples).toEqual([{ labels: { ...labels, call: '' }, value: 0 }]);
  expect(found.get('own')?.samples).toEqual([{ labels, value: 0 }]);
});

test('other work of the main thread runs while the text of a thousand tasks is written', async () => {
  const tasks = Array.from({ length: 1_000 }, (_, i) => task(`sink-${i}`, 'sink'));
  await exposition(null);
  // A clock that advances by a millisecond with each look, so that the speed of the machine decides nothing.
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now++);
  let turns = 0;
  let longestMs = 0;
  let last = now;
  const turn = (): void => {
    longestMs = Math.max(longestMs, now - last);
    [last, turns] = [now, turns + 1];
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  try {
    await exposition({ ...figures(), tasks });
  } finally {
    clearImmediate(next);
    clock.mockRestore();
  }
  // A look at least for each task.
  expect(now).toBeGreaterThan(tasks.length);
  expect(turns).toBeGreaterThan(tasks.length / 20);
  expect(longestMs).toBeLessThan(20);
});

test('a removed metric leaves no series behind', async () => {
  await exposition(figures());
  const found = await parsed({ ...figures(), connectors: [], tasks: [], taskStates: [] });
  const left = [...found].filter(([, { samples }]) => samples.some(({ labels }) => 'connector' in labels));
  expect(left).toEqual([]);
});

test('the CPU time of a worker counts from its start, not from its first scrape', async () => {
  // Loaded again, as by the first scrape of a worker that has run for some time.
  const { user, system } = process.cpuUsage();
  let fresh = { exposition };
  jest.isolateModules(() => (fresh = jest.requireActual<typeof fresh>('../../src/metrics/exposition')));
  const found = parsePrometheus(String(await fresh.exposition(null)));
  const shown = ['user_', 'system_', ''].map((kind) => valueIn(found, `process_cpu_${kind}seconds_total`) ?? 0);
  expect(shown[0]).toBeGreaterThanOrEqual(user / 1e6);
  expect(shown[1]).toBeGreaterThanOrEqual(system / 1e6);
  expect(shown[2]).toBeGreaterThanOrEqual((user + system) / 1e6);
});

test('event loop delays are exported once measured, as delays', async () => {
  const delays = (found: ReadonlyMap<string, Family>): (number | undefined)[] =>
    [...found]
      .filter(([name]) => /^nodejs_eventloop_lag_\w+_seconds$/.test(name))
      .map(([name]) => valueIn(found, name));
  // A scrape soon after another finds none; on a busy machine, not each of them is soon enough.
  while (delays(await parsed(null)).length > 0);
  const some = await waitFor('delays of the event loop', async () => {
    const found = delays(await parsed(null));
    return found.length > 0 && found;
  });
  expect(some).toHaveLength(7);
  for (const seconds of some) expect(seconds).toBeLessThan(3600);
});

test('process metrics have the usual names, also before there is a herder', async () => {
  const found = await parsed(null);
  expect([...found.keys()].filter((name) => name.startsWith('kafka_connect'))).toEqual([]);
  expect(valueIn(found, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(valueIn(found, 'process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(valueIn(found, 'nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6);
  expect(found.has('nodejs_eventloop_lag_seconds')).toBe(true);
});

function series(name: string, labels: Record<string, string>, value: number, type: PublishedSeries['type'] = 'gauge') {
  const memory = new SharedArrayBuffer(8);
  new Float64Array(memory)[0] = value;
  return { key: JSON.stringify([name, labels]), name, help: `Help of ${name}.`, type, labels, memory, cell: 0 };
}

test('metrics of plugins have their own names and labels, and those of the task', async () => {
  const one = {
    ...task(ODD, 'source'),
    published: [series('rows', { table: ODD }, 5, 'counter'), series('lag', {}, 2)],
  };
  const other = { ...task('other', 'source'), published: [series('lag', { kind: 'x' }, 3), series('idle', {}, NaN)] };
  const found = await parsed({ ...figures(), tasks: [one, other] });
  expect(found.get('rows')).toMatchObject({ type: 'counter', help: 'Help of rows.' });
  expect(found.get('rows')?.samples).toEqual([{ labels: { table: ODD, connector: ODD, task: '0' }, value: 5 }]);
  expect(found.get('lag')?.samples).toEqual([
    { labels: { connector: ODD, task: '0' }, value: 2 },
    { labels: { kind: 'x', connector: 'other', task: '0' }, value: 3 },
  ]);
  expect(found.has('idle')).toBe(false);
});

test('the largest lag that a plugin publishes in a unit is the task’s', async () => {
  const lag = (value: number, unit: LagUnit) => ({ ...series('own', { n: String(value) }, value), lag: unit });
  const published = [lag(2, 'seconds'), lag(5, 'seconds'), lag(-1, 'records'), lag(NaN, 'bytes'), series('x', {}, 9)];
  const found = await parsed({ ...figures(), tasks: [{ ...task('one', 'source'), published }] });
  const lags = ['records', 'bytes', 'seconds'].map((unit) => found.get(`millrace_task_lag_${unit}`)?.samples);
  expect(lags).toEqual([undefined, undefined, [{ labels: { connector: 'one', task: '0' }, value: 5 }]]);
});

test('a name that two plugins use with different types is a gauge', async () => {
  const one = { ...task('one', 'source'), published: [series('rows', {}, 5, 'counter')] };
  const other = { ...task('other', 'source'), published: [series('rows', {}, -1)] };
  const found = await parsed({ ...figures(), tasks: [one, other] });
  expect(found.get('rows')?.type).toBe('gauge');
  expect(found.get('rows')?.samples.map(({ value }) => value)).toEqual([5, -1]);
});

test('JVMs of plugins in jars, and the numbers of their MBeans; a name that the worker has is left out', async () => {
  const series = (name: string, value: number, labels: Record<string, string> = { context: 'streaming' }): never =>
    ({ name, help: 'h', labels, value }) as never;
  const jvm = {
    ...{
      folder: '/p/a',
      connector: null,
      pid: 7,
      isUp: true,
      sessions: 2,
      restarts: 1,
      hungThreads: 2,
      silentMs: 20_000,
    },
    memory: { heapUsed: 1, heapMax: 2, nonHeapUsed: 3, threads: 4, gcMs: 1500 },
    usage: { cpuSeconds: 1.5, residentBytes: 9 },
    series: [series('debezium_metrics_Connected', 1), series('kafka_connect_app_info_version', 7)],
  };
  const starting = {
    ...jvm,
    ...{ folder: '/p/b', connector: 'c', isUp: false, hungThreads: 0, silentMs: null, memory: null, usage: null },
    series: [series('debezium_metrics_Connected', 5), series('debezium_metrics_Connected', 0, { context: 'snapshot' })],
  };
  const found = await parsed({ ...figures(), jvms: [jvm, starting] });
  expect(valueIn(found, 'millrace_jvm_up', { folder: '/p/a' })).toBe(1);
  expect(valueIn(found, 'millrace_jvm_up', { folder: '/p/b', connector: 'c' })).toBe(0);
  expect(valueIn(found, 'millrace_jvm_gc_seconds_total', { folder: '/p/a' })).toBe(1.5);
  expect(valueIn(found, 'millrace_jvm_hung_threads', { folder: '/p/a' })).toBe(2);
  expect(found.get('millrace_jvm_silent_seconds')?.samples).toEqual([{ labels: { folder: '/p/a' }, value: 20 }]);
  expect(found.get('millrace_jvm_resident_memory_bytes')?.samples).toHaveLength(1);
  expect(found.get('debezium_metrics_Connected')?.samples.map(({ value }) => value)).toEqual([1, 0]);
  expect(found.get('kafka_connect_app_info_version')?.samples.some(({ value }) => value === 7)).toBe(false);
});
