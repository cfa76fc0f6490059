/** Replaces resolved values in a text with their placeholders. */
import { boundedText, HiddenValues } from '@millrace/texts/redaction';

type Settings = Readonly<Record<string, string | null>>;

const MAX_CAUSES = 10;

export type HideResolved = (text: string, limit?: number) => string;

/** The same error, with resolved values hidden in its message and stack and in those of its causes. */
export function hideInError(error: unknown, hide: HideResolved, limit?: number): unknown {
  for (let at = error, depth = 0; at instanceof Error && depth < MAX_CAUSES; at = at.cause, depth++) {
    const { message, stack } = at;
    // Not assignments, because the message of some of Node's errors has no setter.
    Object.defineProperties(at, {
      message: { value: hide(message, limit), configurable: true, writable: true },
      ...(stack !== undefined && { stack: { value: hide(stack, stack.length), configurable: true, writable: true } }),
    });
  }
  return error;
}

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
