/** A command line as bash hands it to completion: as typed, with quotes and backslashes. Pure. */

export interface BashLine {
  /** Without quotes, before the current one. */
  readonly words: readonly string[];
  readonly current: string;
  /** How much of `current` readline leaves alone: up to the last separator or opening quote. Characters. */
  readonly kept: number;
  /** The quote that is open at the end. */
  readonly quote: '"' | "'" | '';
}

/** @param breaks bash's COMP_WORDBREAKS: readline replaces what follows the last of these characters */
export function parseBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let current = '';
  let isWord = false;
  let kept = 0;
  let quote: BashLine['quote'] = '';
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string;
    if (quote !== '' && char === quote) quote = '';
    else if (char === '\\' && quote !== "'") {
      current += line[++i] ?? '';
      isWord = true;
    } else if (quote !== '') current += char;
    else if (char === '"' || char === "'") {
      quote = char;
      isWord = true;
      kept = current.length;
    } else if (/\s/.test(char)) {
      if (isWord) words.push(current);
      current = '';
      isWord = false;
      kept = 0;
    } else {
      current += char;
      isWord = true;
      if (breaks.includes(char)) kept = current.length;
    }
  }
  return { words, current, kept, quote };
}

/** The text that readline puts in place of the current word. */
export function bashReply(word: string, { kept, quote }: Pick<BashLine, 'kept' | 'quote'>): string {
  const rest = word.slice(kept);
  if (quote === "'") return rest.replaceAll("'", `'\\''`);
  if (quote === '"') return rest.replace(/["$`\\]/g, '\\$&');
  return rest.replace(/[^\w.,:=@%+/-]/gu, '\\$&');
}
