/**
 * The newest log lines of each connector, in memory, for the REST API and the console. Only lines that were logged, as
 * they were logged: redacted, and of a level that is on. Constant work per line.
 */
import type { Subject } from './line-subject';
import type { LogLevel } from './format-line';

export interface RecentLine {
  /** Increases within this process. */
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly level: LogLevel;
  readonly logger: string;
  readonly task: number | null;
  /** Message, fields and stacks. */
  readonly text: string;
}

export interface RecentLinesBounds {
  readonly linesPerConnector: number;
  /** Of all lines together. Estimated. */
  readonly bytes: number;
  /** Of one line. Characters. */
  readonly text: number;
}

const BOUNDS: RecentLinesBounds = { linesPerConnector: 200, bytes: 1024 * 1024, text: 2_048 };
/** A line without its text, with its part of the maps. */
const LINE_BYTES = 200;

interface Kept {
  readonly connector: string;
  readonly line: RecentLine;
}

export class RecentLines {
  /** By sequence, the oldest first. */
  private readonly all = new Map<number, Kept>();
  /** Sequences of each connector's lines, the oldest first. */
  private readonly connectors = new Map<string, Set<number>>();
  private sequence = 0;
  private bytes = 0;

  constructor(private readonly bounds = BOUNDS) {}

  add({ connector, task }: Subject, line: Omit<RecentLine, 'sequence' | 'task'>): void {
    const { linesPerConnector, bytes, text } = this.bounds;
    const shown = line.text.length <= text ? line.text : `${line.text.slice(0, text - 1)}…`;
    const sequence = ++this.sequence;
    this.all.set(sequence, { connector, line: { ...line, sequence, task, text: shown } });
    this.bytes += bytesOf(shown);
    const own = this.connectors.get(connector) ?? new Set();
    own.add(sequence);
    this.connectors.set(connector, own);
    if (own.size > linesPerConnector) this.drop(first(own));
    while (this.bytes > bytes) this.drop(first(this.all.keys()));
  }

  /** The oldest first. */
  of(connector: string): readonly RecentLine[] {
    return [...(this.connectors.get(connector) ?? [])].flatMap((sequence) => this.all.get(sequence)?.line ?? []);
  }

  private drop(sequence: number): void {
    const kept = this.all.get(sequence);
    if (!kept) return;
    this.all.delete(sequence);
    this.bytes -= bytesOf(kept.line.text);
    const own = this.connectors.get(kept.connector);
    own?.delete(sequence);
    if (own?.size === 0) this.connectors.delete(kept.connector);
  }
}

function first(sequences: Iterable<number>): number {
  for (const sequence of sequences) return sequence;
  return 0;
}

function bytesOf(text: string): number {
  return LINE_BYTES + 2 * text.length;
}
