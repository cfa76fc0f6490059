/**
 * Writes docs/images/console/, the pictures of docs/console.md. Needs Chromium (Debian: apt-get install chromium) and a
 * built worker: `npm run build && npm run screenshots`
 */
import { join } from 'node:path';
import { emptyDir } from 'fs-extra';
import { chromium, type Browser } from 'playwright-core';
import { runDemo, title, cleanUp } from '../demos/run-demo';
import { CHROMIUM_FLAGS, chromiumProgram, installChromium } from '../services/chromium';
import { ROOT } from '../services/paths';
import { startScene } from './scene';

const TARGET = join(ROOT, 'docs', 'images', 'console');
/** The charts show as much. */
const LOAD_SECONDS = 75;
/** For two polls of the page. */
const SETTLED_MS = 5_000;

const VIEWPORT = { width: 1280, height: 800 } as const;

/** The pictures of docs/console.md: the page's address and its colors. */
const PICTURES: Readonly<Record<string, readonly [hash: string, colors: 'light' | 'dark']>> = {
  connectors: ['#/', 'light'],
  connector: ['#/connectors/invoices-export', 'light'],
  postgres: ['#/connectors/shop-changes', 'dark'],
  charts: ['#/connectors/shop-changes?tab=charts', 'light'],
  config: ['#/connectors/shop-changes?tab=config', 'light'],
  logs: ['#/connectors/shop-changes?tab=logs', 'light'],
  'dead-letters': ['#/connectors/orders-to-billing?tab=dead-letters', 'light'],
  topology: ['#/topology', 'light'],
  create: ['#/create', 'light'],
  workers: ['#/workers', 'dark'],
};

async function makeScreenshots(): Promise<void> {
  const missing = installChromium();
  if (missing !== null) throw new Error(missing);
  const scene = await startScene();
  const browser = await chromium.launch({ executablePath: chromiumProgram(), args: [...CHROMIUM_FLAGS] });
  cleanUp.push(() => browser.close());
  title(`Making changes for ${LOAD_SECONDS} seconds`);
  await scene.load(LOAD_SECONDS);
  title('Taking the screenshots');
  await emptyDir(TARGET);
  const loading = scene.load(Object.keys(PICTURES).length * (SETTLED_MS / 1000 + 2));
  for (const [name, [hash, colors]] of Object.entries(PICTURES))
    await take(browser, `${name}-${colors}.png`, `${scene.url}/ui/${hash}`, colors);
  await loading;
}

async function take(browser: Browser, file: string, url: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const context = await browser.newContext({
    viewport: VIEWPORT,
    colorScheme,
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForTimeout(SETTLED_MS);
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: join(TARGET, file) });
  await context.close();
}

runDemo(makeScreenshots);
