/** Memory of the process as the kernel counts it. */
import { readFileSync } from 'node:fs';

/** In bytes. Null: not known on this platform. */
export interface MemorySizes {
  readonly resident: number | null;
  readonly virtual: number | null;
  /** Data segment: heaps of V8 and of native code. */
  readonly data: number | null;
}

/** @throws Error when the memory cannot be read */
export function processMemory(platform: NodeJS.Platform = process.platform): MemorySizes {
  if (platform === 'linux') return memorySizesIn(readFileSync('/proc/self/status', 'utf8'));
  return { resident: process.memoryUsage.rss(), virtual: null, data: null };
}

/** @param status text of /proc/PID/status */
export function memorySizesIn(status: string): MemorySizes {
  const size = (name: string): number | null => {
    const [, kilobytes] = new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  };
  return { resident: size('VmRSS'), virtual: size('VmSize'), data: size('VmData') };
}
