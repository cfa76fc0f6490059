/** What a plugin thread is doing, in memory that the worker can read when the thread does not answer any more. */
const LENGTH = 0;
const OWNER = 1;
const CALL = 2;
const HEADER_BYTES = 3 * Int32Array.BYTES_PER_ELEMENT;
const TEXT_BYTES = 512;

export class CurrentStep {
  private readonly cells: Int32Array;
  private readonly bytes: Uint8Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(HEADER_BYTES + TEXT_BYTES)) {
    this.cells = new Int32Array(memory, 0, 3);
    this.bytes = new Uint8Array(memory, HEADER_BYTES);
  }

  /**
   * A noun phrase, e.g. `the import of /plugins/a/index.js`; what is too long is cut. `call` is what asked for it,
   * `owner` the connector instance that it is done for.
   */
  write(step: string, { call, owner }: { readonly call: number; readonly owner: number }): void {
    // Encoded apart: a text decoder and encoder take no shared memory.
    const text = Buffer.from(step, 'utf8').subarray(0, TEXT_BYTES);
    Atomics.store(this.cells, LENGTH, 0);
    this.bytes.set(text);
    Atomics.store(this.cells, OWNER, owner);
    Atomics.store(this.cells, CALL, call);
    Atomics.store(this.cells, LENGTH, text.length);
  }

  /** Unless another call has written its own meanwhile. */
  clear(call: number): void {
    if (this.call !== call) return;
    Atomics.store(this.cells, LENGTH, 0);
    Atomics.store(this.cells, OWNER, 0);
    Atomics.store(this.cells, CALL, 0);
  }

  /** Empty: nothing that is known of. */
  get step(): string {
    return Buffer.from(this.bytes.slice(0, Atomics.load(this.cells, LENGTH))).toString('utf8');
  }

  /** 0: nobody in particular. */
  get owner(): number {
    return Atomics.load(this.cells, OWNER);
  }

  /** 0: none. */
  get call(): number {
    return Atomics.load(this.cells, CALL);
  }
}
