/**
 * Records from rows that still are text in a network buffer. One loop runs the steps of all tables, so that it is
 * compiled and warm for each of them. The bytes are those of the writer of plain values.
 */
import { isUtf8 } from 'node:buffer';
import { endianness } from 'node:os';
import type { RawCells, RawStruct } from '@millrace/sdk';
import type { ByteOutput } from '../../byte-output';
import type { RawValueWriter } from '../../format';
import type { Encoding } from '../write/encoding';
import { putInteger } from '../write/integers';
import { Mismatch } from '../write/mismatch';
import { compilePlan } from './compile-plan';
import { LONG_PREFIX, Op, STEP, type RawPlan, type Step } from './raw-plan';
import type { SharedBytes } from './shared-bytes';

const MINUS = 0x2d;
const ZERO = 0x30;
const LETTER_T = 0x74;
/** More digits may be an integer that a double does not represent. */
const MOST_DIGITS = 15;
/** Up to this many bytes, a loop is faster than a call into the runtime. */
const SHORT = 64;
/** Of a length. */
const LENGTH_BYTES = 10;
const IS_LITTLE_ENDIAN = endianness() === 'LE';

/** Null: rows of the struct are written from plain values. */
export function rawValueWriter(
  struct: RawStruct,
  encoding: Encoding,
  shared: SharedBytes,
  begin: () => void,
): RawValueWriter | null {
  const plan = compilePlan(struct, encoding, shared);
  if (plan === null) return null;
  return {
    write: (row, output) => {
      begin();
      try {
        return writeRow(plan, row, output);
      } catch (error) {
        // Written again as a plain value, it gets the error that names the field.
        if (error instanceof Mismatch) return false;
        throw error;
      }
    },
  };
}

/** False: the output is to be discarded. Throws Mismatch for a value that does not fit. */
function writeRow(plan: RawPlan, row: RawCells, out: ByteOutput): boolean {
  const { bytes: source, spans, own, decoded } = row;
  if (!Number.isSafeInteger(own) || !plan.use(row.shared)) return false;
  const { steps, code, words, fixedBytes: fixed } = plan;
  out.reserve(fixed);
  let { bytes, view } = out;
  let at = out.length;
  for (let i = 0, c = 0; i < steps.length; i++, c += STEP) {
    const lastWord = code[c + 3] as number;
    for (let word = code[c + 2] as number, to = at; word < lastWord; word++, to += 4)
      view.setInt32(to, words[word] as number, IS_LITTLE_ENDIAN);
    at += code[c + 4] as number;
    const op = code[c] as Op;
    if (op <= Op.Digits) {
      if (op === Op.Own) at = putInteger(bytes, at, own);
      else if (op === Op.Digits) at = putDigitsOf(bytes, at, own);
      else if (op === Op.DigitsLength) at = putInteger(bytes, at, (code[c + 1] as number) + digitsOf(own));
      continue;
    }
    const index = code[c + 1] as number;
    const prefix = code[c + 5] as number;
    if (op === Op.Decoded) {
      out.length = at;
      const value = decoded?.[index];
      if (!putDecoded(stepOf(steps, i), value, out)) return false;
      out.reserve(fixed);
      ({ bytes, view } = out);
      at = out.length;
      continue;
    }
    const start = spans[index * 2] as number;
    if (start < 0) {
      const { nullBytes } = stepOf(steps, i);
      if (nullBytes === null) return false;
      at = putBytes(bytes, at, nullBytes);
      continue;
    }
    if (prefix >= 0) bytes[at++] = prefix;
    else if (prefix === LONG_PREFIX) at = putBytes(bytes, at, stepOf(steps, i).prefix);
    const end = spans[index * 2 + 1] as number;
    let after = -1;
    switch (op) {
      case Op.String: {
        const room = end - start + LENGTH_BYTES + fixed;
        if (at + room > bytes.length) {
          out.length = at;
          out.reserve(room);
          ({ bytes, view } = out);
        }
        after = putText(source, start, end, bytes, at);
        break;
      }
      case Op.Integer:
        after = putDigits(source, start, end, bytes, at);
        break;
      case Op.Number: {
        const number = stepOf(steps, i).read(source, start, end);
        after = Number.isSafeInteger(number) ? putInteger(bytes, at, number) : -1;
        break;
      }
      case Op.Decimal:
        after = putDecimal(bytes, at, stepOf(steps, i).read(source, start, end));
        break;
      case Op.Ascii:
        after = stepOf(steps, i).put(source, start, end, bytes, at + 1);
        bytes[at] = (after - at - 1) * 2;
        break;
      case Op.Boolean:
        bytes[at] = source[start] === LETTER_T ? 1 : 0;
        after = at + 1;
        break;
    }
    if (after < 0) {
      out.length = at;
      const { write, decode } = stepOf(steps, i);
      write(decode(source, start, end), out);
      out.reserve(fixed);
      ({ bytes, view } = out);
      after = out.length;
    }
    at = after;
  }
  out.length = at;
  return true;
}

