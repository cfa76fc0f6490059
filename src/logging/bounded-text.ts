/**
 * Texts that may quote anything (records, documents of callers, answers of servers), bounded and without what config
 * providers gave. Pure.
 */
import { type HiddenValues, providedValues } from './hidden-values';

/** Of one message, whatever it quotes. Characters. */
export const TEXT_LIMIT = 2048;
/** So much more than its limit is left as it is: the mark would be as long. */
const SLACK = 40;

export interface Cut {
  readonly text: string;
  /** Characters that were left out. */
  readonly omitted: number;
}

export interface BoundedTextOptions {
  readonly hidden?: HiddenValues;
  /** Short values are hidden as well, where they stand as words. */
  readonly words?: boolean;
}

/** @example boundedText('x'.repeat(80_000), 3) === 'xxx… (79,997 more characters)' */
export function boundedText(text: string, limit = TEXT_LIMIT, options: BoundedTextOptions = {}): string {
  const cut = cutText(text, limit, options);
  return cut.text + cutMark(cut);
}

/** What is hidden is looked for in the whole text, so that none of it is left at the cut. */
export function cutText(text: string, limit: number, { hidden = providedValues, words }: BoundedTextOptions = {}): Cut {
  const end = text.length <= limit + SLACK ? text.length : wholeCharacters(text, limit);
  return { text: hidden.hide(text, { end, words: words ?? false }), omitted: text.length - end };
}

export function cutMark({ omitted }: Cut): string {
  return omitted === 0 ? '' : `… (${omitted.toLocaleString('en-US')} more characters)`;
}

/** Not between the two halves of one character. */
function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
