/** Other escape sequences than the colours of `colours.ts` must not reach a terminal. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x1a\x1c-\x1f\x7f-\x9f]|\x1b(?!\[[0-9;]{1,8}m)/g;

/** The text with a blank instead of each control character. */
export function printable(text: string): string {
  return text.replace(CONTROL, ' ');
}
