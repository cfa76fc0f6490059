/** Rows of csv, tsv, tsve, psv, scsv, sohsv, txt and raw. Source: analytics-sink §3.2, §7.7. */
import { KustoError } from '../kusto-error';

const SEPARATORS: Record<string, string> = { csv: ',', tsv: '\t', psv: '|', scsv: ';', sohsv: '\u0001' };

export function isDelimited(format: string): boolean {
  return format in SEPARATORS || ['tsve', 'txt', 'raw'].includes(format);
}

/** @throws KustoError for an open quote or rows of different lengths. */
export function parseDelimited(text: string, format: string): string[][] {
  if (format === 'raw') return [[text]];
  const rows =
    format === 'txt'
      ? lines(text).map((line) => [line])
      : format === 'tsve'
        ? lines(text).map((line) => line.split('\t').map(unescape))
        : quoted(text, SEPARATORS[format] ?? ',');
  const width = rows[0]?.length ?? 0;
  const odd = rows.findIndex((row) => row.length !== width);
  if (odd >= 0)
    throw new KustoError(
      'Stream_WrongNumberOfFields',
      `Row ${odd + 1} has ${rows[odd]?.length ?? 0} field(s), the first row has ${width}`,
    );
  return rows;
}

function lines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}

function unescape(field: string): string {
  return field.replaceAll(/\\([tnr\\])/g, (_, letter: string) => ({ t: '\t', n: '\n', r: '\r' })[letter] ?? '\\');
}

/** RFC 4180: quotes doubled inside quotes, line breaks allowed there; empty lines are no rows. */
function quoted(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const { row, end } = readRow(text, at, separator);
    if (row.length > 1 || row[0] !== '') rows.push(row);
    at = end;
  }
  return rows;
}

function readRow(text: string, start: number, separator: string): { row: string[]; end: number } {
  const row: string[] = [];
  let at = start;
  for (;;) {
    const { field, end } = text[at] === '"' ? quotedField(text, at, separator) : plainField(text, at, separator);
    row.push(field);
    if (text[end] === separator) at = end + 1;
    else return { row, end: text.startsWith('\r\n', end) ? end + 2 : end + 1 };
  }
}

function plainField(text: string, start: number, separator: string): { field: string; end: number } {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && !text.startsWith('\r\n', end)) end++;
  return { field: text.slice(start, end), end };
}

function quotedField(text: string, start: number, separator: string): { field: string; end: number } {
  let field = '';
  let at = start + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) throw new KustoError('Stream_ClosingQuoteMissing', `The quote at character ${start} is not closed`);
    field += text.slice(at, close);
    at = close + 1;
    if (text[at] !== '"') break;
    field += '"';
    at++;
  }
  // What stands between the closing quote and the separator belongs to the field.
  const rest = plainField(text, at, separator);
  return { field: field + rest.field, end: rest.end };
}
