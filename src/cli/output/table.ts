/** Tables as kubectl prints them: columns of texts, two blanks apart. */
import { stripVTControlCharacters } from 'node:util';

/** Other characters than the colours of `colours.ts` must not reach a terminal. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x1a\x1c-\x1f\x7f-\x9f]|\x1b(?!\[[0-9;]{1,8}m)/g;

const GAP = '  ';

/** @returns lines, each with a line ending; trailing blanks are dropped */
export function tableText(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map((cell) => cell.replace(CONTROL, ' ')));
  const widths = headings.map((_, i) => lines.reduce((most, row) => Math.max(most, width(row[i] ?? '')), 0));
  const text = (row: readonly string[]): string =>
    headings.map((_, i) => (row[i] ?? '') + ' '.repeat((widths[i] as number) - width(row[i] ?? ''))).join(GAP);
  return lines.map((row) => `${text(row).trimEnd()}\n`).join('');
}

function width(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
