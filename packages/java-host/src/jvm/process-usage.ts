/** What a process uses, where the system tells it (Linux). */
import { readFile } from 'node:fs/promises';

/** Of the counters in /proc, on all systems that Node.js runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** Null: unknown. */
export async function processUsage(pid: number): Promise<ProcessUsage | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return text === null ? null : usageOf(text);
}

/** @param stat content of /proc/PID/stat */
export function usageOf(stat: string): ProcessUsage {
  // Its name, in parentheses, may contain any character. Its state is the third field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    cpuSeconds: (field(14) + field(15)) / TICKS_PER_SECOND,
    residentBytes: field(24) * PAGE_BYTES,
  };
}
