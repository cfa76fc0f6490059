/**
 * Texts that start with the same characters. Finds the longest one at a position of another text with a single binary
 * search. Pure.
 */

export interface Form {
  /** What to find. */
  readonly text: string;
  /** What to show instead. */
  readonly shown: string;
}

interface Ranked {
  readonly form: Form;
  /** The longest other form that this one starts with. */
  readonly within: Ranked | null;
}

export class FormIndex {
  private readonly forms = new Map<string, Form>();
  private ranked: readonly Ranked[] | null = null;
  /** Upper bound of the length of a form. */
  private longest = 0;

  get size(): number {
    return this.forms.size;
  }

  add(form: Form): void {
    this.forms.set(form.text, form);
    this.longest = Math.max(this.longest, form.text.length);
    this.ranked = null;
  }

  delete(text: string): void {
    this.forms.delete(text);
    this.ranked = null;
  }

  /** The longest accepted form in `text` at this position. */
  find(text: string, at: number, accepts: (form: Form) => boolean): Form | undefined {
    // A match is the greatest form that sorts at or before the rest of the text, or a prefix of that form.
    let found = this.lastBefore(text, at);
    if (!found) return undefined;
    const common = commonLength(found.form.text, text, at);
    while (found && (found.form.text.length > common || !accepts(found.form))) found = found.within;
    return found?.form;
  }

  private lastBefore(text: string, at: number): Ranked | null {
    const ranked = (this.ranked ??= rank([...this.forms.values()]));
    const rest = text.slice(at, at + this.longest);
    let low = 0;
    let high = ranked.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranked[middle] as Ranked).form.text > rest) high = middle;
      else low = middle + 1;
    }
    return ranked[low - 1] ?? null;
  }
}

/** Sorted by characters, so that each form comes after its prefixes. */
function rank(forms: readonly Form[]): readonly Ranked[] {
  const open: Ranked[] = [];
  return [...forms]
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map((form) => {
      while (open.length > 0 && !form.text.startsWith((open.at(-1) as Ranked).form.text)) open.pop();
      const ranked = { form, within: open.at(-1) ?? null };
      open.push(ranked);
      return ranked;
    });
}

function commonLength(form: string, text: string, at: number): number {
  const most = Math.min(form.length, text.length - at);
  let common = 0;
  while (common < most && form.charCodeAt(common) === text.charCodeAt(at + common)) common++;
  return common;
}
