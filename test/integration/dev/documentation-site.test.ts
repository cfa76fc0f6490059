/** `npm run docs`: all pages are there and linked, below any path, with a search index and nothing from other hosts. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import { removeSync } from 'fs-extra';
import { referencePages } from '../../../dev/docs/reference-pages';
import { freePort } from '../../../dev/services/free-port';
import { ROOT } from '../../../dev/services/paths';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { ForegroundCommand } from '../install/foreground';

const BASE = '/millrace/';
const SOURCE = 'https://source.example/blob/main';
const folder = mkdtempSync(join(tmpdir(), 'millrace-site-'));
afterAll(() => removeSync(folder));
const env = { ...process.env, DOCS_OUT_DIR: folder };
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const built = (extension: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(extension));
const pages = (): string[] => built('.html').filter((name) => name !== '404.html');

beforeAll(async () => {
  const args = ['run', 'docs', '--', '--base', BASE];
  // A dead link between pages fails the build.
  await promisify(execFile)('npm', args, { cwd: ROOT, env: { ...env, DOCS_SOURCE_URL: SOURCE } });
});

test('every Markdown file for users and developers is a page, and the sidebar leads to those for readers', () => {
  const folders = [':(glob)*.md', 'docs', 'connectors', 'apps', 'packages', 'deploy'];
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...folders], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const sources = files.split('\n').filter((file) => file.endsWith('.md'));
  expect(pages()).toHaveLength(sources.length + referencePages().size);
  expect(sources.length).toBeGreaterThan(40);
  const sidebar = hrefs(read('index.html'));
  for (const page of ['operations', 'cli', 'errors', 'metrics', 'compatibility', 'connectors/postgres', 'architecture'])
    expect(sidebar).toContain(`${BASE}${page}.html`);
});

const hrefs = (html: string): string[] =>
  Array.from(html.matchAll(/<a [^>]*?href="([^"]+)"/g), ([, href = '']) => href);

test('every link of a page leads to a page, and its fragment to an element of that page', () => {
  const ids = new Map(pages().map((page) => [page, new Set(read(page).match(/(?<= id=")[^"]+/g))]));
  const pageOf = (url: URL): string => decodeURI(url.pathname.slice(BASE.length)).replace(/(^|\/)$/, '$1index.html');
  const dead = [...ids.keys()].flatMap((page) => {
    const links = hrefs(read(page)).filter((href) => !/^[a-z]+:/.test(href));
    expect(links.length).toBeGreaterThan(0);
    return links.flatMap((href) => {
      const url = new URL(href, `http://site${BASE}${page}`);
      const target = ids.get(pageOf(url));
      const isFound = url.hash === '' || target?.has(decodeURIComponent(url.hash.slice(1)));
      return url.pathname.startsWith(BASE) && target && isFound ? [] : [`${page}: ${href}`];
    });
  });
  expect(dead).toEqual([]);
});

test('links to other files of the repository lead to where the source can be read', () => {
  const links = pages().flatMap((page) => hrefs(read(page)));
  const sources = links.filter((href) => href.startsWith(`${SOURCE}/`)).map((href) => href.slice(SOURCE.length + 1));
  expect(sources).toContain('deploy/prometheus/alerts.yaml');
  expect(sources.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test('links to tables of settings lead to the pages written from them', () => {
  expect(hrefs(read('index.html'))).toContain(`${BASE}reference/worker-settings.html`);
  expect(hrefs(read('connectors/postgres.html'))).toContain(`${BASE}reference/postgres-source.html`);
});

test('nothing is loaded from another host', () => {
  for (const page of built('.html')) {
    const tags = read(page).match(/<(?:script|link|img|iframe|source|video|audio|object|embed)\b[^>]*>/g) ?? [];
    const urls = tags.flatMap((tag) => tag.match(/(?<=\b(?:src|href|srcset|data)=")[^"]+/g) ?? []);
    expect(urls.length).toBeGreaterThan(3);
    expect(urls.filter((url) => !url.startsWith(BASE) && !url.startsWith('data:'))).toEqual([]);
    for (const url of urls.filter((one) => one.startsWith(BASE)))
      expect(existsSync(join(folder, decodeURI(url.slice(BASE.length))))).toBe(true);
  }
  const styles = built('.css').flatMap((file) => read(file).match(/url\([^)]*\)|@import[^;]*/g) ?? []);
  expect(styles.length).toBeGreaterThan(0);
  expect(styles.filter((url) => !/^url\(['"]?(?:\/millrace\/|data:|#)/.test(url))).toEqual([]);
});

/** MiniSearch's index: words, with the documents of each field that have it. */
interface Index {
  readonly documentIds: Readonly<Record<string, string>>;
  readonly index: readonly (readonly [word: string, fields: Readonly<Record<string, Record<string, number>>>])[];
}

test.each([
  ['autocreate', 'reference/postgres-source.html'],
  ['outbox', 'connectors/transforms-debezium.html'],
  ['jaas', 'operations.html'],
  ['completion', 'cli.html'],
  ['tombstones', 'connectors/file.html'],
])('the search finds %s in %s', (word, page) => {
  const [chunk = ''] = built('.js').filter((name) => name.includes('localSearchIndex'));
  const [, text = ''] = /=\s*(?:'|`)(\{.*\})(?:'|`);/s.exec(read(chunk)) ?? [];
  const { documentIds, index } = JSON.parse(text.replaceAll(/\\(['`\\$])/g, '$1')) as Index;
  const words = new Map(index);
  const fields = Object.values(words.get(word) ?? {});
  const found = fields.flatMap((documents) => Object.keys(documents).map((id) => documentIds[id]?.split('#')[0]));
  expect(found).toContain(`${BASE}${page}`);
});

