/**
 * Payloads from rows that still are text in a network buffer. One loop runs the steps of all tables, so that it is
 * compiled and warm for each of them. The bytes are those of `PayloadWriter` for the plain value.
 */
import { isUtf8 } from 'node:buffer';
import { endianness } from 'node:os';
import type { RawCells, RawStruct } from '@millrace/sdk';
import { writeBase64Integer } from './base64-integer';
import { writeInteger, type OutputBuffer } from './output-buffer';
import type { PayloadWriter, WriterOptions } from './payload-writer';
import { Op, STEP, type Plan, type Step } from './raw-steps';
import { compilePlan } from './raw-plan';
import { SharedTexts } from './shared-texts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_T = 0x74;
const IS_LITTLE_ENDIAN = endianness() === 'LE';

/** What a byte of a text needs: 0 nothing, 1 a check that the text is UTF-8, 2 the general writer, else an escape. */
const ESCAPES = escapes();

function escapes(): Uint8Array {
  const table = new Uint8Array(256).fill(2, 0, 0x20).fill(1, 0x80, 0xf0).fill(2, 0xf0);
  const named = { '"': '"', '\\': '\\', '\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r' };
  for (const [character, letter] of Object.entries(named)) table[character.charCodeAt(0)] = letter.charCodeAt(0);
  return table;
}

export class RawWriter {
  private readonly shared = new SharedTexts();

  constructor(
    private readonly options: WriterOptions,
    private readonly writer: PayloadWriter,
    private readonly out: OutputBuffer,
  ) {}

  /** Null: this struct is written from plain values. */
  plan(struct: RawStruct): Plan | null {
    return compilePlan(struct, this.writer, this.options.decimalFormat);
  }

  /**
   * Writes the row as the plan says. False: a value does not fit, and the output is to be discarded. Throws `Mismatch`
   * for a decoded value that does not fit.
   */
  write(plan: Plan, row: RawCells): boolean {
    const { out } = this;
    const { bytes: source, spans, own } = row;
    if (!Number.isSafeInteger(own)) return false;
    plan.use(row.shared, this.shared);
    const { steps, code, words, fixedBytes: fixed } = plan;
    let bytes = out.reserve(fixed);
    let { view } = out;
    let at = out.length;
    for (let i = 0, c = 0; i < steps.length; i++, c += STEP) {
      const lastWord = code[c + 3] as number;
      for (let word = code[c + 2] as number, to = at; word < lastWord; word++, to += 4)
        view.setInt32(to, words[word] as number, IS_LITTLE_ENDIAN);
      at += code[c + 4] as number;
      const op = code[c] as Op;
      if (op <= Op.Own) {
        if (op === Op.Own) at = writeInteger(bytes, at, own);
        continue;
      }
      const index = code[c + 1] as number;
      if (op === Op.Decoded) {
        out.moveTo(at);
        stepOf(steps, i).write(row.decoded?.[index]);
        bytes = out.reserve(fixed);
        ({ view } = out);
        at = out.length;
        continue;
      }
      const start = spans[index * 2] as number;
      const end = spans[index * 2 + 1] as number;
      if (start < 0) {
        const { nullText } = stepOf(steps, i);
        if (nullText === null) return false;
        for (let from = 0; from < nullText.length; from++) bytes[at++] = nullText[from] as number;
        continue;
      }
      let after = -1;
      switch (op) {
        case Op.String: {
          const room = (end - start) * 2 + 2 + fixed;
          if (at + room > bytes.length) {
            out.moveTo(at);
            bytes = out.reserve(room);
            ({ view } = out);
          }
          after = writeText(source, start, end, bytes, at);
          break;
        }
        case Op.Integer:
          after = writeDigits(source, start, end, bytes, at);
          break;
        case Op.Number:
          after = writeInteger(bytes, at, stepOf(steps, i).read(source, start, end));
          break;
        case Op.Decimal:
          after = writeBase64Integer(bytes, at, stepOf(steps, i).read(source, start, end));
          break;
        case Op.Ascii:
          bytes[at] = QUOTE;
          after = stepOf(steps, i).put(source, start, end, bytes, at + 1);
          bytes[after++] = QUOTE;
          break;
        case Op.Boolean:
          after = writeBoolean(source[start] === LETTER_T, bytes, at);
          break;
      }
      if (after < 0) {
        out.moveTo(at);
        const { write, decode } = stepOf(steps, i);
        write(decode(source, start, end));
        bytes = out.reserve(fixed);
        ({ view } = out);
        after = out.length;
      }
      at = after;
    }
    out.moveTo(at);
    return true;
  }
}

const stepOf = (steps: readonly Step[], i: number): Step => steps[i] as Step;

/** @returns where it ends; -1 when the general writer must write it */
function writeText(source: Buffer, start: number, end: number, bytes: Buffer, from: number): number {
  let at = from;
  let isChecked = false;
  bytes[at++] = QUOTE;
  for (let i = start; i < end; i++) {
    const c = source[i] as number;
    const escape = ESCAPES[c] as number;
    if (escape === 0) bytes[at++] = c;
    else if (escape === 1) {
      if (!isChecked) {
        if (!isUtf8(source.subarray(start, end))) return -1;
        isChecked = true;
      }
      bytes[at++] = c;
    } else if (escape === 2) return -1;
    else {
      bytes[at++] = BACKSLASH;
      bytes[at++] = escape;
    }
  }
  bytes[at++] = QUOTE;
  return at;
}

/** @returns as `writeText` */
function writeDigits(source: Buffer, start: number, end: number, bytes: Buffer, from: number): number {
  let at = from;
  let i = start;
  if (source[i] === MINUS) {
    bytes[at++] = MINUS;
    i++;
  }
  const length = end - i;
  // Zeros before other digits, and more digits than any integer has, are no text of a server.
  if (length === 0 || length > 19 || (source[i] === ZERO && (length > 1 || i > start))) return -1;
  for (; i < end; i++) {
    const c = source[i] as number;
    if (c < ZERO || c > NINE) return -1;
    bytes[at++] = c;
  }
  return at;
}

function writeBoolean(value: boolean, bytes: Buffer, from: number): number {
  const text = value ? 0x74727565 : 0x66616c73;
  bytes[from] = text >> 24;
  bytes[from + 1] = (text >> 16) & 255;
  bytes[from + 2] = (text >> 8) & 255;
  bytes[from + 3] = text & 255;
  if (value) return from + 4;
  bytes[from + 4] = 0x65;
  return from + 5;
}
