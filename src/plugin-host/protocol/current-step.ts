/** What a plugin thread is doing, in shared memory that the worker can read when the thread no longer answers. */
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
   * `step`: a noun phrase, such as `the import of /plugins/a/index.js`; truncated to 512 bytes of UTF-8. `call`:
   * number of the call that runs it. `owner`: number of the connector instance it runs for.
   */
  write(step: string, { call, owner }: { readonly call: number; readonly owner: number }): void {
    // Encoded separately: text encoders and decoders do not accept shared memory.
    const text = Buffer.from(step, 'utf8').subarray(0, TEXT_BYTES);
    Atomics.store(this.cells, LENGTH, 0);
    this.bytes.set(text);
    Atomics.store(this.cells, OWNER, owner);
    Atomics.store(this.cells, CALL, call);
    Atomics.store(this.cells, LENGTH, text.length);
  }

  /** Does nothing if another call has written its step meanwhile. */
  clear(call: number): void {
    if (this.call !== call) return;
    Atomics.store(this.cells, LENGTH, 0);
    Atomics.store(this.cells, OWNER, 0);
    Atomics.store(this.cells, CALL, 0);
  }

  /** Empty: unknown. */
  get step(): string {
    return Buffer.from(this.bytes.slice(0, Atomics.load(this.cells, LENGTH))).toString('utf8');
  }

  /** Number of the connector instance. 0: none. */
  get owner(): number {
    return Atomics.load(this.cells, OWNER);
  }

  /** Number of the call. 0: none. */
  get call(): number {
    return Atomics.load(this.cells, CALL);
  }
}
