/**
 * Values that config providers gave. Wherever one turns up in a text, the placeholder that it stands for is shown
 * instead: in any case of letters, trimmed, as a part of a list, escaped for JSON or a URL, or as the number it was
 * read as.
 */

import { AlikeForms, type Form } from './form-index';

/**
 * Shorter ones are found inside ordinary words: they are replaced as whole words, and only where the caller asks for
 * that.
 */
const SHORTEST = 4;
/** Forms of values; beyond it those that were used longest ago are forgotten. */
const MOST_FORMS = 20_000;
/** Two values that hide nothing: a text that leaves one out has named it. */
const BOOLEANS = ['true', 'false'];

/**
 * Letters alone, as in the name of a database: `postgres` hides nothing in `postgresql`, but would make it unreadable.
 */
const ORDINARY_WORD = /^[a-z]{1,12}$/;

export class HiddenValues {
  /** Those used longest ago come first. */
  private readonly forms = new Map<string, Form>();
  /** By their first characters. */
  private readonly alike = new Map<string, AlikeForms>();
  /** Length of the longest; null: to be found out. */
  private longest: number | null = 0;
  private changes = 0;

  /** Grows whenever there is something new to hide. */
  get version(): number {
    return this.changes;
  }

  /** @param shown the placeholder */
  add(value: string, shown: string): void {
    for (const text of formsOf(value)) {
      const known = this.forms.get(text);
      if (known) {
        this.forms.delete(text);
        this.forms.set(text, known);
      } else {
        this.addForm({ text, shown });
      }
    }
  }

  /** The placeholder, if the whole text is a value that is not short. */
  placeholderOf(text: string): string | undefined {
    return text.length < SHORTEST ? undefined : this.forms.get(fold(text))?.shown;
  }

  /** What another thread needs to hide the same; plain data. */
  snapshot(): readonly (readonly [text: string, shown: string])[] {
    return [...this.forms.values()].map(({ text, shown }) => [text, shown] as const);
  }

  learn(snapshot: ReturnType<HiddenValues['snapshot']>): void {
    for (const [text, shown] of snapshot) if (!this.forms.has(text)) this.addForm({ text, shown });
  }

  /**
   * The text up to `end`; a value that crosses it is replaced as a whole. `words`: those that are short are replaced,
   * too, where they stand alone.
   */
  hide(text: string, { end = text.length, words = false }: { end?: number; words?: boolean } = {}): string {
    if (this.forms.size === 0) return text.slice(0, end);
    const folded = fold(text.slice(0, end + this.longestLength()));
    let hidden = '';
    let from = 0;
    for (let at = 0; at < end;) {
      const found = this.at(folded, at, words);
      if (found) {
        hidden += text.slice(from, at) + found.shown;
        at += found.text.length;
        from = at;
      } else {
        at++;
      }
    }
    return from >= end ? hidden : hidden + text.slice(from, end);
  }

  private at(folded: string, at: number, words: boolean): Form | undefined {
    const long = this.alike
      .get(headOf(folded, at))
      ?.find(folded, at, ({ text }) => !(ORDINARY_WORD.test(text) && isInsideWord(folded, at, text.length)));
    if (long) return long;
    if (!words || isWordPart(folded, at - 1)) return undefined;
    for (let length = SHORTEST - 1; length > 0; length--) {
      const short = this.forms.get(folded.slice(at, at + length));
      if (short && !isInsideWord(folded, at, length)) return short;
    }
    return undefined;
  }

  private addForm(form: Form): void {
    this.changes++;
    this.forms.set(form.text, form);
    this.longest = Math.max(this.longestLength(), form.text.length);
    if (form.text.length >= SHORTEST) {
      const head = headOf(form.text, 0);
      const alike = this.alike.get(head) ?? new AlikeForms();
      alike.add(form);
      this.alike.set(head, alike);
    }
    const [oldest] = this.forms.keys();
    if (this.forms.size > MOST_FORMS && oldest !== undefined) this.forget(oldest);
  }

  private forget(text: string): void {
    this.forms.delete(text);
    if (text.length === this.longest) this.longest = null;
    const head = headOf(text, 0);
    const alike = this.alike.get(head);
    alike?.delete(text);
    if (alike?.size === 0) this.alike.delete(head);
  }

  private longestLength(): number {
    if (this.longest === null) {
      this.longest = 0;
      for (const text of this.forms.keys()) this.longest = Math.max(this.longest, text.length);
    }
    return this.longest;
  }
}

/** What was resolved in this thread, and what its maker told it: log lines, traces and error texts show none of it. */
export const providedValues = new HiddenValues();

function formsOf(value: string): Set<string> {
  const whole = value.trim();
  const forms = new Set<string>();
  if (BOOLEANS.includes(whole.toLowerCase())) return forms;
  // Parts that are short are ordinary words and numbers; the whole value may be a short one.
  const parts = whole.split(/[,\n\r]/).map((part) => part.trim());
  const long = parts.filter((part) => part.length >= SHORTEST && !BOOLEANS.includes(part));
  for (const text of [whole, ...long, ...secretWords(whole)]) {
    for (const form of [text, JSON.stringify(text).slice(1, -1), urlForm(text), ...numberForms(text)]) {
      if (form !== '') forms.add(fold(form));
    }
  }
  return forms;
}

function headOf(text: string, at: number): string {
  return text.slice(at, at + SHORTEST);
}

/** A server may quote one word of a longer text: those that are no ordinary words. */
function secretWords(text: string): string[] {
  return (text.match(/\w{8,}/g) ?? []).filter((word) => /\d/.test(word));
}

function urlForm(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half a surrogate pair: no URL holds it.
    return '';
  }
}

/** `+010` is shown as 10, and `1.5e8` as 150000000 or in Java's way. */
function numberForms(text: string): string[] {
  const number = /^[+-]?[\d.]{1,30}(?:e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(number)) return [];
  const exact = /^[+-]?\d+$/.test(text) ? [BigInt(text.replace('+', '')).toString()] : [];
  return [...exact, String(number), number.toExponential().replace('e+', 'e')];
}

/** Letters of ASCII alone, so that no place in a text moves. */
function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function isInsideWord(text: string, at: number, length: number): boolean {
  return isWordPart(text, at - 1) || isWordPart(text, at + length);
}

function isWordPart(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}
