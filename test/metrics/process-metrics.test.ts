/** Metrics of the process and of Node.js: those that prom-client exports, as the usual dashboards have them. */
import fs from 'node:fs';
import { constants } from 'node:perf_hooks';
import v8 from 'node:v8';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { exposition } from '../../src/metrics/exposition';
import { GcDurations } from '../../src/metrics/gc-durations';
import { memorySizesIn, processMemory } from '../../src/metrics/process-memory';
import { maxFiles, maxFilesIn } from '../../src/metrics/process-monitor';
import { parsePrometheus, valueIn, type Family } from '../helpers/prometheus';
import { waitFor } from '../helpers/wait-for';

const scrape = async (): Promise<Map<string, Family>> => parsePrometheus(String(await exposition(null)));

/** Names, types, helps and label names; families without a sample are left out. */
function described(families: ReadonlyMap<string, Family>): unknown[] {
  return [...families]
    .filter(([, { samples }]) => samples.length > 0)
    .map(([name, { help, type, samples }]) => {
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
      return { name, type, help, labels: [...labels].sort() };
    });
}

const samplesOf = (families: ReadonlyMap<string, Family>, name: string) => families.get(name)?.samples ?? [];
const labelsOf = (families: ReadonlyMap<string, Family>, name: string) =>
  samplesOf(families, name).map(({ labels }) => labels);

/** Leaves garbage until both have observed collections. */
async function collections(families: () => Promise<ReadonlyMap<string, Family>>): Promise<ReadonlyMap<string, Family>> {
  return await waitFor('a garbage collection', async () => {
    const garbage = Array.from({ length: 200_000 }, (_, i) => ({ i }));
    const found = await families();
    return garbage.length > 0 && samplesOf(found, 'nodejs_gc_duration_seconds').length > 0 && found;
  });
}

test('names, types, help texts and labels are those of prom-client', async () => {
  await scrape();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // A handle and a request, so that their families have samples.
  const handle = fs.watch(__dirname);
  let reading = true;
  const request = (): void => fs.stat(__filename, () => (reading ? request() : undefined));
  request();
  try {
    const theirs = await collections(async () => parsePrometheus(await registry.metrics()));
    await collections(scrape);
    const ours = await waitFor('delays and collections', async () => {
      const found = await scrape();
      return found.has('nodejs_eventloop_lag_p99_seconds') && found.has('nodejs_active_requests') && found;
    });
    expect(described(ours)).toEqual(described(theirs));
    for (const name of ['nodejs_heap_space_size_used_bytes', 'nodejs_version_info'])
      expect(labelsOf(ours, name)).toEqual(labelsOf(theirs, name));
    for (const name of ['process_start_time_seconds', 'process_max_fds'])
      expect([name, valueIn(ours, name)]).toEqual([name, valueIn(theirs, name)]);
    const buckets = (of: ReadonlyMap<string, Family>) =>
      new Set(labelsOf(of, 'nodejs_gc_duration_seconds').map(({ le }) => le));
    expect(buckets(ours)).toEqual(buckets(theirs));
    expect(buckets(ours).has('+Inf')).toBe(true);
  } finally {
    reading = false;
    handle.close();
    registry.clear();
  }
});

