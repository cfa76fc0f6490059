/** A real Chromium for the tests of a file: one browser, and a context without state for each test. */
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS, chromiumProgram, installChromium } from '../../../dev/services/chromium';
import { Problems } from './problems';

const missing = installChromium();
if (missing !== null) process.stderr.write(`WARNING: tests in a browser are skipped: ${missing}\n`);

export const describeInBrowser = missing === null ? describe : describe.skip;

export interface Browsing {
  /** Opens the URL in a new context, whose requests may go to this URL's origin only. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** Expected messages of the console and requests that fail. */
  readonly problems: Problems;
}

/** Phone, in CSS pixels. */
export const PHONE = { width: 390, height: 844 };

/** Call it in `describeInBrowser`. After each test, the test fails if a page had problems. */
export function useBrowser(): Browsing {
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let problems = new Problems();
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumProgram(), args: [...CHROMIUM_FLAGS], headless: true });
  });
  afterEach(async () => {
    const closing = contexts;
    const found = problems.unexpected();
    contexts = [];
    problems = new Problems();
    await Promise.all(closing.map((context) => context.close()));
    expect(found).toEqual([]);
  });
  afterAll(() => browser.close());
  return {
    async open(url, options = {}) {
      const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
      contexts.push(context);
      context.setDefaultTimeout(30_000);
      await problems.watch(context, new Set([new URL(url).origin]));
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
    get problems() {
      return problems;
    },
  };
}
