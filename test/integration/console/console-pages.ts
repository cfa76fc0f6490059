/** Every page of the console, by its address, for tests of all of them. */
import type { Page } from 'playwright-core';
import { CLASS } from './console-worker';

const TABS = ['status', 'charts', 'config', 'offsets', 'topics', 'logs', 'dead-letters', 'history'];

/** Fragments of addresses. */
export function pagesOf(connector: string): readonly string[] {
  return [...connectorPages(connector), ...PAGES];
}

export function connectorPages(connector: string): readonly string[] {
  return TABS.map((tab) => `#/connectors/${encodeURIComponent(connector)}?tab=${tab}`);
}

const PAGES = [
  '#/',
  '#/topology',
  '#/create',
  `#/create?class=${CLASS}`,
  '#/plugins',
  '#/workers',
  '#/loggers',
  '#/changes',
  '#/none',
];

/** Opens the page and waits for what it requests. */
export async function show(page: Page, fragment: string): Promise<void> {
  await page.goto(new URL(fragment, page.url()).href);
  await page.locator('h1').waitFor();
  await page.locator('.skeleton').waitFor({ state: 'detached' });
}

/** How many pixels of the page are outside of the window's width. */
export async function overflow(page: Page): Promise<number> {
  return await page.evaluate(() => {
    const { document: shown } = globalThis as unknown as {
      document: { documentElement: { scrollWidth: number; clientWidth: number } };
    };
    return Math.max(0, shown.documentElement.scrollWidth - shown.documentElement.clientWidth);
  });
}