/** Of the first cells of docs/errors.md. */
const codes = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8')
  .split('\n')
  .flatMap((line) => /^\| (`[A-Z][^|]*) \|/.exec(line)?.[1]?.match(/[A-Z][A-Z0-9_]+(?=`)/g) ?? []);

test('each error code has an anchor, and is a section of the search', () => {
  expect(codes.length).toBeGreaterThan(150);
  const ids = new Set(read('errors.html').match(/(?<=<code [^>]*id=")[^"]+/g));
  expect(codes.filter((code) => !ids.has(code))).toEqual([]);
  const [chunk = ''] = built('.js').filter((name) => name.includes('localSearchIndex'));
  const text = read(chunk);
  expect(codes.filter((code) => !text.includes(`${BASE}errors.html#${code}"`))).toEqual([]);
});

describeInBrowser('in a browser', () => {
  const browser = useBrowser();
  let server: Server;
  beforeAll(async () => {
    server = express().use(BASE, express.static(folder)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
  });
  afterAll(() => server.close());

  test('a word in the search leads to its page', async () => {
    const { port } = server.address() as AddressInfo;
    const page = await browser.open(`http://127.0.0.1:${port}${BASE}`);
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('outbox');
    const result = page.locator(`a[href*="${BASE}connectors/transforms-debezium.html"]`).filter({ hasText: /outbox/i });
    await result.first().click();
    await page.waitForURL(/\/connectors\/transforms-debezium\.html/);
    await page
      .getByRole('heading', { name: /outbox/i })
      .first()
      .waitFor();
  });

  test('an error code in the search leads to its row', async () => {
    const { port } = server.address() as AddressInfo;
    const page = await browser.open(`http://127.0.0.1:${port}${BASE}`);
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('PG_SLOT_LOST');
    await page.locator('#localsearch-list a').first().click();
    await page.waitForURL(`**/errors.html#PG_SLOT_LOST`);
    await page.locator('tr', { has: page.locator('#PG_SLOT_LOST') }).waitFor();
  });

  test('opened from a disk, a page says what it needs', async () => {
    browser.problems.expect(/net::ERR_F|blocked by CORS policy/);
    const page = await browser.open(`file://${join(folder, 'errors.html')}`);
    await page.getByText('npm run docs:preview').waitFor();
    expect(await page.locator('body').textContent()).toContain('This site needs a web server, and no network');
  });
});

test('npm run docs:preview shows what npm run docs has built, without a network', async () => {
  const port = await freePort();
  const args = ['run', 'docs:preview', '--', '--base', BASE, '--port', String(port)];
  const preview = new ForegroundCommand({ place: folder, env }, ROOT, ['npm', ...args]);
  try {
    await preview.prints(/http:\/\/localhost:\d+/);
    const answer = await fetch(`http://localhost:${port}${BASE}errors.html`);
    expect([answer.status, await answer.text()]).toEqual([200, read('errors.html')]);
  } finally {
    preview.kill();
  }
});
