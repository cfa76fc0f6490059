/** Every page, in both themes and on a phone: it works, axe-core finds nothing, and it fits into the window. */
import type { StartedWorker } from '../../../dev/services/worker';
import { axe } from '../../helpers/browser/axe';
import { describeInBrowser, PHONE, useBrowser } from '../../helpers/browser/use-browser';
import { uniqueName } from '../../helpers/unique-name';
import { overflow, pagesOf, show } from './console-pages';
import { register, startConsoleWorker } from './console-worker';

const NAME = 'orders';

describeInBrowser('every page of the console', () => {
  const browser = useBrowser();
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startConsoleWorker({ group: uniqueName('console') });
    await register(worker, NAME, { tasks: '3', fails: 'The disk is full. Free some space.', 'fails.task': '1' });
    await worker.statusWhen(NAME, ({ tasks }) => tasks.some(({ state }) => state === 'FAILED'));
  });
  afterAll(() => worker.stop());

  test.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['a phone', { viewport: PHONE, hasTouch: true }],
  ] as const)('%s: axe finds nothing, and nothing is wider than the window', async (_, options) => {
    const page = await browser.open(`${worker.url}/ui/`, options);
    const found: object[] = [];
    for (const fragment of pagesOf(NAME)) {
      await show(page, fragment);
      const [violations, pixels] = [await axe(page), await overflow(page)];
      if (violations.length > 0 || pixels > 0) found.push({ fragment, violations, pixels });
    }
    expect(found).toEqual([]);
  });
});
