/** `millrace explain`: explains error codes. */
import { ConnectError, editDistance } from '@millrace/sdk';
import { writeAnswer } from '../output/answer';
import { wrapText } from '../output/layout';
import type { Invocation, VerbSpec } from '../program/command-spec';

/** What an error code means. */
export interface ErrorEntry {
  readonly code: string;
  /** E.g. `Connectors and tasks`. */
  readonly area: string;
  readonly happened: string;
  readonly cure: string;
}

/** @param readEntries all codes, in the order of their documentation */
export const explainCommand = (readEntries: () => readonly ErrorEntry[]): VerbSpec => ({
  name: 'explain',
  description:
    'Explain an error code: what happened, and what to do. The text may be a message or a trace that contains codes.',
  arguments: [{ name: '<text...>', description: 'the code, or a text that contains it' }],
  shared: ['output'],
  examples: [
    { command: 'explain TASK_STUCK', explanation: 'One code' },
    {
      command: "explain 'millrace: No answer from http://localhost:8083 (REST_UNREACHABLE)'",
      explanation: 'A message that was printed or logged',
    },
  ],
  run: (invocation) => run(invocation, readEntries()),
});

function run(invocation: Invocation, entries: readonly ErrorEntry[]): number {
  const { args, io } = invocation;
  const found = explain(args.join(' '), entries);
  writeAnswer(invocation, found, () => explanationText(found, io.stdout.columns));
  return 0;
}

/** The entries of all codes that the text contains. @throws ConnectError `CODE_NOT_FOUND` if there is none */
export function explain(text: string, entries: readonly ErrorEntry[]): readonly ErrorEntry[] {
  const byCode = new Map(entries.map((entry) => [entry.code, entry]));
  const upper = text.trim().toUpperCase();
  const single = byCode.get(upper);
  if (single) return [single];
  const codes = codesIn(text);
  const found = codes.flatMap((code) => byCode.get(code) ?? []);
  if (found.length > 0) return found;
  const [wanted = text.trim()] = codes;
  const nearest = nearestCodes(wanted, [...byCode.keys()]);
  const isWord = codes.length > 0 || !/\s/.test(wanted);
  throw new ConnectError(
    [
      isWord ? `There is no error code "${wanted.slice(0, 100)}".` : 'The text contains no error code of Millrace.',
      nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : 'All codes are listed in docs/errors.md.',
    ].join(' '),
    { code: 'CODE_NOT_FOUND' },
  );
}

/** Longer texts are cut: a trace begins with its error. */
const LONGEST_TEXT = 1024 * 1024;
const CODE = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,8}(?![A-Za-z0-9_])/g;

/** Words that look like codes, each once, in the order of the text. */
function codesIn(text: string): readonly string[] {
  return [...new Set(text.slice(0, LONGEST_TEXT).match(CODE) ?? [])];
}

const MOST_NAMES = 5;
const LONGEST_NAME = 100;

/** Known codes that may have been meant: those that contain the text, then those with the fewest different letters. */
export function nearestCodes(text: string, known: readonly string[]): readonly string[] {
  const words =
    text
      .slice(0, LONGEST_NAME)
      .toUpperCase()
      .match(/[A-Z0-9]+/g) ?? [];
  const wanted = words.join('_');
  if (wanted === '') return [];
  const most = Math.max(2, Math.floor(wanted.length / 3));
  return known
    .map((code) => ({ code, distance: code.includes(wanted) ? 0 : editDistance(wanted, code, most) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || (a.code < b.code ? -1 : 1))
    .slice(0, MOST_NAMES)
    .map(({ code }) => code);
}

const COLUMNS = 100;
const INDENT = '  ';

/** @param columns width of the terminal; 0 or undefined if unknown */
function explanationText(entries: readonly ErrorEntry[], columns?: number): string {
  const width = Math.max(columns || COLUMNS, 40);
  return entries
    .map(({ code, area, happened, cure }) =>
      [
        `${code}: ${area}`,
        '',
        ...indentedText(happened, width),
        '',
        `${INDENT}What to do:`,
        ...indentedText(cure, width),
        '',
      ].join('\n'),
    )
    .join('\n');
}

function indentedText(text: string, width: number): readonly string[] {
  return wrapText(text, width - INDENT.length).map((line) => INDENT + line);
}
