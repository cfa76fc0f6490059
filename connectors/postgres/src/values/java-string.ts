/** Strings in Java's own binary forms. */

const HEADER = Buffer.from('aced0005', 'hex');
const SHORT_STRING = 0x74;
const LONG_STRING = 0x7c;
const MAX_SHORT = 0xffff;

/** What `ObjectOutputStream.writeObject` writes for a string. */
export function serializedJavaString(text: string): Buffer {
  const body = encodeModifiedUtf8(text);
  if (body.length <= MAX_SHORT) {
    const short = Buffer.of(SHORT_STRING, body.length >> 8, body.length & 0xff);
    return Buffer.concat([HEADER, short, body]);
  }
  const long = Buffer.alloc(9);
  long[0] = LONG_STRING;
  long.writeBigUInt64BE(BigInt(body.length), 1);
  return Buffer.concat([HEADER, long, body]);
}

/** Java's modified UTF-8: one to three bytes per UTF-16 unit, two for U+0000. */
export function encodeModifiedUtf8(text: string): Buffer {
  if (!/[\0\ud800-\udfff]/.test(text)) return Buffer.from(text, 'utf8');
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== 0 && unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Buffer.from(bytes);
}

export function decodeModifiedUtf8(bytes: Buffer): string {
  const units: string[] = [];
  for (let i = 0; i < bytes.length;) {
    const first = bytes[i++] as number;
    const next = (): number => (bytes[i++] ?? 0) & 0x3f;
    if (first < 0x80) units.push(String.fromCharCode(first));
    else if (first < 0xe0) units.push(String.fromCharCode(((first & 0x1f) << 6) | next()));
    else units.push(String.fromCharCode(((first & 0x0f) << 12) | (next() << 6) | next()));
  }
  return units.join('');
}
