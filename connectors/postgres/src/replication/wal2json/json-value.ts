/** A JSON value as the text that the server would send. Reused for every value. */
import { ascii } from '../../values/value-type';
import { BACKSLASH, malformed, NEAR, QUOTE } from './json-cursor';

/** Kept from value to value; longer texts get a buffer of their own. */
const SCRATCH_BYTES = 64 * 1024;

const ESCAPES = new Map([...'bfnrt"\\/'].map((name, i) => [name.charCodeAt(0), '\b\f\n\r\t"\\/'.charCodeAt(i)]));
const UNICODE = 0x75;

const TRUE = Buffer.from('t');
const FALSE = Buffer.from('f');

export class JsonValue {
  /** The text of the last value: between `start` and `end` of `buffer`. */
  buffer: Buffer = TRUE;
  start = 0;
  end = 0;
  private readonly scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  /** Returns null for null. @param isBytea the plugin leaves out the `\x` */
  read(source: Buffer, at: number, end: number, isBytea: boolean): 'text' | null {
    const first = source[at];
    if (first === QUOTE) {
      this.string(source, at + 1, end - 1, isBytea);
      return 'text';
    }
    if (first === 0x6e /* null */) return null;
    if (first === 0x74 /* true */ || first === 0x66 /* false */) {
      this.buffer = first === 0x74 ? TRUE : FALSE;
      this.start = 0;
      this.end = 1;
      return 'text';
    }
    // A number, with all its digits.
    this.buffer = source;
    this.start = at;
    this.end = end;
    return 'text';
  }

  private string(source: Buffer, at: number, end: number, isBytea: boolean): void {
    if (isBytea) {
      const target = this.target(end - at + 2);
      this.end = target.write('\\x', 0, 'latin1') + source.copy(target, 2, at, end);
      return;
    }
    const escape = source.subarray(at, end).indexOf(BACKSLASH);
    if (escape < 0) {
      this.buffer = source;
      this.start = at;
      this.end = end;
      return;
    }
    const target = this.target(end - at);
    let to = source.copy(target, 0, at, at + escape);
    for (let from = at + escape, far = from + NEAR; from < end; from++) {
      const byte = source[from] as number;
      if (byte !== BACKSLASH) {
        if (from < far) {
          target[to++] = byte;
          continue;
        }
        const run = source.subarray(from, end).indexOf(BACKSLASH);
        const next = run < 0 ? end : from + run;
        to += source.copy(target, to, from, next);
        from = next - 1;
        far = end;
        continue;
      }
      far = from + NEAR;
      const name = source[++from] as number;
      if (name === UNICODE) {
        to += target.write(String.fromCharCode(codeAt(source, from + 1, end)), to, 'utf8');
        from += 4;
        continue;
      }
      const meant = ESCAPES.get(name);
      if (meant === undefined) throw malformed('a string has an unknown escape');
      target[to++] = meant;
    }
    this.end = to;
  }

  /** Unescaped text is never longer than escaped text. */
  private target(bytes: number): Buffer {
    this.start = 0;
    this.buffer = bytes <= SCRATCH_BYTES ? this.scratch : Buffer.allocUnsafeSlow(bytes);
    return this.buffer;
  }
}

/** The four hexadecimal digits of an escape. The server escapes control characters only, so they are no surrogate. */
function codeAt(source: Buffer, at: number, end: number): number {
  const digits = ascii(source, at, Math.min(at + 4, end));
  if (!/^[0-9a-f]{4}$/i.test(digits)) throw malformed('a string has an unknown escape');
  return parseInt(digits, 16);
}
