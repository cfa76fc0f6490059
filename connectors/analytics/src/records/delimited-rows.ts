/** The rows of a delimited message, in which line breaks may be quoted. Pure. Source: analytics-sink §3.2, §3.4. */

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Each row without its line ending. Empty lines are no rows, as for the service; a message of nothing else is one empty
 * row.
 *
 * @param separator one character; null: the format escapes line breaks and has no quotes
 */
export function delimitedRows(bytes: Buffer, separator: string | null): readonly Buffer[] {
  const separatorByte = separator?.charCodeAt(0) ?? -1;
  const rows: Buffer[] = [];
  let start = 0;
  let isQuoted = false;
  let isFieldStart = true;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isQuoted) {
      if (byte === QUOTE) {
        if (bytes[at + 1] === QUOTE) at++;
        else isQuoted = false;
      }
      continue;
    }
    if (byte === LF) {
      addRow(rows, bytes, start, at);
      start = at + 1;
    } else if (byte === QUOTE && isFieldStart && separator !== null) isQuoted = true;
    isFieldStart = byte === separatorByte || byte === LF;
  }
  addRow(rows, bytes, start, bytes.length);
  return rows.length > 0 ? rows : [Buffer.alloc(0)];
}

function addRow(rows: Buffer[], bytes: Buffer, start: number, end: number): void {
  const last = end > start && bytes[end - 1] === CR ? end - 1 : end;
  if (last > start) rows.push(bytes.subarray(start, last));
}
