/**
 * Replaces values from config providers by their placeholders: in any letter case, trimmed, as an item of a list,
 * escaped for JSON or a URL, or as the number that the value was parsed to.
 */

import { FormIndex, type Form } from './form-index';

/** Shorter values also occur in ordinary words. They are replaced only as whole words, with the option `words`. */
const SHORTEST = 4;
/** Number of forms. Beyond it, the least recently added ones are dropped. */
const MOST_FORMS = 20_000;
/** Not hidden: with two possible values, a placeholder gives the value away. */
const BOOLEANS = ['true', 'false'];

/**
 * Only letters, such as a database name: hiding `postgres` inside `postgresql` protects nothing and is unreadable.
 */
const ORDINARY_WORD = /^[a-z]{1,12}$/;

export class HiddenValues {
  /** Least recently added first. */
  private readonly forms = new Map<string, Form>();
  /** By the first characters. */
  private readonly alike = new Map<string, FormIndex>();
  /** Length of the longest form; null: to be computed. */
  private longest: number | null = 0;
  private changes = 0;

  /** Increases when a form is added. */
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

  /** The placeholder, if the whole text is a value and not a short one. */
  placeholderOf(text: string): string | undefined {
    return text.length < SHORTEST ? undefined : this.forms.get(fold(text))?.shown;
  }

  /** Plain data, for `addSnapshot` in another thread. */
  snapshot(): readonly (readonly [text: string, shown: string])[] {
    return [...this.forms.values()].map(({ text, shown }) => [text, shown] as const);
  }

  addSnapshot(snapshot: ReturnType<HiddenValues['snapshot']>): void {
    for (const [text, shown] of snapshot) if (!this.forms.has(text)) this.addForm({ text, shown });
  }

  /** See `hideIn`. */
  hide(text: string, options?: HideOptions): string {
    return hideIn(text, [this], options);
  }

  get isEmpty(): boolean {
    return this.forms.size === 0;
  }

  /** The longest form at this position of a folded text. */
  match(folded: string, at: number, words: boolean): Form | undefined {
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
      const alike = this.alike.get(head) ?? new FormIndex();
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

  longestLength(): number {
    if (this.longest === null) {
      this.longest = 0;
      for (const text of this.forms.keys()) this.longest = Math.max(this.longest, text.length);
    }
    return this.longest;
  }
}

export interface HideOptions {
  readonly end?: number;
  readonly words?: boolean;
}

/**
 * Hides the values of all sets at once. Returns the text up to `end`; a value that crosses it is replaced as a whole.
 * `words`: also replace short values that stand alone.
 */
export function hideIn(
  text: string,
  sets: readonly HiddenValues[],
  { end = text.length, words = false }: HideOptions = {},
): string {
  const used = sets.filter((set) => !set.isEmpty);
  if (used.length === 0) return text.slice(0, end);
  const folded = fold(text.slice(0, end + Math.max(...used.map((set) => set.longestLength()))));
  let hidden = '';
  let from = 0;
  for (let at = 0; at < end;) {
    let found: Form | undefined;
    for (const set of used) {
      const match = set.match(folded, at, words);
      if (match && match.text.length > (found?.text.length ?? 0)) found = match;
    }
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

function formsOf(value: string): Set<string> {
  const whole = value.trim();
  const forms = new Set<string>();
  if (BOOLEANS.includes(whole.toLowerCase())) return forms;
  // Short items of a list are ordinary words and numbers. A short value as a whole is hidden.
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

/** Words of a longer text that a server may quote alone. Ordinary words are left out. */
function secretWords(text: string): string[] {
  return (text.match(/\w{8,}/g) ?? []).filter((word) => /\d/.test(word));
}

function urlForm(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // A lone surrogate cannot be part of a URL.
    return '';
  }
}

/** `+010` can appear as 10, and `1.5e8` as 150000000 or as Java prints it. */
function numberForms(text: string): string[] {
  const number = /^[+-]?[\d.]{1,30}(?:e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(number)) return [];
  const exact = /^[+-]?\d+$/.test(text) ? [BigInt(text.replace('+', '')).toString()] : [];
  return [...exact, String(number), number.toExponential().replace('e+', 'e')];
}

/** ASCII letters only, so that positions in the text do not shift. */
function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function isInsideWord(text: string, at: number, length: number): boolean {
  return isWordPart(text, at - 1) || isWordPart(text, at + length);
}

function isWordPart(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}
