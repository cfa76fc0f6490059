/** Texts on a terminal: tables, sections, wrapped lines. */
import { stripVTControlCharacters } from 'node:util';
import { printable } from './printable';

const GAP = '  ';

/** A table as kubectl prints it. @returns lines, each with a line ending; trailing blanks are dropped */
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

/** `Name:  orders` for each, the values aligned. */
export function fieldsText(fields: readonly (readonly [name: string, value: string])[]): string {
  const shown = fields.map(([name, value]) => [printable(name), printable(value)] as const);
  const width = shown.reduce((most, [name]) => Math.max(most, name.length), 0);
  return shown.map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${value}`.trimEnd() + '\n').join('');
}

/** @param lines with line endings */
export function sectionText(heading: string, lines: readonly string[]): string {
  const text = lines.join('');
  return `\n${heading}:\n${text === '' ? '  none\n' : text}`;
}

export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

/**
 * The text in lines of at most `columns` characters, broken at blanks. Runs of white space count as one blank; a longer
 * word has a line of its own.
 */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

/** `{a: 1, b: "x"}` as `a=1 b="x"`. */
export function membersText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return memberText(value ?? null);
  return Object.entries(value)
    .map(([key, member]) => `${key}=${memberText(member)}`)
    .join(' ');
}

function memberText(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
