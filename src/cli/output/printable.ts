/**
 * Control characters of servers, records and plugins must not reach a terminal: they could move its cursor, hide text,
 * or change its settings. Only the colours of `colours.ts` remain. Marks that change the direction of text could show
 * one name as another.
 */
const CONTROL =
  // eslint-disable-next-line no-control-regex
  /[\x00-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\x1b(?!\[(?:0|1|3[1236]|90)m)/g;
// eslint-disable-next-line no-control-regex
const CONTROL_IN_LINES = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text on one line, with a blank instead of each control character. */
export function printable(text: string): string {
  return text.replace(CONTROL, ' ');
}

/** Line breaks and tabs stay; every other control character, those of colours too, becomes a blank. */
export function printableLines(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(CONTROL_IN_LINES, ' ');
}

/** The same; the lines after the first are indented, so that none of them looks like a line of the log. */
export function indentedLines(text: string): string {
  return printableLines(text).replace(/\n(?! {4})/g, '\n    ');
}
