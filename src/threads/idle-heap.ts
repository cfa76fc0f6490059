/**
 * Returns memory that a start or other work has left in the heap of this thread. V8 keeps the size to which it has
 * grown the young generation (16 MB and more) until a collection when little is allocated; an idle thread has none.
 */
import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startTimer } from '@millrace/sdk';

const CHECK_MS = 5_000;
/** A thread that works for less of the time is idle. */
const IDLE_SHARE = 0.05;
const MIB = 2 ** 20;
/** A young generation that is larger gets smaller. */
const YOUNG_BYTES = 4 * MIB;
/** A collection stops the thread, for about 2 ms per MiB in use. */
const LARGEST_HEAP_BYTES = 48 * MIB;
/** V8 does not shrink at once what was in use lately, and may never. */
const ATTEMPTS = 4;

interface Heap {
  readonly youngBytes: number;
  readonly usedBytes: number;
}

export interface IdleHeapOptions {
  readonly heap?: () => Heap;
  readonly collect?: () => void;
  /** Share of the time since the last call in which the thread worked. */
  readonly busyShare?: () => number;
}

export class IdleHeap {
  private timer: NodeJS.Timeout | null = null;
  private attempts = 0;
  private readonly heap: () => Heap;
  private readonly collect: () => void;
  private readonly busyShare: () => number;

  constructor({ heap = ownHeap, collect = collectGarbage, busyShare = ownBusyShare() }: IdleHeapOptions = {}) {
    this.heap = heap;
    this.collect = collect;
    this.busyShare = busyShare;
  }

  start(): void {
    this.timer ??= startTimer(() => {
      this.timer = null;
      this.check();
      this.start();
    }, CHECK_MS).unref();
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  check(): void {
    if (this.busyShare() > IDLE_SHARE) {
      this.attempts = 0;
      return;
    }
    const { youngBytes, usedBytes } = this.heap();
    if (youngBytes <= YOUNG_BYTES) this.attempts = 0;
    else if (usedBytes <= LARGEST_HEAP_BYTES && this.attempts++ < ATTEMPTS) this.collect();
  }
}

function ownHeap(): Heap {
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  return { youngBytes: young?.physical_space_size ?? 0, usedBytes: getHeapStatistics().used_heap_size };
}

function ownBusyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** V8 gives its collector to new contexts only, and only with this flag, which other threads must not keep. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  // Before Node.js 22, without flavours: a usual collection.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
