/**
 * Bounds texts that may quote anything (records, request bodies, server responses), and hides the values of config
 * providers in those that have owners.
 */
import { hideProvidedValues, type Owners } from './provided-values';

/** Length of one message. Characters. */
export const TEXT_LIMIT = 2048;
/** A text that exceeds its limit by less is not cut, because the mark would be as long. */
const SLACK = 40;

export interface Cut {
  readonly text: string;
  /** Number of characters left out. */
  readonly omitted: number;
}

export interface BoundedTextOptions {
  /** Whose values are hidden. (Default: none, for text of a caller) */
  readonly owners?: Owners;
  /** Also hide short values where they stand as words. */
  readonly words?: boolean;
}

/** @example boundedText('x'.repeat(80_000), 3) === 'xxx… (79,997 more characters)' */
export function boundedText(text: string, limit = TEXT_LIMIT, options: BoundedTextOptions = {}): string {
  const cut = cutText(text, limit, options);
  return cut.text + cutMark(cut);
}

/** Searches across the cut, so that no part of a hidden value is left before it. */
export function cutText(text: string, limit: number, { owners, words = false }: BoundedTextOptions = {}): Cut {
  const end = text.length <= limit + SLACK ? text.length : wholeCharacters(text, limit);
  return { text: hideProvidedValues(text, owners, { end, words }), omitted: text.length - end };
}

export function cutMark({ omitted }: Cut): string {
  return omitted === 0 ? '' : `… (${omitted.toLocaleString('en-US')} more characters)`;
}

/** Does not split a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
