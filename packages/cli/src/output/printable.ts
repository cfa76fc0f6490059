/**
 * Control characters of servers, records and plugins must not reach a terminal: they could move its cursor, hide text,
 * or change its settings. Only the colours of `colours.ts` remain. Marks that change the direction of text, and
 * invisible characters, could show one name as another.
 */
import { CONTROLS, escapeControls } from '@millrace/texts/escape-controls';
import type { CliIo, CliOutput } from '../io';

const COLOUR = '\\u001b\\[(?:0|1|3[1236]|90)m';
const CONTROL = new RegExp(`${COLOUR}|[${CONTROLS}]|\\p{Surrogate}`, 'gu');
const CONTROL_IN_LINES = new RegExp(`(?![\\n\\t])[${CONTROLS}]|\\p{Surrogate}`, 'gu');

/** The text on one line, with a blank instead of each control character. */
export function printable(text: string): string {
  return text.replace(CONTROL, (found) => (isColour(found) ? found : ' '));
}

/** Line breaks and tabs stay; every other control character, those of colours too, becomes a blank. */
export function printableLines(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(CONTROL_IN_LINES, ' ');
}

/** The same; the lines after the first are indented, so that none of them looks like a line of the log. */
export function indentedLines(text: string): string {
  return printableLines(text).replace(/\n(?! {4})/g, '\n    ');
}

/**
 * What a command has composed, as it may be written: line breaks, tabs and colours stay, every other control character
 * is escaped as in JSON, so that a JSON text keeps its values.
 */
export function writable(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(CONTROL, (found) => (found === '\n' || found === '\t' || isColour(found) ? found : escapeControls(found)));
}

function isColour(found: string): boolean {
  return found.startsWith('\u001b[');
}

const streams = new WeakMap<CliOutput, CliOutput>();

/**
 * Streams of a command that no control character of an answer gets through, whichever code writes it. `printable` and
 * JSON's escapes come first, where a text is composed; this is for what they miss.
 */
export function guardedIo(io: CliIo): CliIo {
  const [stdout, stderr] = [guarded(io.stdout), guarded(io.stderr)];
  return {
    // A getter, as that of the process: reading it opens stdin.
    get stdin() {
      return io.stdin;
    },
    stdout,
    stderr,
    env: io.env,
    cwd: io.cwd,
    onSignal: (listener) => io.onSignal(listener),
    onCrash: (listener) => io.onCrash(listener),
  };
}

/** The stream itself, to move the cursor. Texts of others must be made `writable` before they are written to it. */
export function unguarded(output: CliOutput): CliOutput {
  return streams.get(output) ?? output;
}

function guarded(output: CliOutput): CliOutput {
  const shown = withWrite(output, (text) => output.write(writable(text)));
  streams.set(shown, output);
  return shown;
}

/** The stream but for `write`. */
export function withWrite(output: CliOutput, write: (text: string) => unknown): CliOutput {
  return new Proxy(output, {
    get: (target, key) => {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
