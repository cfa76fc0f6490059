/**
 * Numbers in memory that threads share: one thread writes, any thread reads, and no message is needed. So the metrics
 * of a thread that is stuck or dead can still be read. Both sides build the same objects in the same order, which
 * assigns the same cells to each.
 */
export class Cells {
  private taken = 0;
  private readonly view: Float64Array;

  /** Without memory nothing is stored; only the number of cells is counted. */
  constructor(memory: SharedArrayBuffer | null) {
    this.view = new Float64Array(memory ?? new SharedArrayBuffer(0));
  }

  /** Zeroed memory for the cells that `build` takes. */
  static memoryFor(build: (cells: Cells) => void): SharedArrayBuffer {
    const counting = new Cells(null);
    build(counting);
    return new SharedArrayBuffer(counting.taken * Float64Array.BYTES_PER_ELEMENT);
  }

  /** Reserves `count` cells and returns the index of the first. */
  take(count: number): number {
    const first = this.taken;
    this.taken += count;
    return first;
  }

  get(cell: number): number {
    return this.view[cell] ?? 0;
  }
  set(cell: number, value: number): void {
    this.view[cell] = value;
  }
  add(cell: number, by: number): void {
    this.view[cell] = this.get(cell) + by;
  }
}

/** A single number: a counter, or a level that rises and falls. */
export class Figure {
  private readonly cell: number;

  constructor(private readonly cells: Cells) {
    this.cell = cells.take(1);
  }

  get value(): number {
    return this.cells.get(this.cell);
  }
  set(value: number): void {
    this.cells.set(this.cell, value);
  }
  add(by = 1): void {
    this.cells.add(this.cell, by);
  }
}
