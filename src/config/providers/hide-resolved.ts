/** Puts placeholders back into a text that may quote what they stand for. */
import { boundedText } from '../../logging/bounded-text';
import { HiddenValues } from '../../logging/hidden-values';

type Settings = Readonly<Record<string, string | null>>;

export type HideResolved = (text: string, limit?: number) => string;

/**
 * Of texts about these settings: hides what is in `resolved` where `asGiven` has placeholders, short values included
 * where they stand as words. The answer is bounded.
 */
export function hiderOf(asGiven: Settings, resolved: Settings): HideResolved {
  const hidden = new HiddenValues();
  for (const [key, value] of Object.entries(resolved)) {
    const placeholder = Object.hasOwn(asGiven, key) ? asGiven[key] : null;
    if (value !== null && placeholder != null && placeholder !== value) hidden.add(value, placeholder);
  }
  return (text, limit) => boundedText(hidden.hide(text, { words: true }), limit);
}
