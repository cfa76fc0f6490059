/**
 * The documentation as a site: `npm run docs`. Pages are the Markdown files of docs/ and the READMEs of the packages,
 * where the repository has them. Nothing is loaded from another host: fonts and the search index are part of the build.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { errorAnchors, isErrorsPage, rowsAsSections, wordsAndCodes } from './error-codes.mjs';
import { NOT_PAGES, pageOf } from './pages.mjs';
import { anchorOf, plainBraces, repositoryLinks } from './repository-links.mjs';
import { SIDEBAR } from './sidebar.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');

/** Browsers load no modules from a disk: such a page would have no search, and not even styles. */
const NEEDS_SERVER = `if (location.protocol === 'file:') addEventListener('DOMContentLoaded', () =>
  document.body.replaceChildren('This site needs a web server, and no network: npm run docs:preview'));`;

export default defineConfig({
  title: 'Millrace',
  head: [
    // Browsers would ask for one.
    ['link', { rel: 'icon', href: 'data:,' }],
    ['script', {}, NEEDS_SERVER],
  ],
  description: 'A Kafka Connect-compatible connector runtime for Node.js',
  lang: 'en',
  srcDir: '..',
  ...(process.env.DOCS_OUT_DIR !== undefined && { outDir: process.env.DOCS_OUT_DIR }),
  cacheDir: '../.cache/vitepress',
  srcExclude: NOT_PAGES,
  rewrites: (file) => pageOf(file) ?? file,
  // Addresses end in .html, so that any file server will do.
  cleanUrls: false,
  lastUpdated: false,
  markdown: {
    anchor: { slugify: anchorOf },
    // `{…}` is text, not attributes of what precedes it.
    attrs: { disable: true },
    config: (md) => {
      repositoryLinks(md, root, process.env.DOCS_SOURCE_URL);
      plainBraces(md);
      errorAnchors(md);
    },
  },
  // The index of all pages is one chunk.
  vite: { build: { chunkSizeWarningLimit: 4000 }, server: { watch: { ignored: ['**/dist/**', '**/.cache/**'] } } },
  themeConfig: {
    sidebar: SIDEBAR,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: { options: { tokenize: wordsAndCodes } },
        // Contracts and the changelog repeat every key and code, and would hide the pages that explain them.
        _render: (text, env, md) => {
          const html = md.render(text, env);
          if (isErrorsPage(env)) return rowsAsSections(html);
          return /\/(?:contracts\/(?!README)|CHANGELOG)/.test(env.path) ? '' : html;
        },
      },
    },
  },
});
