/**
 * Texts that begin alike, found in another text by one search for each place in it, however many they are. Pure.
 */

/** Something that is looked for. */
export interface Form {
  readonly text: string;
  readonly shown: string;
}

interface Ranked {
  readonly form: Form;
  /** The longest of the others that this one begins with. */
  readonly within: Ranked | null;
}

export class AlikeForms {
  private readonly forms = new Map<string, Form>();
  private ranked: readonly Ranked[] | null = null;
  /** No form is longer than this. */
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

  /** The longest that stands in `text` at this place and is accepted. */
  find(text: string, at: number, accepts: (form: Form) => boolean): Form | undefined {
    // What begins the rest of the text is the greatest form that is not greater than it, or that one begins with it.
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

/** In the order of their characters; each comes after those that it begins with. */
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
