/** Puts placeholders back into a text that may quote what they stand for. Pure. */

/** Shorter values are no secrets, and would be found inside ordinary words. */
const SHORTEST = 4;

type Settings = Readonly<Record<string, string | null>>;

export function hideResolved(text: string, asGiven: Settings, resolved: Settings): string {
  let hidden = text;
  for (const [key, value] of Object.entries(resolved)) {
    const placeholder = asGiven[key];
    if (value === null || placeholder == null || placeholder === value || value.trim().length < SHORTEST) continue;
    for (const form of new Set([value, value.trim(), JSON.stringify(value.trim()).slice(1, -1)]))
      hidden = hidden.replaceAll(form, () => placeholder);
  }
  return hidden;
}
