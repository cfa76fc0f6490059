/** A quoted part of an array's or hstore's text; `\` stands before characters that would end it. */
interface QuotedText {
  readonly text: string;
  /** Index after the closing quote. */
  readonly end: number;
}

/** Throws for a missing or unterminated quote. */
export function quotedText(text: string, start: number): QuotedText {
  if (text[start] !== '"') throw new SyntaxError(`a quote is missing at character ${start + 1}`);
  let out = '';
  for (let at = start + 1; at < text.length; at++) {
    const c = text[at] as string;
    if (c === '"') return { text: out, end: at + 1 };
    if (c === '\\') at++;
    out += text[at] ?? '';
  }
  throw new SyntaxError(`the quote at character ${start + 1} does not end`);
}
