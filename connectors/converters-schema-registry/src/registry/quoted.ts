/** Texts of servers in errors: on one line, and not endless. */
const MOST_CHARACTERS = 1_000;
/** Line ends, terminal controls, invisible ones and those that change the order of others. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

export function quoted(text: string, most = MOST_CHARACTERS): string {
  const cut = text.slice(0, most);
  const escaped = cut.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return text.length > most ? `${escaped}… (${text.length - most} more characters)` : escaped;
}
