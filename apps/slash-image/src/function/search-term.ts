/** The image API rejects longer terms. */
const MAX_CHARACTERS = 50;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** The search term in the text that the user typed after the command. May be empty. */
export function searchTerm(text: string): string {
  const plain = text
    .replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] as string)
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
  return [...plain].slice(0, MAX_CHARACTERS).join('').trimEnd();
}
