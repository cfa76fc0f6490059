/**
 * Compares the speed of two commits: runs benchmarks in small sizes on the old commit and the new one in turns, and
 * prints each figure's medians, ratio and spread, and what fell. Exit code 1: a figure is worse in all pairs.
 * `npm run bench -- check [OLD] [NEW] [--pairs 3] [--only NAME,NAME] [--json FILE]` (Default: the newest release tag,
 * else the merge base with main, and HEAD). The benchmarks are those of the working tree, for both commits: a worker of
 * the commit runs in its own process. Benchmarks inside one process (postgres-decode, converter, produce, codecs) are
 * not part of it, because they import the code that they measure. `BENCH_QUIET=COMMAND` runs each benchmark under a
 * command, e.g. one that takes a lock of the machine.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka, givenCluster } from '../dev/services/kafka';
import { ROOT } from '../dev/services/paths';
import { checkArguments } from './lib/check/arguments';
import { checkOut, newCommit, oldCommit, runBounded, type Commit } from './lib/check/commits';
import { PLAN, type PlannedBench } from './lib/check/plan';
import { compare, hasFallen, line, order, type Comparison, type Pair, type Side } from './lib/check/verdict';
import { readFigures, type Figure } from './lib/figures';
import { benchmark, machine } from './lib/report';

const QUIET = (process.env.BENCH_QUIET ?? '').split(' ').filter(Boolean);

benchmark(async (atEnd) => {
  const wanted = checkArguments(
    process.argv.slice(2),
    PLAN.map(({ name }) => name),
  );
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));

  const after = newCommit(wanted.after);
  const before = oldCommit(wanted.before, after);
  const shown = ({ id, subject, reason }: Commit): string => `${id.slice(0, 8)} ${subject} (${reason})`;
  console.log(`old: ${shown(before)}\nnew: ${shown(after)}\n${machine()}; ${wanted.pairs} pairs, in turns`);
  const roots = { before: await checkOut(before, stop.signal), after: await checkOut(after, stop.signal) };

  const kafka = givenCluster() ?? (await startKafka({ heap: '-Xmx1g -Xms1g' }));
  atEnd(kafka.stop);
  const planned = PLAN.filter(({ name }) => wanted.only === null || wanted.only.includes(name));
  const comparisons: Comparison[] = [];
  for (const bench of planned) {
    if (!existsSync(join(ROOT, 'bench', `${bench.bench}.ts`))) {
      console.log(`\n${bench.name}: skipped, there is no bench/${bench.bench}.ts`);
      continue;
    }
    console.log(`\n${bench.name}: ${bench.bench} ${bench.args.join(' ')}`);
    const pairs: Pair[] = [];
    for (let at = 0; at < wanted.pairs; at++) {
      const pair: Record<Side, Figure[] | null> = { before: null, after: null };
      for (const side of order(at))
        pair[side] = await run(bench, side, roots[side], kafka.bootstrapServers, stop.signal);
      pairs.push(pair);
    }
    const compared = bench.figures.map((figure) => compare(figure, pairs));
    for (const one of compared) console.log(line(one));
    comparisons.push(...compared);
  }

  const fallen = comparisons.filter(hasFallen);
  console.log(fallen.length === 0 ? '\nNothing fell.' : '\nFell:');
  for (const one of fallen) console.log(line(one));
  if (fallen.length > 0) process.exitCode = 1;
  if (wanted.json !== null) {
    const date = new Date().toISOString().slice(0, 10);
    const result = { date, machine: machine(), before: before.id, after: after.id, pairs: wanted.pairs, comparisons };
    writeFileSync(wanted.json, `${JSON.stringify(result, null, 2)}\n`);
  }
});

/** @returns null, after a message, if the benchmark failed or took too long */
async function run(
  { bench, args, timeoutSeconds }: PlannedBench,
  side: Side,
  root: string,
  bootstrapServers: string,
  signal: AbortSignal,
): Promise<Figure[] | null> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-check-'));
  const json = join(folder, 'figures');
  const node = ['-r', join(ROOT, 'dev', 'register.js'), join(ROOT, 'bench', 'main.ts'), bench, ...args];
  const [command, ...rest] = [...QUIET, process.execPath, ...node] as [string, ...string[]];
  try {
    const env = { ...process.env, BENCH_ROOT: root, BENCH_JSON: json, BOOTSTRAP_SERVERS: bootstrapServers };
    const timeoutMs = timeoutSeconds * 1000;
    const { code, output } = await runBounded({ command, args: rest, cwd: ROOT, env, timeoutMs, signal });
    if (code === 0 && existsSync(json)) return readFigures(readFileSync(json, 'utf8'));
    const why = code === null ? `was killed after ${timeoutSeconds} s` : `failed with exit code ${code}`;
    console.log(`  ${bench} on the ${side === 'before' ? 'old' : 'new'} commit ${why}:\n${output.slice(-2000)}`);
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
