/**
 * How far the partitions of a consumer are behind, in memory that the reader shares. The names are sent once, when a
 * partition is assigned for the first time; one that comes back uses its cells again. Ages are computed by the reader,
 * so they grow while the thread of the consumer is stuck.
 */
import { Cells, Figure } from './cells';

interface Partition {
  readonly topic: string;
  readonly partition: number;
}

/** Passed between threads; `memory` is shared. */
export interface NamedPartitionLag extends Partition {
  readonly memory: SharedArrayBuffer;
  /** Number of its entry in `memory`. */
  readonly entry: number;
}

/** Entries per piece of shared memory. */
const PIECE = 64;
/** Distinct partitions of one consumer; those beyond are not measured. */
export const MAX_PARTITION_LAGS = 10_000;

class PartitionCells {
  readonly assigned: Figure;
  /** End of what the consumer can read, according to the last response; negative: unknown. */
  readonly end: Figure;
  /** Next offset that the consumer returns; negative: unknown. */
  readonly position: Figure;
  /** Next offset that was not processed yet; negative: not tracked. */
  readonly processed: Figure;
  /** When the oldest record that is not processed was created, milliseconds since the epoch; 0: there is none. */
  readonly since: Figure;

  constructor(cells: Cells) {
    this.assigned = new Figure(cells);
    this.end = new Figure(cells);
    this.position = new Figure(cells);
    this.processed = new Figure(cells);
    this.since = new Figure(cells);
  }
}

const pieceMemory = (): SharedArrayBuffer => Cells.memoryFor((cells) => pieceIn(cells));
function pieceIn(cells: Cells): PartitionCells[] {
  return Array.from({ length: PIECE }, () => new PartitionCells(cells));
}

/** One partition, as its consumer sees it. */
export class PartitionLag {
  /** Returned by the consumer, and not processed yet. */
  private pending = false;
  /** Offset after the last record returned, and the record's time. */
  private returned = -1;
  private returnedAt = 0;

  constructor(
    private readonly cells: PartitionCells,
    private readonly tracked: () => boolean,
  ) {}

  assign(): void {
    const { assigned, end, position, processed, since } = this.cells;
    this.pending = false;
    end.set(-1);
    position.set(-1);
    processed.set(-1);
    since.set(0);
    assigned.set(1);
  }

  unassign(): void {
    this.cells.assigned.set(0);
  }

  /** A response has this end. */
  ended(end: number, now: number): void {
    this.cells.end.set(end);
    this.settle(now);
  }

  /** The position was set. */
  sought(offset: number, now: number): void {
    this.pending = false;
    this.cells.position.set(offset);
    if (this.tracked()) this.cells.processed.set(offset);
    this.settle(now);
  }

  /** Records were returned. Times are those of the first and the last one. @returns records behind */
  took(position: number, nextOffset: number, firstAt: number, lastAt: number, now: number): number {
    const { cells } = this;
    cells.position.set(position);
    if (this.tracked()) {
      if (cells.processed.value < 0) cells.processed.set(position);
      if (!this.pending) cells.since.set(timeOr(firstAt, cells.since.value || now, now));
      this.pending = true;
      this.returned = nextOffset;
      this.returnedAt = timeOr(lastAt, cells.since.value, now);
    }
    return Math.max(0, cells.end.value - position);
  }

  /** The position moved past offsets without records. */
  skipped(position: number, now: number): void {
    this.cells.position.set(position);
    if (this.pending || !this.tracked()) return;
    this.cells.processed.set(position);
    this.settle(now);
  }

  /** Everything before `nextOffset` is processed. */
  processedTo(nextOffset: number, now: number): void {
    const { cells } = this;
    if (this.pending && nextOffset >= this.returned) {
      this.pending = false;
      // Past what follows the last record, such as the end of its transaction.
      cells.processed.set(cells.position.value);
      // Those not returned yet are not older.
      cells.since.set(this.returnedAt);
    } else cells.processed.set(nextOffset);
    this.settle(now);
  }

