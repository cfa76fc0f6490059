/**
 * The steps that write a row in Avro. What the loop reads for every row lies close together, so that many tables fit
 * into the processor's caches.
 */
import type { CellForm, SharedValues } from '@millrace/sdk';
import type { Encoding } from '../write/encoding';
import type { SharedBytes } from './shared-bytes';

export const enum Op {
  /** Nothing but the literal, which comes first in every step. */
  Literal,
  /** The row's integer. */
  Own,
  /** The length of a text with the digits of the row's integer. */
  DigitsLength,
  /** These digits. */
  Digits,
  Decoded,
  String,
  Integer,
  Boolean,
  Number,
  Decimal,
  Ascii,
  /** A cell whose form has no shorter way here. */
  Cell,
}

/** Constant bytes, and the shared value after them, if there is one. */
export interface LiteralPart {
  readonly bytes: Uint8Array;
  /** Of `SharedBytes`; -1: none. */
  readonly entry: number;
}

export interface Step {
  readonly op: Op;
  readonly literal: readonly LiteralPart[];
  /** Of the cell or decoded value. For `DigitsLength` the length of the text without the digits and what is shared. */
  readonly index: number;
  /** For `DigitsLength`: what is shared, of `SharedBytes`. */
  readonly entry: number;
  /** Before a value that is not null. */
  readonly prefix: Uint8Array;
  /** What a cell without a value becomes; null: no null is allowed. */
  readonly nullBytes: Uint8Array | null;
  readonly decode: CellForm['decode'];
  readonly read: (bytes: Buffer, start: number, end: number) => number;
  readonly put: (bytes: Buffer, start: number, end: number, target: Uint8Array, to: number) => number;
  /** Upper bound of what the value takes, besides strings and decoded values. */
  readonly size: number;
  /** Appends a value that is not null, of any kind. */
  readonly write: Encoding['write'];
}

/**
 * Numbers in `RawPlan.code` for each step: its op, its index, its literal's first word, the word after it, its bytes,
 * and its prefix: one byte, or one of those below.
 */
export const STEP = 6;
export const NO_PREFIX = -1;
export const LONG_PREFIX = -2;
/** Numbers in `shared` for each shared value in a literal: its entry, its length and its place. */
const SHARED = 3;

export class RawPlan {
  readonly code: Int32Array;
  /** The literals of all steps, each filled up to a word of four bytes, in the order of the machine. */
  words = new Int32Array(0);
  /** Upper bound of what is written besides strings and decoded values. */
  fixedBytes = 0;
  private bytes = new Uint8Array(0);
  private readonly placed: Int32Array;
  /** The shared values that the literals hold. */
  private values: SharedValues | null = null;
  private fits = false;
  private isLaidOut = false;

  constructor(
    readonly steps: readonly Step[],
    private readonly shared: SharedBytes,
  ) {
    this.code = Int32Array.from(steps.flatMap(({ op, index, prefix }) => [op, index, 0, 0, 0, prefixOf(prefix)]));
    const parts = steps.flatMap(({ literal }) => literal.filter(({ entry }) => entry >= 0));
    this.placed = Int32Array.from(parts.flatMap(({ entry }) => [entry, -1, 0]));
  }

  /** Call before a row is written: values as long as the last ones take their places. False: one does not fit. */
  use(values: SharedValues): boolean {
    if (values !== this.values) {
      this.shared.use(values);
      this.fits = this.place();
      this.values = values;
    }
    return this.fits;
  }

  private place(): boolean {
    const { placed, shared } = this;
    const { starts, bytes: source } = shared;
    for (let i = 0; i < placed.length; i += SHARED) {
      const entry = placed[i] as number;
      if (!shared.fits(entry)) return false;
      const length = (starts[entry + 1] as number) - (starts[entry] as number);
      if (placed[i + 1] === length) continue;
      placed[i + 1] = length;
      this.isLaidOut = false;
    }
    if (!this.isLaidOut) this.layOut();
    const { bytes } = this;
    for (let i = 0; i < placed.length; i += SHARED) {
      let from = starts[placed[i] as number] as number;
      let to = placed[i + 2] as number;
      for (const end = from + (placed[i + 1] as number); from < end; from++) bytes[to++] = source[from] as number;
    }
    return true;
  }

  /** Gives each literal its place, with room for the shared values. */
  private layOut(): void {
    const { steps, code, placed, shared } = this;
    const constants: (readonly [Uint8Array, number])[] = [];
    let at = 0;
    let next = 0;
    let sizes = 0;
    for (const [i, { op, index, entry: head, literal, size, prefix, nullBytes }] of steps.entries()) {
      const start = at;
      for (const { bytes, entry } of literal) {
        constants.push([bytes, at]);
        at += bytes.length;
        if (entry < 0) continue;
        placed[next + 2] = at;
        at += placed[next + 1] as number;
        next += SHARED;
      }
      const length = at - start;
      at = Math.ceil(at / 4) * 4;
      code.set([start / 4, at / 4, length], i * STEP + 2);
      if (op === Op.DigitsLength) {
        const { starts } = shared;
        code[i * STEP + 1] = index + (starts[head + 1] as number) - (starts[head] as number);
      }
      sizes += size + prefix.length + (nullBytes?.length ?? 0);
    }
    this.words = new Int32Array(at / 4);
    this.bytes = new Uint8Array(this.words.buffer);
    for (const [bytes, place] of constants) this.bytes.set(bytes, place);
    this.fixedBytes = at + sizes;
    this.isLaidOut = true;
  }
}

function prefixOf(prefix: Uint8Array): number {
  return prefix.length === 0 ? NO_PREFIX : prefix.length === 1 ? (prefix[0] as number) : LONG_PREFIX;
}
