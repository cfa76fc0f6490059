/** Text as the chat platform sends and shows it: `&`, `<` and `>` are entities. */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** For untrusted text in a message: `<!channel>` would notify everyone, `<https://…|…>` would be a link. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (char) => ENTITIES[char] as string);
}

/** The image API rejects longer terms. */
const MAX_CHARACTERS = 50;
const CHARACTERS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** The search term in the text that the user typed after the command. May be empty. */
export function searchTerm(text: string): string {
  const plain = text
    .replace(/&(?:amp|lt|gt);/g, (entity) => CHARACTERS[entity] as string)
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
  return [...plain].slice(0, MAX_CHARACTERS).join('').trimEnd();
}
