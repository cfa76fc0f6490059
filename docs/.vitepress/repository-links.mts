/**
 * Links of the pages are those of the repository, so that they work there, too. This plugin of markdown-it turns them
 * into links of the site: to the page of the file or of the settings that it defines, or to the file in the repository
 * if `DOCS_SOURCE_URL` names where that can be read (`https://HOST/…/blob/main`). Without it, such a link is only its
 * text.
 */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { pageOf, REFERENCE } from './pages.mjs';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

export function repositoryLinks(md: MarkdownRenderer, root: string, sourceUrl: string | undefined): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const page: string = env.realPath ?? env.path;
    for (const { children } of tokens) {
      for (const [i, token] of (children ?? []).entries()) {
        if (token.type === 'link_open') rewrite(children as Token[], i, (href) => target(href, page));
      }
    }
  });

  /** Null: there is nothing to lead to. */
  function target(href: string, page: string): string | null {
    const [path = '', hash] = href.split('#');
    const file = relative(root, resolve(dirname(page), decodeURI(path))).replaceAll(sep, '/');
    const fragment = hash === undefined ? '' : `#${hash}`;
    const found = REFERENCE[file] ?? pageOf(file);
    if (found?.endsWith('.md')) return `/${found}${fragment}`;
    // A page's name that does not exist is left to the check of dead links.
    if (!existsSync(join(root, file))) return href;
    return sourceUrl === undefined ? null : `${sourceUrl.replace(/\/$/, '')}/${file}${fragment}`;
  }
}

function rewrite(tokens: Token[], at: number, target: (href: string) => string | null): void {
  const open = tokens[at] as Token;
  const href = open.attrGet('href') ?? '';
  if (/^(?:[a-z]+:|\/|#)/i.test(href)) return;
  const found = target(href);
  if (found !== null) {
    open.attrSet('href', found);
    return;
  }
  const close = tokens.findIndex(({ type }, i) => i > at && type === 'link_close') as number;
  for (const token of [open, tokens[close] as Token]) {
    token.type = 'text';
    token.tag = '';
    token.nesting = 0;
    token.content = '';
    token.attrs = null;
  }
}

/** The anchor of a heading, as GitHub and editors compute it: without punctuation, with a dash for each blank. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** Texts are not templates of Vue: braces in them are shown as they are. */
export function plainBraces({ renderer: { rules } }: MarkdownRenderer): void {
  for (const kind of ['text', 'code_inline'] as const) {
    const render = rules[kind] as NonNullable<(typeof rules)[typeof kind]>;
    rules[kind] = (...given) => render(...given).replaceAll('{{', '&#123;&#123;');
  }
}