  private settle(now: number): void {
    const { end, processed, since } = this.cells;
    if (processed.value < 0 || end.value < 0) return;
    if (end.value <= processed.value) since.set(0);
    else if (since.value === 0) since.set(now);
  }
}

/** Clocks of producers may be wrong, and old records have no time. */
function timeOr(recordedAt: number, otherwise: number, now: number): number {
  return recordedAt > 0 && recordedAt <= now ? recordedAt : otherwise;
}

/** All partitions of one consumer. */
export class PartitionLags {
  private readonly known = new Map<string, PartitionLag>();
  private piece: { readonly memory: SharedArrayBuffer; readonly cells: PartitionCells[] } | null = null;
  private unsent: NamedPartitionLag[] = [];
  private tracksProcessing = false;

  /** `publish` receives each partition once, before its first figures are of use. */
  constructor(private readonly publish: (partitions: readonly NamedPartitionLag[]) => void) {}

  /** The owner of the consumer reports what it has processed, with `processedTo`. */
  trackProcessing(): void {
    this.tracksProcessing = true;
  }

  /** Null beyond the limit. */
  of({ topic, partition }: Partition): PartitionLag | null {
    const name = `${partition} ${topic}`;
    const found = this.known.get(name);
    if (found !== undefined) return found;
    if (this.known.size >= MAX_PARTITION_LAGS) return null;
    const entry = this.known.size % PIECE;
    if (entry === 0 || this.piece === null) {
      const memory = pieceMemory();
      this.piece = { memory, cells: pieceIn(new Cells(memory)) };
    }
    const { memory, cells } = this.piece;
    const lag = new PartitionLag(cells[entry] as PartitionCells, () => this.tracksProcessing);
    this.known.set(name, lag);
    if (this.unsent.length === 0) queueMicrotask(() => this.send());
    this.unsent.push({ topic, partition, memory, entry });
    return lag;
  }

  private send(): void {
    const { unsent } = this;
    this.unsent = [];
    this.publish(unsent);
  }
}

/** One assigned partition, as it is reported. Null: unknown. */
export interface PartitionBehind extends Partition {
  /** Next offset that the consumer returns. */
  readonly position: number | null;
  /** Records between the consumer's position and the end. */
  readonly fetchLag: number | null;
  /** Records that are not processed; null if that is not tracked. */
  readonly records: number | null;
  /** Age of the oldest of them; 0 if there are none. */
  readonly seconds: number | null;
}

export class PartitionLagReader {
  private readonly partitions: { readonly name: Partition; readonly cells: PartitionCells }[] = [];
  private readonly pieces = new Map<SharedArrayBuffer, PartitionCells[]>();

  add(partitions: readonly NamedPartitionLag[]): void {
    for (const { topic, partition, memory, entry } of partitions) {
      const piece = this.pieces.get(memory) ?? pieceIn(new Cells(memory));
      this.pieces.set(memory, piece);
      const cells = piece[entry];
      if (cells !== undefined) this.partitions.push({ name: { topic, partition }, cells });
    }
  }

  read(now: number): PartitionBehind[] {
    return this.partitions.flatMap(({ name, cells }) => (cells.assigned.value === 1 ? [behind(name, cells, now)] : []));
  }
}

function behind({ topic, partition }: Partition, cells: PartitionCells, now: number): PartitionBehind {
  const [end, position, processed, since] = [cells.end, cells.position, cells.processed, cells.since].map(
    ({ value }) => value,
  ) as [number, number, number, number];
  const fetchLag = end < 0 || position < 0 ? null : Math.max(0, end - position);
  const records = end < 0 || processed < 0 ? null : Math.max(0, end - processed);
  const seconds = records === null ? null : since === 0 ? 0 : Math.max(0, now - since) / 1000;
  return { topic, partition, position: position < 0 ? null : position, fetchLag, records, seconds };
}
