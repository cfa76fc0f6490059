/** Each code in docs/errors.md has an anchor, such as `errors.html#PG_SLOT_LOST`, and the search finds it. */
import type { MarkdownRenderer } from 'vitepress';

const CODE = /^[A-Z][A-Z0-9_]+$/;

export const isErrorsPage = ({ path, realPath }: { readonly path: string; readonly realPath?: string }): boolean =>
  /\/docs\/errors\.md$/.test(realPath ?? path);

/** The codes of the first cell of each row, of which a row may have several. */
export function errorAnchors(md: MarkdownRenderer): void {
  md.core.ruler.push('error-anchors', ({ tokens, env }) => {
    if (!isErrorsPage(env)) return;
    const used = new Set<string>();
    for (const [i, { children }] of tokens.entries()) {
      const isFirstCell = tokens[i - 1]?.type === 'td_open' && tokens[i - 2]?.type === 'tr_open';
      for (const token of (isFirstCell && children) || []) {
        if (token.type !== 'code_inline' || !CODE.test(token.content) || used.has(token.content)) continue;
        used.add(token.content);
        token.attrSet('id', token.content);
      }
    }
  });
}

/** For the index of the search, whose results are sections: a row as a section for each of its codes. */
export const rowsAsSections = (html: string): string =>
  html.replaceAll(/<tr>\s*<td>(.*?)<\/td>(.*?)<\/tr>/gs, (row, first: string, others: string) => {
    const codes = Array.from(first.matchAll(/ id="([A-Z0-9_]+)"/g), ([, code]) => code);
    return codes.map((code) => `<h3>${code} <a href="#${code}">#</a></h3>${others}`).join('') || row;
  });

/** Words, as MiniSearch finds them, and whole codes. Runs in the browser, too, as its text: it can use nothing else. */
export const wordsAndCodes = (text: string): string[] => [
  ...text.split(/[\n\r\p{Z}\p{P}]+/u),
  ...(text.match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g) ?? []),
];
