/**
 * Numbers in memory that two threads share: one writes, any reads, nobody asks the other. So figures of a thread that
 * is stuck or gone can be read as well. Both sides build the same objects in the same order, which is what gives each
 * its cells.
 */
export class Cells {
  private taken = 0;
  private readonly view: Float64Array;

  /** Without memory nothing can be kept: only `size` is of use then. */
  constructor(memory: SharedArrayBuffer | null) {
    this.view = new Float64Array(memory ?? new SharedArrayBuffer(0));
  }

  /** Memory for what `build` takes of it, all zero. */
  static memoryFor(build: (cells: Cells) => void): SharedArrayBuffer {
    const counting = new Cells(null);
    build(counting);
    return new SharedArrayBuffer(counting.taken * Float64Array.BYTES_PER_ELEMENT);
  }

  /** Numbers of the next `count` cells: the first of them. */
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

/** A single number: a count, or a level that goes up and down. */
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
