/**
 * Which functions took the CPU time of a profiled worker: all threads together, of the time in which they worked.
 * `BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profiles" npm run bench -- NAME`, then
 * `npm run bench -- profile /tmp/profiles [COUNT]` (Default: 12 functions). Functions of a bundle have its lines.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { figure, heading } from './lib/report';

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

const FOLDER = process.argv[2] ?? '/tmp/profiles';
const COUNT = Number(process.argv[3] ?? 12);
/** Of the profiler: nothing runs. */
const WAITS = '(idle)';

const micros = new Map<string, number>();
for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.cpuprofile'))) {
  const profile = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Profile;
  const names = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const place = url === '' ? '' : ` ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
      return [id, `${functionName || '(anonymous)'}${place}`];
    }),
  );
  profile.samples.forEach((sample, i) => {
    const name = names.get(sample) ?? '(unknown)';
    micros.set(name, (micros.get(name) ?? 0) + (profile.timeDeltas[i] ?? 0));
  });
}
micros.delete(WAITS);
const total = [...micros.values()].reduce((sum, one) => sum + one, 0);
heading(`${FOLDER}: ${(total / 1e6).toFixed(2)} s of work`);
for (const [name, time] of [...micros].sort(([, a], [, b]) => b - a).slice(0, COUNT))
  figure(name, `${((time / total) * 100).toFixed(1)} %`);
