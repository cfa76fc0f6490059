/** Longer texts are rarely the same. Bytes. */
const LONGEST = 32;
/** A power of two. */
const SLOTS = 1024;

/** Short ASCII texts that are read again and again, such as the keys of offsets: without a call out of JavaScript. */
export class StringCache {
  /** Created with the first text: most sessions read few. */
  private slots: (string | undefined)[] | null = null;

  read(buffer: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return '';
    if (length > LONGEST) return buffer.toString('utf8', start, end);
    let hash = length;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (buffer[at] as number)) | 0;
    const slots = (this.slots ??= new Array<string | undefined>(SLOTS).fill(undefined));
    const slot = (hash ^ (hash >>> 10) ^ (hash >>> 20)) & (SLOTS - 1);
    const cached = slots[slot];
    if (cached !== undefined && isText(cached, buffer, start, length)) return cached;
    const text = buffer.toString('utf8', start, end);
    // Only of ASCII is each byte a character.
    if (text.length === length) slots[slot] = text;
    return text;
  }
}

/** False for a text that is not ASCII: its bytes are above 127, the characters of cached texts are not. */
function isText(text: string, buffer: Buffer, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== buffer[start + i]) return false;
  return true;
}
