/** Replaces resolved values in a text with their placeholders. */
import { boundedText } from '../../logging/bounded-text';
import { HiddenValues } from '../../logging/hidden-values';

type Settings = Readonly<Record<string, string | null>>;

export type HideResolved = (text: string, limit?: number) => string;

/**
 * For texts about these settings: hides values in `resolved` that are placeholders in `asGiven`. Short values are
 * hidden only as whole words. The result is bounded.
 */
export function hiderOf(asGiven: Settings, resolved: Settings): HideResolved {
  const hidden = new HiddenValues();
  for (const [key, value] of Object.entries(resolved)) {
    const placeholder = Object.hasOwn(asGiven, key) ? asGiven[key] : null;
    if (value !== null && placeholder != null && placeholder !== value) hidden.add(value, placeholder);
  }
  return (text, limit) => boundedText(hidden.hide(text, { words: true }), limit);
}
