/**
 * Text from the bytes of JSON, in the encodings that Jackson detects: UTF-8, UTF-16 and UTF-32, each with or without a
 * byte order mark. Malformed bytes are an error: U+FFFD in their place would be other data. Source: connect-runtime
 * §6.2.
 */
import { isUtf8 } from 'node:buffer';

/** Throws SyntaxError for bytes that are not text in their encoding. */
export function jsonText(bytes: Buffer): string {
  const first = bytes[0];
  // JSON in UTF-8 starts with two ASCII characters other than NUL, or with one alone.
  if (first !== undefined && (first === 0 || first > 0x7f || bytes[1] === 0)) return detectedText(bytes);
  return utf8Text(bytes);
}

/** Throws SyntaxError for bytes that are not UTF-8. */
export function utf8Text(bytes: Buffer, start = 0, end = bytes.length): string {
  const text = bytes.toString('utf8', start, end);
  // A text of Latin-1 characters is not even searched for U+FFFD. `includes` costs twice as much as `indexOf`.
  if (text.indexOf('\ufffd') >= 0 && !isUtf8(bytes.subarray(start, end)))
    throw new SyntaxError(`bytes that are not UTF-8, from byte ${start + firstDifference(bytes, start, text)}`);
  return text;
}

function firstDifference(bytes: Buffer, start: number, text: string): number {
  const again = Buffer.from(text);
  let at = 0;
  while (bytes[start + at] === again[at]) at++;
  return at;
}

type Encoding = 'UTF-8' | 'UTF-16BE' | 'UTF-16LE' | 'UTF-32BE' | 'UTF-32LE';

function detectedText(bytes: Buffer): string {
  const marked = fromMark(bytes);
  const encoding = marked?.encoding ?? fromZeros(bytes);
  const content = marked ? bytes.subarray(marked.size) : bytes;
  if (encoding === 'UTF-8') return utf8Text(content);
  if (encoding === 'UTF-32BE' || encoding === 'UTF-32LE') return utf32Text(content, encoding);
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    throw new SyntaxError(`bytes that are not ${encoding}`, { cause });
  }
}

/** A byte order mark counts only if two more bytes, at least, follow a pair: four in all, as for Jackson. */
function fromMark(bytes: Buffer): { readonly encoding: Encoding; readonly size: number } | null {
  if (bytes.length < 4) return null;
  const four = bytes.readUInt32BE(0);
  if (four === 0x0000feff) return { encoding: 'UTF-32BE', size: 4 };
  if (four === 0xfffe0000) return { encoding: 'UTF-32LE', size: 4 };
  if (four >>> 16 === 0xfeff) return { encoding: 'UTF-16BE', size: 2 };
  if (four >>> 16 === 0xfffe) return { encoding: 'UTF-16LE', size: 2 };
  return four >>> 8 === 0xefbbbf ? { encoding: 'UTF-8', size: 3 } : null;
}

/** JSON starts with an ASCII character: the zeros around it tell the encoding. */
function fromZeros(bytes: Buffer): Encoding {
  if (bytes.length >= 4) {
    const four = bytes.readUInt32BE(0);
    if (four >>> 8 === 0) return 'UTF-32BE';
    if ((four & 0x00ffffff) === 0) return 'UTF-32LE';
  }
  if (bytes.length < 2) return 'UTF-8';
  if (bytes[0] === 0) return 'UTF-16BE';
  return bytes[1] === 0 ? 'UTF-16LE' : 'UTF-8';
}

function utf32Text(bytes: Buffer, encoding: 'UTF-32BE' | 'UTF-32LE'): string {
  if (bytes.length % 4 !== 0)
    throw new SyntaxError(`bytes that are not ${encoding}: their number is not a multiple of 4`);
  const units = new Uint16Array(bytes.length / 2);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 4) {
    const code = encoding === 'UTF-32BE' ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
    if (code > 0x10ffff) throw new SyntaxError(`bytes that are not ${encoding}, from byte ${at}`);
    if (code > 0xffff) {
      units[length++] = 0xd7c0 + (code >> 10);
      units[length++] = 0xdc00 + (code & 0x3ff);
    } else units[length++] = code;
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
}
