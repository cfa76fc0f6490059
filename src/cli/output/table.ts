/** Tables as kubectl prints them: columns of texts, two blanks apart. */
import { stripVTControlCharacters } from 'node:util';
import { printable } from './printable';

const GAP = '  ';

/** @returns lines, each with a line ending; trailing blanks are dropped */
export function tableText(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map((cell) => printable(cell)));
  const widths = headings.map((_, i) => lines.reduce((most, row) => Math.max(most, width(row[i] ?? '')), 0));
  const text = (row: readonly string[]): string =>
    headings.map((_, i) => (row[i] ?? '') + ' '.repeat((widths[i] as number) - width(row[i] ?? ''))).join(GAP);
  return lines.map((row) => `${text(row).trimEnd()}\n`).join('');
}

function width(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
