/** Answers of servers as JSON objects, within bounds. */

const MOST_DEPTH = 32;
/** Schemas are texts, so that answers have few members. Each takes many times its bytes once parsed. */
const MOST_PARTS = 100_000;

export type Answer = Readonly<Record<string, unknown>>;

/** Null: it is not a JSON object, or is too deep. Members named as those of every object are data of the answer. */
export function parseAnswer(text: string): Answer | null {
  if (!isShallow(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Answer) : null;
  } catch {
    return null;
  }
}

/** Without parsing it, which would take memory first. */
function isShallow(text: string): boolean {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        at = endOfString(text, at);
        break;
      }
      case 0x5b:
      case 0x7b:
        if (++depth > MOST_DEPTH || ++parts > MOST_PARTS) return false;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
      case 0x2c:
        if (++parts > MOST_PARTS) return false;
    }
  }
  return true;
}

/** Where the string that starts at `start` ends: its quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x5c) at++;
    else if (char === 0x22) return at;
  }
  return text.length;
}
