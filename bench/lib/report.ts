/** Prints a benchmark's report in a common format. */
import { cpus, totalmem } from 'node:os';
import { writeFigure } from './figures';

export const whole = (value: number) => Math.round(value).toLocaleString('en');

/** What runs the benchmark, for a report. */
export const machine = (): string =>
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${whole(totalmem() / 2 ** 30)} GiB`;

let lastHeading = '';

export function heading(text: string): void {
  lastHeading = text;
  console.log(`${text}\n  ${machine()}`);
}

export function figure(name: string, value: string, aim = ''): void {
  writeFigure(lastHeading, name, value);
  console.log(`  ${name.padEnd(44)} ${value.padStart(16)}${aim === '' ? '' : `   (aim: ${aim})`}`);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}

/** Runs the benchmark, then always its clean-up functions (`atEnd`). */
export function benchmark(work: (atEnd: (stop: () => Promise<unknown>) => void) => Promise<void>): void {
  const stops: (() => Promise<unknown>)[] = [];
  work((stop) => stops.push(stop))
    .catch((error: Error) => {
      process.exitCode = 1;
      console.error(error);
    })
    .finally(async () => {
      for (const stop of stops.reverse()) await stop().catch((error: Error) => console.error(error.message));
    });
}
