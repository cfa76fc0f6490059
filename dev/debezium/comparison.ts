/** Compares the records of both tasks in the order in which each returned them. */
import { DefinitionChanges } from './definition-changes';
import type { EventRecord } from './event-record';
import {
  columnsOptionalHere,
  explain,
  explainDebeziumOnly,
  explainMillraceOnly,
  SILENT_CHANGE,
} from './explained-differences';
import { RecordComparison, type Difference } from './record-differences';

/** Records ahead in which a record without a counterpart is sought. */
const LOOKAHEAD = 200;

export interface Unexplained {
  readonly event: string;
  readonly differences: readonly Difference[];
  readonly java: EventRecord | null;
  readonly own: EventRecord | null;
}

function operationOf({ value: [, json] }: EventRecord): string {
  if (json === null) return 'tombstone';
  const at = json.lastIndexOf('"op":"');
  return json.slice(at + 6, json.indexOf('"', at + 6));
}

/** Operation, topic and position: the same on both sides for the same record. */
function identity(record: EventRecord): string {
  const lsn = /"lsn":(\d+)/.exec(record.value[1] ?? '')?.[1] ?? '';
  const op = operationOf(record);
  return op === 'r' ? `r ${record.topic} ${record.key[1]}` : `${op} ${record.topic} ${lsn}`;
}

const shown = (value: unknown, length = 300): string => String(JSON.stringify(value)).slice(0, length);

function withoutSchemas(record: EventRecord | null): string {
  if (record === null) return 'none';
  const { topic, key, value, headers, sourceOffset } = record;
  const names = headers.map(([name]) => name).join();
  return `${topic} ${key[1]} ${value[1]?.slice(0, 2000)} [${names}] ${JSON.stringify(sourceOffset)}`;
}

/** `value.after._int4_array`: the same for all columns of a type. */
const kindOf = ({ event, differences }: Unexplained): string =>
  differences.length === 0 ? event : differences.map(({ path }) => path.replace(/\.[a-z]\d+_/g, '._')).join();

export class Comparison {
  pairs = 0;
  readonly definitionChanges = new DefinitionChanges();
  /** By reason. */
  readonly explained = new Map<string, number>();
  readonly unexplained: Unexplained[] = [];
  unexplainedCount = 0;
  private readonly comparison = new RecordComparison();
  private readonly kinds = new Set<string>();
  private previousOffset: string | null = null;

  /**
   * @param plugin `plugin.name` of both connectors
   * @param limit unexplained differences to keep in full, one of each kind
   * @param isSameCode both sides run Debezium, so that only what each run has of its own may differ
   */
  constructor(
    private readonly plugin = 'pgoutput',
    private readonly limit = 50,
    private readonly isSameCode = false,
  ) {}

  add(java: readonly EventRecord[], own: readonly EventRecord[]): void {
    let i = 0;
    let j = 0;
    while (i < java.length || j < own.length) {
      const left = java[i];
      const right = own[j];
      if (left && right && identity(left) === identity(right)) {
        this.pair(left, right);
        i++;
        j++;
        continue;
      }
      if (right && (!left || this.isAhead(own, j, left))) {
        this.single('Millrace', right);
        this.previousOffset = JSON.stringify(right.sourceOffset);
        j++;
      } else if (left) {
        this.single('Debezium', left);
        i++;
      }
    }
  }

  /** A session that ended with an error. */
  failed(error: string): void {
    this.unexplainable({ event: error, differences: [], java: null, own: null });
  }

  /** Counts, and both sides of the first unexplained differences. */
  report(): string {
    const lines = [`${this.pairs} pairs, ${this.unexplainedCount} with unexplained differences`];
    lines.push('explained differences of single fields or records:');
    for (const [why, count] of [...this.explained].sort((a, b) => b[1] - a[1])) lines.push(`  ${count} ${why}`);
    for (const { event, differences, java, own } of this.unexplained) {
      lines.push(`unexplained: ${event}`);
      for (const { path, java: left, own: right } of differences.slice(0, 10))
        lines.push(`  ${path}: Debezium ${shown(left)}, Millrace ${shown(right)}`);
      lines.push(`  Debezium: ${withoutSchemas(java)}`, `  Millrace: ${withoutSchemas(own)}`);
    }
    return lines.join('\n');
  }

  private isAhead(records: readonly EventRecord[], from: number, wanted: EventRecord): boolean {
    const of = identity(wanted);
    return records.slice(from, from + LOOKAHEAD).some((record) => identity(record) === of);
  }

  /** A record without a counterpart. */
  private single(side: 'Debezium' | 'Millrace', record: EventRecord): void {
    const why = this.isSameCode ? null : this.explainSingle(side, record);
    if (why !== null) this.count(why);
    else
      this.unexplainable({
        event: `only in ${side}: ${identity(record)}`,
        differences: [],
        java: side === 'Debezium' ? record : null,
        own: side === 'Millrace' ? record : null,
      });
  }

  private explainSingle(side: 'Debezium' | 'Millrace', record: EventRecord): string | null {
    const why = side === 'Debezium' ? explainDebeziumOnly(record) : explainMillraceOnly(record, this.plugin);
    return why ?? this.changedKey(record);
  }

  /** An update changes the key on the side that knows one. */
  private changedKey(record: EventRecord): string | null {
    if (this.plugin !== 'decoderbufs') return null;
    return this.definitionChanges.silent(record).some(({ key }) => key) ? SILENT_CHANGE : null;
  }

  private pair(java: EventRecord, own: EventRecord): void {
    this.pairs++;
    const { definitionChanges } = this;
    const all = this.comparison.differences(java, own);
    const pair = {
      java,
      own,
      plugin: this.plugin,
      definitionChange: definitionChanges.ofTransaction(own),
      unread: definitionChanges.unread(own),
      silent: definitionChanges.silent(own),
      optionalHere: columnsOptionalHere(all),
      op: operationOf(own),
      previousOffset: this.previousOffset,
    };
    const differences: Difference[] = [];
    for (const difference of all) {
      const why = explain(difference, pair, this.isSameCode);
      if (why === null) differences.push(difference);
      else this.count(why);
    }
    if ((pair.op === 'c' || pair.op === 'u') && pair.definitionChange === null) definitionChanges.read(own);
    if (differences.length > 0) this.unexplainable({ event: identity(own), differences, java, own });
    this.previousOffset = JSON.stringify(own.sourceOffset);
  }

  private count(why: string): void {
    this.explained.set(why, (this.explained.get(why) ?? 0) + 1);
  }

  private unexplainable(unexplained: Unexplained): void {
    this.unexplainedCount++;
    const kind = kindOf(unexplained);
    if (this.kinds.has(kind) || this.unexplained.length >= this.limit) return;
    this.kinds.add(kind);
    this.unexplained.push(unexplained);
  }
}
