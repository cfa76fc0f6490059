/**
 * Loaded with `--require` into a worker's process: how long its main thread keeps its event loop from turning, in time on a
 * processor, since on a busy machine the clock on the wall counts what other processes do. A timer of 10 ms reads it: what was
 * used between two of its calls is one turn of the loop, give or take those 10 ms. Linux says it in `schedstat`, Node from
 * version 23 on in `process.threadCpuUsage`; elsewhere it is the wall's time, and `source` says so.
 *
 * Each SIGUSR2 ends a period: the heap is collected, and the file named in LOOP_MONITOR_FILE gets the period's longest turns
 * and what memory is left.
 */
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const INTERVAL_MS = 10;
const KEPT_TURNS = 5;

/** Of this thread: reads milliseconds. */
function clock() {
  if (typeof process.threadCpuUsage === 'function') {
    const read = () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    };
    return { source: 'threadCpuUsage', read };
  }
  // The main thread's id is the process's.
  const file = `/proc/self/task/${process.pid}/schedstat`;
  try {
    const read = () => Number(readFileSync(file, 'latin1').split(' ', 1)[0]) / 1e6;
    if (read() > 0) return { source: 'schedstat', read };
  } catch {
    // Not Linux.
  }
  return { source: 'wall', read: () => performance.now() };
}

function watch(file) {
  const { source, read } = clock();
  const periods = [];
  let turns = [];
  let last = read();

  setInterval(() => {
    const now = read();
    const ms = now - last;
    last = now;
    if (turns.length === KEPT_TURNS && ms <= turns[KEPT_TURNS - 1].ms) return;
    turns.push({ ms: Math.round(ms * 10) / 10, at: new Date().toISOString() });
    turns.sort((a, b) => b.ms - a.ms);
    turns.length = Math.min(turns.length, KEPT_TURNS);
  }, INTERVAL_MS).unref();

  process.on('SIGUSR2', () => {
    for (let i = 0; i < 3; i++) globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    const mib = (bytes) => Math.round((bytes / 1024 / 1024) * 10) / 10;
    periods.push({ turns, rssMib: mib(rss), heapMib: mib(heapUsed), externalMib: mib(external) });
    writeFileSync(`${file}.new`, JSON.stringify({ source, collects: typeof globalThis.gc === 'function', periods }));
    renameSync(`${file}.new`, file);
    turns = [];
    last = read();
  });
}

if (isMainThread && process.env.LOOP_MONITOR_FILE) watch(process.env.LOOP_MONITOR_FILE);
