/**
 * The steps that write the payload of a struct. What the loop reads for every row lies close together, so that many
 * tables fit into the processor's caches.
 */
import type { CellForm, SharedValues } from '@millrace/sdk';
import type { WritePayload } from './payload-writer';
import type { SharedTexts } from './shared-texts';

export const enum Op {
  /** Nothing but the text, which comes first in every step. */
  Text,
  /** The row's integer. */
  Own,
  String,
  Integer,
  Boolean,
  Number,
  Decimal,
  Ascii,
  /** A cell whose form has no shorter way here. */
  Cell,
  Decoded,
}

/** A literal, and the shared value after it, if there is one. */
export interface TextPart {
  readonly literal: Uint8Array;
  /** -1: none. */
  readonly slot: number;
  /** 1: a string without its closing quote; otherwise 0. */
  readonly open: number;
}

export interface Step {
  readonly op: Op;
  /** What comes before the value: names, punctuation, constants, and values that consecutive rows share. */
  readonly text: readonly TextPart[];
  /** Of the cell or decoded value. */
  readonly index: number;
  /** What a cell without a value becomes; null: no null is allowed. */
  readonly nullText: Uint8Array | null;
  readonly decode: CellForm['decode'];
  readonly read: (bytes: Buffer, start: number, end: number) => number;
  readonly put: (bytes: Buffer, start: number, end: number, target: Uint8Array, to: number) => number;
  /** Upper bound of what the value takes, besides strings and decoded values. */
  readonly size: number;
  /** Writes a value of any kind. */
  readonly write: WritePayload;
}

/** Numbers in `Plan.code` for each step: its op, its index, its text's first word, the word after it, and its bytes. */
export const STEP = 5;
/** Numbers in `shared` for each shared value in a text: its slot, whether it is open, its length and its place. */
const SHARED = 4;

export class Plan {
  readonly code: Int32Array;
  /** The texts of all steps, each filled up to a word of four bytes, in the order of the machine. */
  words = new Int32Array(0);
  /** Upper bound of what is written besides strings and decoded values. */
  fixedBytes = 0;
  private bytes = new Uint8Array(0);
  private readonly shared: Int32Array;
  /** The shared values that the texts hold. */
  private values: SharedValues | null = null;

  constructor(readonly steps: readonly Step[]) {
    this.code = Int32Array.from(steps.flatMap(({ op, index }) => [op, index, 0, 0, 0]));
    const parts = steps.flatMap(({ text }) => text.filter(({ slot }) => slot >= 0));
    this.shared = Int32Array.from(parts.flatMap(({ slot, open }) => [slot, open, 0, 0]));
  }

  /** Call before a row is written. Values as long as the last ones take their places. */
  use(values: SharedValues, texts: SharedTexts): void {
    if (values === this.values) return;
    texts.use(values);
    const { shared } = this;
    const { starts } = texts;
    let fits = this.values !== null;
    for (let i = 0; i < shared.length; i += SHARED) {
      const slot = shared[i] as number;
      const length = (starts[slot + 1] as number) - (starts[slot] as number) - (shared[i + 1] as number);
      if (shared[i + 2] === length) continue;
      shared[i + 2] = length;
      fits = false;
    }
    if (!fits) this.layOut();
    const { bytes } = this;
    for (let i = 0; i < shared.length; i += SHARED) {
      let from = starts[shared[i] as number] as number;
      let to = shared[i + 3] as number;
      for (const end = from + (shared[i + 2] as number); from < end; from++) bytes[to++] = texts.bytes[from] as number;
    }
    this.values = values;
  }

  /** Gives each text its place, with room for the shared values. */
  private layOut(): void {
    const { steps, code, shared } = this;
    const literals: (readonly [Uint8Array, number])[] = [];
    let at = 0;
    let next = 0;
    let sizes = 0;
    for (const [i, { text, size, nullText }] of steps.entries()) {
      const start = at;
      for (const { literal, slot } of text) {
        literals.push([literal, at]);
        at += literal.length;
        if (slot < 0) continue;
        shared[next + 3] = at;
        at += shared[next + 2] as number;
        next += SHARED;
      }
      const length = at - start;
      at = Math.ceil(at / 4) * 4;
      code.set([start / 4, at / 4, length], i * STEP + 2);
      sizes += size + (nullText?.length ?? 0);
    }
    this.words = new Int32Array(at / 4);
    this.bytes = new Uint8Array(this.words.buffer);
    for (const [literal, place] of literals) this.bytes.set(literal, place);
    this.fixedBytes = at + sizes;
  }
}