test('values are those of the process', async () => {
  const found = await scrape();
  const value = (name: string, labels = {}): number => valueIn(found, name, labels) ?? NaN;
  const { rss, heapTotal, external } = process.memoryUsage();
  const near = (name: string, expected: number): void => {
    expect([name, value(name) > expected / 2 && value(name) < expected * 2]).toEqual([name, true]);
  };
  near('process_resident_memory_bytes', rss);
  near('nodejs_heap_size_total_bytes', heapTotal);
  near('nodejs_external_memory_bytes', external);
  expect(value('nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6);
  expect(value('process_virtual_memory_bytes')).toBeGreaterThan(value('process_resident_memory_bytes'));
  const open = fs.readdirSync('/proc/self/fd').length;
  expect(Math.abs(value('process_open_fds') - open)).toBeLessThan(20);
  expect(value('nodejs_eventloop_lag_seconds')).toBeLessThan(60);
  const types = samplesOf(found, 'nodejs_active_resources').map((sample) => sample.value);
  expect(types.reduce((sum, count) => sum + count, 0)).toBe(value('nodejs_active_resources_total'));
});

const fail = (): never => {
  throw new Error('hidden');
};

/** Jest reads files, too. */
function hideStatus(): jest.SpyInstance {
  const { readFileSync } = fs;
  return jest
    .spyOn(fs, 'readFileSync')
    .mockImplementation((...args) => (args[0] === '/proc/self/status' ? fail() : readFileSync(...args)));
}

test.each<[string, () => jest.SpyInstance, RegExp]>([
  ['/proc/self/status', hideStatus, /^process_(?!cpu|start|.*fds)/],
  ['/proc/self/fd', () => jest.spyOn(fs, 'readdirSync').mockImplementation(fail), /^process_open_fds/],
  ['the CPU time', () => jest.spyOn(process, 'cpuUsage').mockImplementation(fail), /^process_cpu/],
  ['active resources', () => jest.spyOn(process, 'getActiveResourcesInfo').mockImplementation(fail), /_resources/],
  ['the heap', () => jest.spyOn(v8, 'getHeapStatistics').mockImplementation(fail), /heap_size|external/],
  ['the heap spaces', () => jest.spyOn(v8, 'getHeapSpaceStatistics').mockImplementation(fail), /heap_space/],
])('a scrape without %s has all other metrics', async (_what, hide, names) => {
  const stable = (families: ReadonlyMap<string, Family>): string[] =>
    [...families.keys()].filter((name) => !/lag_\w+_seconds|gc_|_active_(?:handles|requests)$/.test(name));
  const before = stable(await scrape());
  const hidden = hide();
  try {
    const left = before.filter((name) => !names.test(name));
    expect(left.length).toBeLessThan(before.length);
    expect(stable(await scrape())).toEqual(left);
  } finally {
    hidden.mockRestore();
  }
});

test('the limit of open files: a number, unlimited, or missing', () => {
  expect(maxFilesIn('Limit   Soft Limit   Hard Limit   Units\nMax open files     1024     4096      files\n')).toBe(
    1024,
  );
  expect(maxFilesIn('Max open files            unlimited            unlimited            files\n')).toBeNull();
  expect(maxFilesIn('')).toBeNull();
  expect(maxFiles()).toBeGreaterThan(0);
});

test('memory is read from /proc on Linux; elsewhere only the resident size is known', () => {
  expect(memorySizesIn('Name:\tVmRSS: 1 kB\nVmSize:\t  2048 kB\nVmRSS:\t 1024 kB\nVmData:\t  12 kB\n')).toEqual({
    ...{ resident: 1024 * 1024, virtual: 2048 * 1024, data: 12 * 1024 },
  });
  expect(memorySizesIn('VmRSS:\tmany kB\n')).toEqual({ resident: null, virtual: null, data: null });
  expect(processMemory('darwin')).toEqual({ resident: expect.any(Number) as number, virtual: null, data: null });
});

test('every collection that is reported together with others counts', () => {
  const durations = new GcDurations();
  const { NODE_PERFORMANCE_GC_MAJOR: major, NODE_PERFORMANCE_GC_MINOR: minor } = constants;
  durations.add([
    { duration: 1, detail: { kind: major } },
    { duration: 5_000.5, detail: { kind: major } },
    { duration: 0.5, detail: { kind: minor } },
    { duration: 1, detail: { kind: 4711 } },
    { duration: 1 },
  ]);
  const counts = [...durations.all()].map(([kind, { buckets, sum, count }]) => [
    kind,
    buckets.map(({ value }) => value),
    sum,
    count,
  ]);
  expect(counts).toEqual([
    ['major', [1, 1, 1, 1, 1, 1], 5.0015, 2],
    ['minor', [1, 1, 1, 1, 1, 1], 0.0005, 1],
  ]);
});
