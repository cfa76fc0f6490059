/** Colours, on a terminal only. NO_COLOR turns them off, FORCE_COLOR on. */
import type { CliIo, CliOutput } from '../io';
import { printable } from './printable';

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90, bold: 1 } as const;
type Colour = keyof typeof CODES;
export type Paint = (colour: Colour, text: string) => string;

/** @param output what is written to. (Default: stdout) */
export function hasColours(io: Pick<CliIo, 'stdout' | 'env'>, output: CliOutput = io.stdout): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = io.env;
  return NO_COLOR ? false : FORCE_COLOR ? FORCE_COLOR !== '0' : output.isTTY === true && TERM !== 'dumb';
}

/** @param output what the text is written to. (Default: stdout) */
export function paintOf(io: Pick<CliIo, 'stdout' | 'env'>, output: CliOutput = io.stdout): Paint {
  const isOn = hasColours(io, output);
  return (colour, text) => (isOn && text !== '' ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text);
}

const STATES: Readonly<Record<string, Colour>> = {
  RUNNING: 'green',
  FAILED: 'red',
  PAUSED: 'yellow',
  STOPPED: 'grey',
  UNASSIGNED: 'yellow',
  RESTARTING: 'yellow',
  failed: 'red',
  degraded: 'yellow',
  unknown: 'yellow',
  starting: 'yellow',
  running: 'green',
  paused: 'yellow',
  stopped: 'grey',
};

/** Paints a state of a connector or task, or the health of a connector. */
export function paintState(paint: Paint, state: string): string {
  const colour = Object.hasOwn(STATES, state) ? STATES[state] : undefined;
  return colour ? paint(colour, state) : printable(state);
}

/** @param health null: not measured, as by Java's workers */
export function paintHealth(paint: Paint, health: { readonly summary: string } | null): string {
  return health === null ? '–' : paintState(paint, health.summary);
}
