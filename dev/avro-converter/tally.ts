/** Compares cases, and keeps the unexplained differences by their kind. */
import { inspect } from 'node:util';
import { seeded } from '../../test/helpers/seeded';
import { avroCase } from './avro-cases';
import type { Case } from './cases';
import { compareCase, type Compared, type Difference } from './comparison';
import { connectCase } from './connect-cases';
import { explain } from './explained-differences';
import type { JavaConverter } from './java-converter';
import { noted, SchemaTable } from './notation';
import { shrink } from './shrink';

/** Cases that are asked at once. */
const AT_ONCE = 50;

interface Kind {
  count: number;
  readonly seed: number;
  readonly one: Case;
  readonly difference: Difference;
}

export class Tally {
  compared = 0;
  /** Of these, how many both refuse. */
  refused = 0;
  invalid = 0;
  /** By reason. */
  readonly explained = new Map<string, number>();
  readonly kinds = new Map<string, Kind>();

  constructor(private readonly java: JavaConverter) {}

  /** Each case has its own seed, by which it can be asked alone. */
  async run(seed: number, cases: number): Promise<void> {
    for (let from = 0; from < cases; from += AT_ONCE) {
      const size = Math.min(AT_ONCE, cases - from);
      await Promise.all(Array.from({ length: size }, async (_, i) => await this.one(seed + from + i)));
    }
  }

  private async one(seed: number): Promise<void> {
    const one = caseOf(seed);
    this.add(one, await compareCase(this.java, one), seed);
  }

  /** Counts a case. @param seed of its case, or of its run */
  add(one: Case, { isInvalid, isRefused, differences }: Compared, seed: number): void {
    if (isInvalid) {
      this.invalid++;
      return;
    }
    this.compared++;
    if (isRefused) this.refused++;
    for (const difference of differences) {
      const why = explain(difference, one, differences);
      if (why !== null) {
        this.explained.set(why, (this.explained.get(why) ?? 0) + 1);
        continue;
      }
      const kind = kindOf(difference);
      const known = this.kinds.get(kind);
      if (known) known.count++;
      else this.kinds.set(kind, { count: 1, seed, one, difference });
    }
  }

  /** Counts, and of each kind of difference the smallest case that shows it. */
  async report(limit = 20): Promise<string> {
    const lines = [
      `${this.compared} cases compared, ${this.invalid} left out because Java has no such schema or value`,
    ];
    for (const [why, count] of [...this.explained].sort((a, b) => b[1] - a[1]))
      lines.push(`explained ${count}: ${why}`);
    const kinds = [...this.kinds].sort((a, b) => b[1].count - a[1].count);
    lines.push(`${kinds.length} kinds of unexplained differences`);
    for (const [kind, { count, seed, one, difference }] of kinds.slice(0, limit)) {
      const small = await shrink(one, async (smaller) => (await this.find(kind, smaller)) !== null);
      const found = (await this.find(kind, small)) ?? difference;
      lines.push('', `== ${count} times ${kind} (seed ${seed})`, shown(small));
      lines.push(`  Java: ${text(found.java)}`, `  ours: ${text(found.own)}`);
    }
    return lines.join('\n');
  }

  private async find(kind: string, one: Case): Promise<Difference | null> {
    const { differences } = await compareCase(this.java, one);
    return differences.find((other) => kindOf(other) === kind && explain(other, one, differences) === null) ?? null;
  }
}

export function caseOf(seed: number): Case {
  const random = seeded(Math.imul(seed, 0x9e3779b1));
  return random.chance(0.6) ? connectCase(random) : avroCase(random);
}

/** The end of the path, and of errors who reports which. */
function kindOf({ path, java, own }: Difference): string {
  const parts = path.split('.');
  const short = parts.length > 4 ? [...parts.slice(0, 2), '…', ...parts.slice(-2)].join('.') : path;
  if (!path.endsWith('.error')) return short;
  const first = (side: unknown): string =>
    Array.isArray(side)
      ? String(side.at(0))
          .replace(/["'`].*|\d.*/s, '')
          .slice(0, 60)
      : 'none';
  return `${short} (${first(java)} | ${first(own)})`;
}

const text = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')).slice(0, 1500);

function shown(one: Case): string {
  const head = `  ${one.kind} ${JSON.stringify(one.settings)}${one.isKey ? ' key' : ''}`;
  if (one.kind === 'read')
    return `${head}\n  ${JSON.stringify(one.avro)}\n  ${inspect(one.value, { depth: 9, breakLength: Infinity })}`;
  const table = new SchemaTable();
  if (one.schema !== null) table.add(one.schema);
  return `${head}\n  ${table.schemas.map((schema, i) => `${i}: ${JSON.stringify(schema)}`).join('\n  ')}\n  ${JSON.stringify(noted(one.schema, one.value))}`;
}
