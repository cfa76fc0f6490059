/** Texts on a terminal: tables, sections, wrapped lines. */
import { stripVTControlCharacters } from 'node:util';
import { printable } from './printable';

const GAP = '  ';

/** How a table is made to fit a terminal. */
export interface Fit {
  /** Width of the terminal; 0 or undefined: unknown, every column is shown. */
  readonly columns?: number | undefined;
  /** Headings of the columns that a narrow terminal does not show, the least important first. */
  readonly optional?: readonly string[];
}

/**
 * A table as kubectl prints it. If it is too wide, it has no optional columns; if it still is, the first column is on a
 * line above the others; then each cell has a line. No cell is ever cut.
 * @returns lines, each with a line ending; trailing blanks are dropped
 */
export function tableText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { columns, optional = [] }: Fit = {},
): string {
  const lines = [headings, ...rows].map((row) => headings.map((_, i) => printable(row[i] ?? '')));
  const widths = headings.map((_, i) => lines.reduce((most, row) => Math.max(most, width(row[i] as string)), 0));
  const all = headings.map((_, i) => i);
  const flat = fitting(all, (shown) => rowWidth(shown, widths) <= (columns || Infinity));
  if (flat) return lines.map((row) => rowText(row, flat, widths)).join('');
  const below = fitting(all.slice(1), (shown) => GAP.length + rowWidth(shown, widths) <= (columns as number));
  if (below) return lines.map((row) => `${row[0] as string}\n${GAP}${rowText(row, below, widths)}`).join('');
  return lines
    .slice(1)
    .map((row) => cellsText(headings, row))
    .join('');

  /** The columns that are shown; undefined if they do not fit without the optional ones either. */
  function fitting(columnsLeft: readonly number[], fits: (shown: readonly number[]) => boolean) {
    let shown = columnsLeft;
    for (const heading of optional) {
      if (fits(shown)) break;
      shown = shown.filter((i) => headings[i] !== heading);
    }
    return fits(shown) ? shown : undefined;
  }
}

function rowWidth(shown: readonly number[], widths: readonly number[]): number {
  return shown.reduce((total, i) => total + (widths[i] as number), GAP.length * (shown.length - 1));
}

function rowText(row: readonly string[], shown: readonly number[], widths: readonly number[]): string {
  const cells = shown.map((i) => (row[i] as string) + ' '.repeat((widths[i] as number) - width(row[i] as string)));
  return `${cells.join(GAP).trimEnd()}\n`;
}

function cellsText(headings: readonly string[], [first = '', ...others]: readonly string[]): string {
  const cells = others.map((cell, i) => (cell === '' ? '' : `${GAP}${headings[i + 1] as string}: ${cell}\n`));
  return `${first}\n${cells.join('')}`;
}

/** What a text takes on a terminal; colours take nothing. */
export function width(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** A rate per second; `-`: unknown. */
export function rateText(value: number | null): string {
  return value === null ? '-' : value >= 100 ? String(Math.round(value)) : value.toFixed(1);
}

/** The latest time that a Date can have. */
const LATEST_MS = 8.64e15;

/** As log lines have it, in seconds. */
export function timeText(epochMs: number): string {
  return Math.abs(epochMs) > LATEST_MS ? 'unknown' : new Date(epochMs).toISOString().replace(/\.\d+Z$/, 'Z');
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
    if (line !== '' && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

const COLUMNS = 100;
const NARROWEST = 40;

/**
 * A paragraph, whose lines after the first are indented, so that no text of a server begins a line.
 * @param columns width of the terminal; 0 or undefined: unknown
 */
export function noteText(text: string, columns?: number): string {
  const lines = wrapText(printable(text), Math.max(columns || COLUMNS, NARROWEST) - GAP.length);
  return `${lines.join(`\n${GAP}`)}\n`;
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
