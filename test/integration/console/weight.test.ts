/** What a browser loads for the console's first pages: their weight stays within a budget. */
import type { Page } from 'playwright-core';
import type { StartedWorker } from '../../../dev/services/worker';
import { describeInBrowser, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { show } from './console-pages';
import { register, startConsoleWorker } from './console-worker';

/** Files of the page, unpacked. KB of 1,000 bytes. */
const BUDGETS: readonly (readonly [page: string, fragment: string, kb: number])[] = [
  ['the list of connectors', '#/', 120],
  ['the page of a connector', '#/connectors/c?tab=status', 150],
  ['its topics', '#/connectors/c?tab=topics', 160],
  ['its offsets', '#/connectors/c?tab=offsets', 165],
  ['its dead letters', '#/connectors/c?tab=dead-letters', 160],
];

describeInBrowser('the weight of the console', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
    await register(worker, 'c');
    await worker.running('c');
  });
  afterAll(() => worker.stop());

  /** Bytes of the files that the page has loaded, without answers of the API. */
  const weightOf = async (page: Page): Promise<number> =>
    await page.evaluate(() => {
      const { performance: shown } = globalThis as unknown as {
        performance: { getEntries(): { name: string; entryType: string; decodedBodySize?: number }[] };
      };
      return shown
        .getEntries()
        .filter(({ name, entryType }) => entryType === 'navigation' || /\/ui\/[\w-]+\.(?:js|css)$/.test(name))
        .reduce((sum, { decodedBodySize = 0 }) => sum + decodedBodySize, 0);
    });

  test.each(BUDGETS)('%s', async (_, fragment, kb) => {
    const page = await browser.open(`${worker.url}/ui/${fragment}`);
    await show(page, fragment);
    const weight = await weightOf(page);
    expect(weight).toBeGreaterThan(50_000);
    expect(weight).toBeLessThanOrEqual(kb * 1_000);
  });
});
