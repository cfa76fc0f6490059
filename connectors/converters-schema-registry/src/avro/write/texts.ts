/** Strings and bytes, each after its length. */
import type { ByteOutput } from '../../byte-output';
import { writeInteger } from './integers';

/** Up to this many characters, a loop is faster than a call into the runtime. Their length takes one byte. */
const SHORT = 48;
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

interface NativeWrites {
  utf8Write(text: string, at: number, length: number): number;
  latin1Write(text: string, at: number, length: number): number;
}

/** As UTF-8. Halves of surrogate pairs become question marks, as in Java. */
export function writeString(out: ByteOutput, text: string): void {
  const { length } = text;
  if (length > SHORT) {
    writeLong(out, text);
    return;
  }
  out.reserve(length + 1);
  const { bytes } = out;
  let at = out.length;
  bytes[at++] = length * 2;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) {
      writeLong(out, text);
      return;
    }
    bytes[at++] = code;
  }
  out.length = at;
}

function writeLong(out: ByteOutput, text: string): void {
  const size = Buffer.byteLength(text);
  if (size !== text.length && !(text as unknown as { isWellFormed(): boolean }).isWellFormed()) {
    writeLong(out, text.replace(LONE_SURROGATES, '?'));
    return;
  }
  writeInteger(out, size);
  out.reserve(size);
  const bytes = out.bytes as unknown as NativeWrites;
  if (size === text.length) bytes.latin1Write(text, out.length, size);
  else bytes.utf8Write(text, out.length, size);
  out.length += size;
}

export function writeBytes(out: ByteOutput, bytes: Uint8Array): void {
  writeInteger(out, bytes.length);
  out.append(bytes);
}
