/** Charts of the last hour, by pointer, by keyboard and as a table. The first samples arrive within ten seconds. */
import type { Locator, Page } from 'playwright-core';
import type { StartedWorker } from '../../../dev/services/worker';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { overflow, show } from './console-pages';
import { register, startConsoleWorker } from './console-worker';

const CHARTS = '#/connectors/queue?tab=charts';

/** Of the chart of that title. */
const slider = (page: Page, title: string): Locator =>
  page.getByRole('slider', { name: `${title}, the last 1 h 4 min`, exact: true });
const known = async (page: Page, title: string, text: RegExp): Promise<void> =>
  await page
    .waitForFunction(
      ([name, pattern]) => {
        const { document: shown } = globalThis as unknown as {
          document: { querySelector(selector: string): { getAttribute(name: string): string } | null };
        };
        const found = shown.querySelector(`[role=slider][aria-label^="${name}"]`);
        return found !== null && new RegExp(pattern as string).test(found.getAttribute('aria-valuetext'));
      },
      [title, text.source],
    )
    .then(() => undefined);

describeInBrowser('charts of the last hour', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
    await register(worker, 'queue', { lag: '90' });
    await worker.running('queue');
  });
  afterAll(() => worker.stop());

  test('of a connector: recorded although no page was open, read by pointer and keyboard, and as a table', async () => {
    const page = await browser.open(`${worker.url}/ui/`);
    await show(page, CHARTS);
    await known(page, 'Lag in time', /^\d\d:\d\d:\d\d: 1 min 30 s$/);
    const lag = slider(page, 'Lag in time');
    const newest = await lag.getAttribute('aria-valuetext');
    await lag.focus();
    await page.keyboard.press('Home');
    expect(await lag.getAttribute('aria-valuenow')).toBe('0');
    expect(await lag.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d:\d\d: unknown$/);
    await page.keyboard.press('End');
    expect(await lag.getAttribute('aria-valuetext')).toBe(newest);
    // The other charts show the same moment.
    expect(await slider(page, 'Records per second').getAttribute('aria-valuenow')).toBe('383');
    const box = await lag.boundingBox();
    await lag.hover({ position: { x: (box?.width ?? 0) / 2, y: 60 } });
    await page.locator('.chart', { has: lag }).locator('.chart-readout', { hasText: '–' }).waitFor();
    const chart = page.getByRole('region', { name: 'Lag in time', exact: true });
    await chart.getByText('Values as a table').click();
    const rows = chart.getByRole('row');
    expect(await rows.count()).toBe(17);
    expect((await rows.nth(1).innerText()).split('\t').slice(1)).toEqual(['1 min 30 s', '1 min 30 s', '1 min 30 s']);
    expect((await rows.nth(16).innerText()).split('\t').slice(1)).toEqual(['unknown', 'unknown', 'unknown']);
    // What its plugin does not publish has no chart.
    expect(await slider(page, 'Lag in bytes').count()).toBe(0);
  });

  test('of the workers: memory and CPU', async () => {
    const page = await browser.open(`${worker.url}/ui/#/workers`);
    await known(page, 'Memory of the process', /^\d\d:\d\d:\d\d: [\d.]+ MiB$/);
    await known(page, 'CPU, of one core', /^\d\d:\d\d:\d\d: \d+ %$/);
  });

  test.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['a phone', { viewport: PHONE, hasTouch: true }],
  ] as const)('%s: with values, axe finds nothing, and nothing is wider than the window', async (_, options) => {
    const page = await browser.open(`${worker.url}/ui/`, options);
    await show(page, CHARTS);
    await known(page, 'Lag in time', /1 min 30 s$/);
    await page.getByText('Values as a table').first().click();
    expect(await axe(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  });

  test('the colors follow the theme that the person chooses', async () => {
    const page = await browser.open(`${worker.url}/ui/`, { colorScheme: 'light' });
    await show(page, CHARTS);
    await known(page, 'Lag in time', /1 min 30 s$/);
    const picture = async (): Promise<string> => {
      const shot = await slider(page, 'Lag in time').screenshot();
      return shot.toString('base64');
    };
    const light = await picture();
    await page.getByLabel('Theme').selectOption('dark');
    await page.waitForFunction(() => {
      const { document: shown } = globalThis as unknown as { document: { documentElement: { dataset: object } } };
      return 'theme' in shown.documentElement.dataset && shown.documentElement.dataset.theme === 'dark';
    });
    expect(await picture()).not.toBe(light);
  });
});
