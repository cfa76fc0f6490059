/**
 * Writes docs/images/console/: each page of the console in light, dark and phone width. Needs Chromium (Debian:
 * apt-get install chromium) and a built worker: `npm run build && npm run screenshots`
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

const PAGES: Readonly<Record<string, string>> = {
  connectors: '#/',
  connector: '#/connectors/invoices-export',
  postgres: '#/connectors/shop-changes',
  config: '#/connectors/shop-changes?tab=config',
  offsets: '#/connectors/orders-replay?tab=offsets',
  topics: '#/connectors/shop-changes?tab=topics',
  logs: '#/connectors/shop-changes?tab=logs',
  'dead-letters': '#/connectors/orders-to-billing?tab=dead-letters',
  history: '#/connectors/customers-export?tab=history',
  create: '#/create',
  plugins: '#/plugins',
  workers: '#/workers',
  loggers: '#/loggers',
  changes: '#/changes',
};

const LOOKS = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
} as const;

async function makeScreenshots(): Promise<void> {
  const missing = installChromium();
  if (missing !== null) throw new Error(missing);
  const scene = await startScene();
  const browser = await chromium.launch({ executablePath: chromiumProgram(), args: [...CHROMIUM_FLAGS] });
  cleanUp.push(() => browser.close());
  // The rates of the last minutes are known only from when somebody looks.
  const viewer = await browser.newPage();
  await viewer.goto(`${scene.url}/ui/`);
  title(`Making changes for ${LOAD_SECONDS} seconds`);
  await scene.load(LOAD_SECONDS);
  title('Taking the screenshots');
  await emptyDir(TARGET);
  const loading = scene.load(Object.keys(PAGES).length * (SETTLED_MS / 1000 + 2));
  for (const [name, hash] of Object.entries(PAGES)) await takeAll(browser, name, `${scene.url}/ui/${hash}`);
  await loading;
}

async function takeAll(browser: Browser, name: string, url: string): Promise<void> {
  await Promise.all(
    Object.entries(LOOKS).map(async ([look, options]) => {
      const context = await browser.newContext({ ...options, locale: 'en-US', reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(url);
      await page.waitForTimeout(SETTLED_MS);
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      await page.screenshot({ path: join(TARGET, `${name}-${look}.png`) });
      await context.close();
    }),
  );
}

runDemo(makeScreenshots);