const stepOf = (steps: readonly Step[], i: number): Step => steps[i] as Step;

/** Few. @returns where they end, as all functions below */
function putBytes(target: Buffer, from: number, bytes: Uint8Array): number {
  let at = from;
  for (let i = 0; i < bytes.length; i++) target[at++] = bytes[i] as number;
  return at;
}

/** @returns -1 when the general writer must write it */
function putText(source: Buffer, start: number, end: number, bytes: Buffer, from: number): number {
  const length = end - start;
  let at = putInteger(bytes, from, length);
  if (length > SHORT) {
    if (!isUtf8(source.subarray(start, end))) return -1;
    source.copy(bytes, at, start, end);
    return at + length;
  }
  let all = 0;
  for (let i = start; i < end; i++) {
    const byte = source[i] as number;
    all |= byte;
    bytes[at++] = byte;
  }
  return all > 0x7f && !isUtf8(source.subarray(start, end)) ? -1 : at;
}

/** @returns as `putText` */
function putDigits(source: Buffer, start: number, end: number, bytes: Buffer, from: number): number {
  const first = source[start] === MINUS ? start + 1 : start;
  const length = end - first;
  // Zeros before other digits are no text of a server.
  if (length === 0 || length > MOST_DIGITS || (source[first] === ZERO && (length > 1 || first > start))) return -1;
  let value = 0;
  for (let i = first; i < end; i++) {
    const digit = (source[i] as number) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return putInteger(bytes, from, first === start ? value : -value);
}

/** Big-endian two's complement of minimal length, after the length. @returns as `putText` */
function putDecimal(bytes: Buffer, from: number, value: number): number {
  if (!Number.isSafeInteger(value)) return -1;
  let length = 1;
  for (let limit = 128; value >= limit || value < -limit; limit *= 256) length++;
  bytes[from] = length * 2;
  let rest = value;
  for (let at = from + length; at > from; at--) {
    const byte = ((rest % 256) + 256) % 256;
    bytes[at] = byte;
    rest = (rest - byte) / 256;
  }
  return from + 1 + length;
}

/** With the sign. */
function digitsOf(value: number): number {
  const magnitude = Math.abs(value);
  let digits = value < 0 ? 2 : 1;
  for (let limit = 10; magnitude >= limit; limit *= 10) digits++;
  return digits;
}

function putDigitsOf(bytes: Buffer, from: number, value: number): number {
  const end = from + digitsOf(value);
  if (value < 0) bytes[from] = MINUS;
  let rest = Math.abs(value);
  let at = end;
  do {
    const digit = rest % 10;
    bytes[--at] = ZERO + digit;
    rest = (rest - digit) / 10;
  } while (rest > 0);
  return end;
}

/** False: null is not allowed. */
function putDecoded({ prefix, nullBytes, write }: Step, value: unknown, out: ByteOutput): boolean {
  if (value === null || value === undefined) {
    if (nullBytes === null) return false;
    out.append(nullBytes);
    return true;
  }
  out.append(prefix);
  write(value, out);
  return true;
}
