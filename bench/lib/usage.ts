/** CPU and memory use of processes, from Linux's /proc. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Clock ticks per second in /proc, the same on every Linux architecture. */
const TICKS = 100;

/** User and system time of all the process's threads, in seconds. */
export function cpuSeconds(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] as string;
  const fields = afterName.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** CPU seconds of each thread that lives, with the name that the kernel has for it. */
export function threadSeconds(pid: number): { readonly name: string; readonly seconds: number }[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    const file = (name: string): string => readFileSync(`/proc/${pid}/task/${id}/${name}`, 'utf8');
    const seconds = Number(file('schedstat').split(' ')[0]) / 1e9;
    return { name: id === String(pid) ? 'main' : file('comm').trim(), seconds };
  });
}

function statusMegabytes(pid: number, key: 'VmRSS' | 'VmHWM'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
}

/** Current resident memory, in MiB. */
export const residentMegabytes = (pid: number) => statusMegabytes(pid, 'VmRSS');
/** Peak resident memory since the start of the process, or since `forgetPeak`. */
export const peakMegabytes = (pid: number) => statusMegabytes(pid, 'VmHWM');
export const forgetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** CPU seconds and peak memory of a process from now until `end` is called. */
export function measure(pid: number): { end(): { seconds: number; cpu: number; peak: number } } {
  forgetPeak(pid);
  const cpu = cpuSeconds(pid);
  const began = performance.now();
  return {
    end: () => ({
      seconds: (performance.now() - began) / 1000,
      cpu: cpuSeconds(pid) - cpu,
      peak: peakMegabytes(pid),
    }),
  };
}

/** CPU seconds of the whole machine since boot, and how many of them were idle. */
export function machineSeconds(): { total: number; idle: number } {
  const [, ...fields] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] as string).split(/\s+/);
  const ticks = fields.slice(0, 8).map(Number);
  return { total: ticks.reduce((sum, one) => sum + one, 0) / TICKS, idle: ((ticks[3] ?? 0) + (ticks[4] ?? 0)) / TICKS };
}
