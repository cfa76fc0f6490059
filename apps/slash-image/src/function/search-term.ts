/** Longer ones are refused by the image API. */
const MAX_CHARACTERS = 50;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** What to look for, out of what the user typed behind the command. Empty when that is nothing. */
export function searchTerm(text: string): string {
  const plain = text
    .replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] as string)
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
  return [...plain].slice(0, MAX_CHARACTERS).join('').trimEnd();
}
