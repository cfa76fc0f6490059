/** Bytes as text, bounded. Pure. */

/** Of a key or value. Bytes. */
const MAX_BYTES = 4_096;

/**
 * UTF-8; a byte that is no part of it is shown as `\xNN`. Null for a null.
 * @example bytesText(Buffer.from([0x61, 0xff])) === 'a\\xff'
 */
export function bytesText(bytes: Uint8Array | null, limit = MAX_BYTES): string | null {
  if (bytes === null) return null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shown = buffer.length <= limit ? buffer : buffer.subarray(0, wholeCharacters(buffer, limit));
  const rest = buffer.length - shown.length;
  return decoded(shown) + (rest === 0 ? '' : `… (${rest.toLocaleString('en-US')} more bytes)`);
}

/** Does not split a character. */
function wholeCharacters(bytes: Buffer, limit: number): number {
  let end = limit;
  while (end > limit - 3 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return end;
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return [...characters(bytes)].join('');
  }
}

function* characters(bytes: Buffer): Iterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let at = 0; at < bytes.length;) {
    const length = lengthOf(bytes[at] as number);
    let text: string | null = null;
    try {
      text = length === 0 ? null : decoder.decode(bytes.subarray(at, at + length));
    } catch {
      // Not a character.
    }
    yield text ?? `\\x${(bytes[at] as number).toString(16).padStart(2, '0')}`;
    at += text === null ? 1 : length;
  }
}

/** Of a character, by its first byte; 0: it cannot be one. */
function lengthOf(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}
