/** Figures of a benchmark for programs: one line of JSON each in the file that `BENCH_JSON` names. */
import { appendFileSync } from 'node:fs';

export interface Figure {
  /** What the benchmark measures, of the heading above the figure. */
  readonly heading: string;
  readonly name: string;
  /** In the order of the text, e.g. of `3.2 / 11.8 ms`. */
  readonly values: readonly number[];
  readonly text: string;
}

/** The numbers of a figure's text, without those in parentheses. */
export function numbersOf(text: string): number[] {
  const plain = text.replace(/\([^)]*\)/g, '');
  const found = plain.match(/(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?/g) ?? [];
  return found.map((number) => Number(number.replaceAll(',', '')));
}

export function writeFigure(heading: string, name: string, text: string): void {
  const file = process.env.BENCH_JSON;
  if (!file) return;
  const written: Figure = { heading, name: name.trim(), values: numbersOf(text), text };
  appendFileSync(file, `${JSON.stringify(written)}\n`);
}

export function readFigures(lines: string): Figure[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Figure);
}
