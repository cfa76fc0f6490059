/**
 * Loaded with `--require` into a worker's process: how long its main thread keeps its event loop from turning, in CPU
 * time, since on a busy machine the wall clock counts what other processes do. A timer of 10 ms reads it: what was used
 * between two of its calls is one turn of the loop, give or take those 10 ms. Linux says it in `schedstat`, Node from
 * version 23 on in `process.threadCpuUsage`; elsewhere it is the wall's time, and `source` says so.
 *
 * Each SIGUSR2 ends a period: the heaps of all threads are collected, and the file named in LOOP_MONITOR_FILE gets the
 * period's longest turns and what memory is left.
 */
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { BroadcastChannel, isMainThread, threadId } = require('node:worker_threads');

const INTERVAL_MS = 10;
const KEPT_TURNS = 5;
const QUESTIONS = 'loop-monitor-questions';
const ANSWERS = 'loop-monitor-answers';
const mib = (bytes) => Math.round((bytes / 1024 / 1024) * 10) / 10;

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

  const threads = threadHeaps();
  process.on('SIGUSR2', () => {
    const ended = turns;
    turns = [];
    threads.collect((threadHeapsMib) => {
      const { heapUsed, external } = collected();
      const { rss } = process.memoryUsage();
      periods.push({
        turns: ended,
        rssMib: mib(rss),
        heapMib: mib(heapUsed),
        externalMib: mib(external),
        threadHeapsMib,
      });
      writeFileSync(`${file}.new`, JSON.stringify({ source, collects: typeof globalThis.gc === 'function', periods }));
      renameSync(`${file}.new`, file);
      // A collection is no turn of the worker's.
      turns = [];
      last = read();
    });
  });
}

function collected() {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  return process.memoryUsage();
}

/** Of the threads that live at the moment of the question, once each has answered or ended. */
function threadHeaps() {
  const living = new Map();
  let waiting = () => {};
  process.on('worker', (worker) => {
    const id = worker.threadId;
    living.set(id, 0);
    worker.once('exit', () => {
      living.delete(id);
      waiting(id);
    });
  });
  const questions = new BroadcastChannel(QUESTIONS);
  const answers = new BroadcastChannel(ANSWERS);
  answers.unref();
  answers.onmessage = ({ data }) => {
    // One that has ended since must not be waited for again.
    if (living.has(data.threadId)) living.set(data.threadId, data.heapUsed);
    waiting(data.threadId);
  };
  return {
    collect(done) {
      const left = new Set(living.keys());
      waiting = (id) => {
        left.delete(id);
        if (left.size > 0) return;
        waiting = () => {};
        done(mib([...living.values()].reduce((sum, bytes) => sum + bytes, 0)));
      };
      questions.postMessage(null);
      waiting(0);
    },
  };
}

function answerFromThread() {
  const answers = new BroadcastChannel(ANSWERS);
  const questions = new BroadcastChannel(QUESTIONS);
  questions.onmessage = () => answers.postMessage({ threadId, heapUsed: collected().heapUsed });
  questions.unref();
  answers.unref();
}

if (process.env.LOOP_MONITOR_FILE) {
  if (isMainThread) watch(process.env.LOOP_MONITOR_FILE);
  else answerFromThread();
}
