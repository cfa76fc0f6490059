/**
 * The JSON documents of a message: the service reads several from one file of format multijson, and from one line.
 * Source: analytics-sink §3.2, §5.12.
 */

/** The texts of the documents; empty for a blank message. @throws SyntaxError */
export function jsonDocuments(text: string): readonly string[] {
  try {
    JSON.parse(text);
    return [text];
  } catch (error) {
    const documents = split(text);
    // The error for the whole text states its position.
    if (documents === null) throw error;
    for (const document of documents) JSON.parse(document);
    return documents;
  }
}

/** Objects and arrays, one after the other; null for anything else. */
function split(text: string): string[] | null {
  const documents: string[] = [];
  for (let at = 0; at < text.length; at++) {
    if (isBlank(text, at)) continue;
    const end = afterClosing(text, at);
    if (end < 0) return null;
    documents.push(text.slice(at, end));
    at = end - 1;
  }
  return documents;
}

function isBlank(text: string, at: number): boolean {
  const char = text[at];
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}

/** Index after the bracket that closes the one at `start`; -1 if there is none. */
function afterClosing(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
    if (depth <= 0) return -1;
  }
  return -1;
}
