/** What an idle process costs: memory, CPU, and how often its threads wake up. From Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { figure } from './report';
import { cpuSeconds, residentMegabytes } from './usage';

/** Mebibytes of a line of `/proc/PID/smaps_rollup`, or of several. */
function rollup(pid: number, ...keys: readonly string[]): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const one = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
  return keys.reduce((sum, key) => sum + one(key), 0);
}

/** Per thread id: its name, and how often it has waited for something since it began. */
function threadWaits(pid: number): Map<string, { readonly name: string; readonly waits: number }> {
  const all = new Map<string, { name: string; waits: number }>();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const text = readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8');
    const waits = Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1]);
    all.set(id, { name: /^Name:\s+(.*)/m.exec(text)?.[1] ?? '', waits });
  }
  return all;
}

/** Prints the figures of the next `seconds`. */
export async function reportIdle(label: string, pid: number, seconds: number): Promise<void> {
  const before = threadWaits(pid);
  const cpu = cpuSeconds(pid);
  await sleep(seconds * 1000);
  const share = (cpuSeconds(pid) - cpu) / seconds;
  const after = threadWaits(pid);
  const perSecond = [...after].map(([id, { waits }]) => (waits - (before.get(id)?.waits ?? 0)) / seconds);
  figure(`${label}: RSS`, `${residentMegabytes(pid).toFixed(1)} MiB`);
  figure(`${label}: PSS, private`, `${rollup(pid, 'Pss').toFixed(1)}, ${privateMegabytes(pid).toFixed(1)} MiB`);
  figure(`${label}: CPU`, `${(share * 100).toFixed(2)} %`);
  const busiest = perSecond.sort((a, b) => b - a).slice(0, 3);
  const sum = perSecond.reduce((total, one) => total + one, 0);
  figure(`${label}: wake-ups a second`, sum.toFixed(1));
  figure(
    `${label}: of the busiest threads, of all`,
    `${busiest.map((one) => one.toFixed(1)).join(', ')} of ${after.size}`,
  );
}

const privateMegabytes = (pid: number) => rollup(pid, 'Private_Clean', 'Private_Dirty');
