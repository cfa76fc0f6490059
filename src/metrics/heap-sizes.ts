/** Sizes of the JavaScript heap of this thread. From V8, since `process.memoryUsage` fails where /proc is hidden. */
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';

/** In bytes. */
export interface HeapSize {
  readonly total: number;
  readonly used: number;
  readonly external: number;
}

/** In bytes. */
export interface HeapSpace {
  /** E.g. `new_large_object`. */
  readonly space: string;
  readonly total: number;
  readonly used: number;
  readonly available: number;
}

export function heapSize(): HeapSize {
  const { total_heap_size: total, used_heap_size: used, external_memory: external } = getHeapStatistics();
  return { total, used, external };
}

export function heapSpaces(): HeapSpace[] {
  return getHeapSpaceStatistics().map((statistics) => ({
    space: statistics.space_name.replace(/_space$/, ''),
    total: statistics.space_size,
    used: statistics.space_used_size,
    available: statistics.space_available_size,
  }));
}
